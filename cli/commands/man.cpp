#include "commands.hpp"

namespace palate::cli {

void add_man(Tree& tree) {
  Command& command = tree.add("man", "Print the manual page.");
  command.example("palate man | man -l -", "Read it.");
  command.run = [&tree](Session& session) { session.print(man_page(tree)); };
}

}  // namespace palate::cli
