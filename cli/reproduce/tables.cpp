// From cells to tables.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reproduce/chosen.hpp"
#include "reproduce/document.hpp"
#include "reproduce/published.hpp"

namespace palate::cli::reproduce {
namespace {

constexpr std::string_view not_run = "not run";

const Json* find(const Results& results, std::string_view data, Part part, std::string_view what) {
  const auto found = results.find(fmt::format("{}.{}.{}", data, name_of(part), what));
  return found == results.end() ? nullptr : &found->second;
}

const DataSet& about(std::string_view data) {
  return *std::find_if(data_sets().begin(), data_sets().end(),
                       [&](const DataSet& one) { return one.name == data; });
}

std::string beside(std::optional<double> measured, std::optional<double> published) {
  return fmt::format("{} ({})", measured ? fmt::format("{:.4f}", *measured) : std::string(not_run),
                     published ? fmt::format("{:.4f}", *published) : "-");
}

// "recall@10" as "Recall@10", "ndcg_paper@5" as "NDCG@5 (paper)".
std::string column_name(std::string_view metric) {
  const std::string length(metric.substr(metric.find('@')));
  if (metric.starts_with("recall")) return "Recall" + length;
  return "NDCG" + length + (metric.starts_with("ndcg_paper") ? " (paper)" : "");
}

Sheet accuracy(const Results& results, const std::string& data) {
  const DataSet& set = about(data);
  Sheet out{fmt::format("{}: accuracy, measured (published)", data), {"method"}, {}};
  for (const std::string_view metric : set.metrics) out.head.push_back(column_name(metric));
  for (const Row& row : rows()) {
    const Json* found = find(results, data, Part::accuracy, row.method);
    const std::vector<double> published = published_accuracy(data, row.method);
    std::vector<std::string> line = {std::string(row.title)};
    for (std::size_t m = 0; m < set.metrics.size(); ++m) {
      std::optional<double> value;
      if (found != nullptr) value = (*found)["metrics"][std::string(set.metrics[m])].get<double>();
      line.push_back(
          beside(value, published.empty() ? std::nullopt : std::optional<double>(published[m])));
    }
    out.rows.push_back(std::move(line));
  }
  const Json* any = find(results, data, Part::accuracy, "ca-gf");
  if (any != nullptr) out.note = "Relevant: " + (*any)["relevance"].get<std::string>() + ". ";
  if (set.preset) {
    out.note +=
        "These ratings have no times, and so FIRE ranks as GF-CF with ideal 0.2 and rank 128: it "
        "has no row. Group-GF needs groups, which these data have not.";
  }
  return out;
}

Sheet ablation(const Results& results, const std::string& data) {
  Sheet out{fmt::format("{}: ablation of CA-GF, Recall@10 measured (published)", data),
            {"variant", "Recall@10"},
            {}};
  for (const Ablation& one : ablations()) {
    const Json* found = find(results, data, Part::ablation, one.variant);
    std::optional<double> value;
    if (found != nullptr) value = (*found)["metrics"]["recall@10"].get<double>();
    out.rows.push_back({one.letter.empty() ? "CA-GF" : fmt::format("CA-GF-{}", one.letter),
                        beside(value, published_ablation(data, one.letter))});
  }
  return out;
}

Sheet run_times(const Results& results, const std::string& data) {
  Sheet out{fmt::format("{}: seconds", data), {"method", "fit", "lists", "both", "published"}, {}};
  const auto line = [&](std::string_view title, const Json* found, std::string_view key) {
    const std::optional<double> published = published_seconds(data, key);
    std::vector<std::string> cells = {std::string(title)};
    if (found == nullptr) {
      cells.insert(cells.end(), 3, std::string(not_run));
    } else {
      const double fitting = (*found)["seconds"]["fit"];
      const double listing = (*found)["seconds"]["lists"];
      for (const double seconds : {fitting, listing, fitting + listing}) {
        cells.push_back(fmt::format("{:.2f}", seconds));
      }
    }
    cells.push_back(published ? fmt::format("{:g}", *published) : "-");
    out.rows.push_back(std::move(cells));
  };
  for (const Row& row : rows()) {
    line(row.title, find(results, data, Part::accuracy, row.method), row.method);
  }
  line("CA-GF-m", find(results, data, Part::ablation, "overall-graph"), "ca-gf:m");
  const Json* fast = find(results, data, Part::accuracy, "ca-gf");
  const Json* slow = find(results, data, Part::accuracy, "gf-cf-mc");
  if (fast != nullptr && slow != nullptr) {
    const auto both = [](const Json& cell) {
      return cell["seconds"]["fit"].get<double>() + cell["seconds"]["lists"].get<double>();
    };
    out.note = fmt::format("GF-CF_MC takes {:.2g} times as long as CA-GF. ",
                           both(*slow) / std::max(1e-3, both(*fast)));
  }
  out.note +=
      "Lists: the first places for everybody who is judged. Published: on a 12-core i7-9700K with "
      "an RTX A6000.";
  return out;
}

Sheet differences(const Results& results, const std::string& data, const std::string& baseline) {
  const Json all = significance(results, data, baseline);
  if (all.empty()) return {};
  Sheet out{fmt::format("{}: difference to {} in {}", data, all["title"].get<std::string>(),
                        column_name(about(data).main)),
            {"method", "difference", "95 % interval", "p (Holm)"},
            {}};
  for (const Json& one : all["differences"]) {
    const double p = one["p_holm"];
    out.rows.push_back(
        {one["title"], fmt::format("{:+.4f}", one["difference"].get<double>()),
         fmt::format("{:+.4f} to {:+.4f}", one["low"].get<double>(), one["high"].get<double>()),
         p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p)});
  }
  out.note =
      "Paired over users: bootstrap interval, Wilcoxon signed-rank test, corrected for all rows "
      "together by Holm's rule.";
  return out;
}

Sheet settings(const Results& results, const std::string& data) {
  Sheet out{fmt::format("{}: settings", data), {"method", "found by", "settings"}, {}};
  for (const Row& row : rows()) {
    const Json* found = find(results, data, Part::accuracy, row.method);
    if (found != nullptr)
      out.rows.push_back(
          {std::string(row.title), std::string(found_by(data, row.method)), (*found)["settings"]});
  }
  out.note = how_chosen();
  return out;
}

Evaluation evaluation_of(const Json& cell, const DataSet& set, std::string_view method) {
  const std::string main(set.main);
  Evaluation out;
  out.name = method;
  out.metrics = {main};
  out.mean[main] = cell["metrics"][main];
  out.users = cell["users"].get<std::vector<std::uint32_t>>();
  out.per_user = {cell["per_user"][main].get<std::vector<float>>()};
  return out;
}

}  // namespace

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> out(p.size());
  double most = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    most = std::max(most, std::min(1.0, static_cast<double>(p.size() - k) * p[order[k]]));
    out[order[k]] = most;
  }
  return out;
}

