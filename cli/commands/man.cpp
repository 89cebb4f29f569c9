#include "commands.hpp"
#include "json.hpp"

namespace palate::cli {

void add_man(Tree& tree) {
  Command& command = tree.add("man", "Print the manual page.");
  command.example("palate man | man -l -", "Read it.");
  command.run = [&tree](Session& session) {
    if (session.json()) {
      print_json(session, {{"page", man_page(tree)}});
    } else {
      session.print(man_page(tree));
    }
  };
}

}  // namespace palate::cli
