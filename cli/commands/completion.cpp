#include "commands.hpp"
#include "json.hpp"

namespace palate::cli {

void add_completion(Tree& tree) {
  Command& command = tree.add("completion", "Print a completion script for a shell.");
  auto shell = std::make_shared<std::string>();
  command.choice("shell", *shell, {{"bash", "bash"}, {"zsh", "zsh"}, {"fish", "fish"}},
                 "The shell.", Need::required);
  command.example("palate completion bash > ~/.local/share/bash-completion/completions/palate",
                  "Install it for yourself.");
  command.example("source <(palate completion bash)", "Try it in this shell.");
  command.run = [shell, &tree](Session& session) {
    const std::string script = completion_script(tree, *shell);
    if (session.json()) {
      print_json(session, {{"shell", *shell}, {"script", script}});
    } else {
      session.print(script);
    }
  };
}

}  // namespace palate::cli
