// One function per file of commands/: describes a command and says what runs it.
#pragma once

#include "command.hpp"

namespace palate::cli {

void add_import(Tree& tree);
void add_info(Tree& tree);
void add_synth(Tree& tree);
void add_split(Tree& tree);
void add_fit(Tree& tree);
void add_recommend(Tree& tree);
void add_similar(Tree& tree);
void add_explain(Tree& tree);
void add_evaluate(Tree& tree);
void add_compare(Tree& tree);
void add_methods(Tree& tree);
void add_report(Tree& tree);
void add_serve(Tree& tree);
void add_dump(Tree& tree);
void add_restore(Tree& tree);
void add_keys(Tree& tree);
void add_completion(Tree& tree);
void add_man(Tree& tree);

}  // namespace palate::cli
