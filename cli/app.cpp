// The tool as a whole: the tree of commands, parsing, and what happens to errors and signals.
#include <fmt/format.h>

#include <clocale>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>

#include "commands.hpp"
#include "palate/error.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

// Before or despite parsing: how to say that parsing failed.
bool wants_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

int exit_status(ErrorCode code) {
  const int signal = stop_signal();
  return code == ErrorCode::cancelled && signal != 0 ? 128 + signal : kind_of(code).exit_status;
}

int complain(const Error& error, bool json) {
  const int status = exit_status(error.code());
  std::string text;
  if (json) {
    nlohmann::ordered_json body = {{"code", kind_of(error.code()).name},
                                   {"message", error.message()},
                                   {"where", error.where().text()},
                                   {"hint", error.hint()},
                                   {"exit_status", status}};
    const nlohmann::ordered_json document = {{"error", std::move(body)}};
    text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  } else {
    const Screen screen = screen_of(2);
    const std::string where = error.where().text();
    text = toned(screen, Tone::bad, "palate:") + " ";
    if (!where.empty()) text += printable(where) + ": ";
    text += printable(error.message()) + "\n";
    if (!error.hint().empty()) text += "  " + printable(error.hint()) + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
  return status;
}

void execute(int argc, char** argv) {
  Tree tree;
  for (AddCommand* add :
       {add_import,    add_info,    add_synth,     add_split,      add_tune,    add_fit,
        add_recommend, add_similar, add_explain,   add_evaluate,   add_compare, add_dials,
        add_methods,   add_report,  add_reproduce, add_serve,      add_backup,  add_dump,
        add_restore,   add_keys,    add_activity,  add_completion, add_man}) {
    add(tree);
  }
  std::string text;
  const Command* command = tree.parse(argc, argv, text);
  Session session(tree.common);
  if (command == nullptr) {
    session.print(text);
  } else {
    command->run(session);
  }
  session.finish();
}

// One command line, to its exit status.
int run(int argc, char** argv) noexcept {
  const bool json = wants_json(argc, argv);
  try {
    std::setlocale(LC_CTYPE, "");
    install_signal_handlers();
    execute(argc, argv);
    return 0;
  } catch (const BrokenPipe&) {
    constexpr int sigpipe_status = 141;  // what a shell reports for a tool that a pipe stopped
    return sigpipe_status;
  } catch (const Error& error) {
    return complain(error, json);
  } catch (const std::bad_alloc&) {
    return complain(Error(ErrorCode::too_large, "there is not enough memory for this"), json);
  } catch (const std::exception& error) {
    return complain(Error(ErrorCode::internal, fmt::format("unexpected: {}", error.what()), {},
                          "this is a defect of palate; please report it"),
                    json);
  }
}

}  // namespace
}  // namespace palate::cli

int main(int argc, char** argv) { return palate::cli::run(argc, argv); }