Json significance(const Results& results, const std::string& data, const std::string& baseline) {
  const DataSet& set = about(data);
  std::vector<Evaluation> all;
  std::vector<std::string_view> titles;
  for (const Row& row : rows()) {
    const Json* cell = find(results, data, Part::accuracy, row.method);
    if (cell == nullptr) continue;
    all.push_back(evaluation_of(*cell, set, row.method));
    titles.push_back(row.title);
  }
  const std::string main(set.main);
  const auto first = baseline == "best"
                         ? std::max_element(all.begin(), all.end(),
                                            [&](const Evaluation& a, const Evaluation& b) {
                                              return a.mean.at(main) < b.mean.at(main);
                                            })
                         : std::find_if(all.begin(), all.end(), [&](const Evaluation& one) {
                             return one.name == baseline;
                           });
  if (first == all.end() || all.size() < 2) return Json::object();
  const std::ptrdiff_t place = first - all.begin();
  std::rotate(all.begin(), all.begin() + place, all.begin() + place + 1);
  std::rotate(titles.begin(), titles.begin() + place, titles.begin() + place + 1);
  const std::vector<Difference> found = compare(all, {.metrics = {main}});
  std::vector<double> p;
  for (const Difference& one : found) p.push_back(one.p_value);
  const std::vector<double> corrected = holm(p);
  Json list = Json::array();
  for (std::size_t k = 0; k < found.size(); ++k) {
    list.push_back({{"method", found[k].method},
                    {"title", titles[k + 1]},
                    {"difference", found[k].difference},
                    {"low", found[k].low},
                    {"high", found[k].high},
                    {"p", found[k].p_value},
                    {"p_holm", corrected[k]}});
  }
  return {{"baseline", all.front().name},
          {"title", titles.front()},
          {"metric", main},
          {"differences", std::move(list)}};
}

std::vector<Section> tables(const Results& results, const std::vector<std::string>& data) {
  std::vector<Section> out;
  for (const std::string& name : data) {
    Section section{name, {accuracy(results, name)}, figures(results, name), {}};
    for (const char* baseline : {"ca-gf", "best"}) {
      Sheet sheet = differences(results, name, baseline);
      if (!sheet.rows.empty()) section.sheets.push_back(std::move(sheet));
    }
    if (about(name).preset) section.sheets.push_back(ablation(results, name));
    section.sheets.push_back(run_times(results, name));
    section.sheets.push_back(settings(results, name));
    out.push_back(std::move(section));
  }
  Sheet sizes{"Seconds of CA-GF on made-up ratings with four criteria",
              {"ratings", "users", "items", "fit", "lists"},
              {},
              "Published: within 2 s up to 6M on a GPU, under 2 minutes for 38M on a CPU."};
  for (const ScalingSize& size : scaling_sizes()) {
    const Json* found = find(results, size.name, Part::scaling, "ca-gf");
    const auto seconds = [&](const char* what) {
      return found == nullptr ? std::string(not_run)
                              : fmt::format("{:.2f}", (*found)["seconds"][what].get<double>());
    };
    sizes.rows.push_back({std::string(size.name), fmt::format("{}", size.users),
                          fmt::format("{}", size.items), seconds("fit"), seconds("lists")});
  }
  out.push_back({"Scaling", {std::move(sizes)}, scaling_figure(results), {}});
  return out;
}

}  // namespace palate::cli::reproduce
