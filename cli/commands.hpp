// One function per file of commands/: describes a command and says what runs it.
#pragma once

#include "command.hpp"

namespace palate::cli {

using AddCommand = void(Tree& tree);
AddCommand add_import, add_info, add_synth, add_split, add_tune, add_fit, add_recommend,
    add_similar, add_explain, add_evaluate, add_compare, add_dials, add_methods, add_report,
    add_reproduce, add_serve, add_backup, add_dump, add_restore, add_keys, add_activity,
    add_completion, add_man;

}  // namespace palate::cli
