// palate reproduce: the tables and figures of the paper, computed anew.
#include <fmt/format.h>

#include <set>

#include "base/atomic_file.hpp"
#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "palate/version.hpp"
#include "report/chart.hpp"
#include "reproduce/document.hpp"
#include "reproduce/work.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

using namespace reproduce;

struct ReproduceArguments {
  std::filesystem::path data, out;
  std::vector<std::string> only;
};

void write(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

// Everything that is there, also from runs before.
std::vector<std::string> write_results(const std::filesystem::path& out, const Results& results,
                                       const std::vector<std::string>& data) {
  const std::vector<Section> sections = tables(results, data);
  std::filesystem::create_directories(out / "figures");
  for (const Section& section : sections) {
    for (const Figure& figure : section.figures) {
      if (figure.svg.empty()) continue;
      write(out / "figures" / (figure.name + ".svg"), standalone_svg(figure.svg));
    }
  }
  write(out / "results.md", to_markdown(sections));
  write(out / "results.html", to_html(sections));
  Json document = {{"palate", version}, {"cells", Json::object()}};
  for (const auto& [name, result] : results) {
    Json kept = result;
    kept.erase("users");
    kept.erase("per_user");
    document["cells"][name] = std::move(kept);
  }
  for (const std::string& name : data) {
    for (const char* baseline : {"ca-gf", "best"}) {
      document["significance"][name][baseline] = significance(results, name, baseline);
    }
  }
  write(out / "results.json", dump(document) + "\n");
  return {"results.md", "results.html", "results.json"};
}

void run_reproduce(const ReproduceArguments& options, Session& session) {
  const Only only(options.only);
  require_exists(options.data);
  DataFolder folder(options.data);
  const CellFolder kept(options.out / "cells");
  std::vector<std::string> data;
  for (const DataSet& set : data_sets()) {
    if (folder.has(set.name)) data.emplace_back(set.name);
  }
  if (data.empty()) {
    throw Error(ErrorCode::not_found, "the folder has no data set to work on",
                {.file = options.data.string()},
                "it has to hold a folder YM, TA, BA, gowalla, yelp2018 or amazon-book with files "
                "NAME_tr_C.npz and NAME_ts_C.npz");
  }
  const std::vector<Cell> cells = cells_of(session, folder);
  Results results;
  std::vector<const Cell*> open;
  for (const Cell& cell : cells) {
    if (auto result = kept.find(cell)) {
      results[cell.name()] = std::move(*result);
    } else if (only.means(cell)) {
      open.push_back(&cell);
    }
  }
  for (std::size_t k = 0; k < open.size(); ++k) {
    const auto count = static_cast<double>(open.size());
    const auto part =
        session.part(static_cast<double>(k) / count, (static_cast<double>(k) + 1) / count);
    const Clock clock;
    Json result = open[k]->compute(session);
    kept.keep(*open[k], result);
    session.note(fmt::format("{} of {}: {}, {:.1f} s\n", k + 1, open.size(), open[k]->name(),
                             clock.seconds()));
    results[open[k]->name()] = std::move(result);
  }
  const std::vector<std::string> written = write_results(options.out, results, data);
  if (session.json()) {
    print_json(session, {{"out", options.out.string()},
                         {"files", written},
                         {"computed", open.size()},
                         {"kept", results.size() - open.size()},
                         {"not_run", cells.size() - results.size()}});
    return;
  }
  session.print(fmt::format("{} computed, {} kept, {} not run; wrote {} in {}\n", open.size(),
                            results.size() - open.size(), cells.size() - results.size(),
                            join(written, ", "), printable(options.out.string())));
}

}  // namespace

void add_reproduce(Tree& tree) {
  auto [command, options] = tree.add<ReproduceArguments>(
      "reproduce", "Compute published tables and figures anew.", run_reproduce);
  command.describe(
      "Measures every method on the data sets of the CA-GF paper that DATA has a folder for (YM, "
      "TA, BA), and on public ones (gowalla, yelp2018, amazon-book), each number beside the "
      "published one, with figures and paired significance. Results are kept in the folder as they "
      "come: a run that was stopped goes on where it was.");
  command.option("data", options.data, "DATA",
                 "A folder of data sets, each a folder of .npz matrices.", Need::required);
  command.option("-o,--out", options.out, "FOLDER", "Where results go, and are kept.",
                 Need::required);
  command.list("--only", options.only, "A,B,...",
               "Only these data sets, methods or parts: accuracy, ablation, filters, powers, maps, "
               "scaling.");
  command.example("palate reproduce data --out results", "Everything that is not there yet.");
  command.example("palate reproduce data --out results --only YM,gf-cf",
                  "One method on one data set; what is there already stays.");
}

}  // namespace palate::cli
