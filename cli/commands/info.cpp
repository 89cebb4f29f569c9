// palate info: what is in a file of ratings, a folder or a model.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "prediction.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct Summary {
  std::vector<double> means;          ///< per criterion
  std::vector<std::size_t> per_user;  ///< interactions, sorted
  std::vector<std::size_t> per_item;
};

Summary summarise(const Ratings& ratings) {
  Summary out;
  const std::size_t criteria = ratings.criteria().size();
  std::vector<double> sums(criteria);
  out.per_item.resize(ratings.items());
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    const UserRatings user = ratings.of(u);
    out.per_user.push_back(user.size());
    for (std::size_t k = 0; k < user.size(); ++k) {
      ++out.per_item[user.items[k]];
      for (std::size_t c = 0; c < criteria; ++c) sums[c] += user.values[k * criteria + c];
    }
  }
  for (std::size_t c = 0; c < criteria; ++c) {
    const auto count = static_cast<double>(ratings.ratings_of(c));
    out.means.push_back(count > 0 ? sums[c] / count : 0);
  }
  std::sort(out.per_user.begin(), out.per_user.end());
  std::sort(out.per_item.begin(), out.per_item.end());
  return out;
}

std::size_t quantile(const std::vector<std::size_t>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

double density(const Ratings& ratings) {
  const double cells = static_cast<double>(ratings.users()) * static_cast<double>(ratings.items());
  return cells > 0 ? static_cast<double>(ratings.interactions()) / cells : 0;
}

Json data_json(const Ratings& ratings) {
  const Summary summary = summarise(ratings);
  Json out = to_json(ratings);
  const auto spread = [](const std::vector<std::size_t>& sorted) {
    return Json{{"min", quantile(sorted, 0)},
                {"median", quantile(sorted, 0.5)},
                {"max", quantile(sorted, 1)}};
  };
  for (std::size_t c = 0; c < summary.means.size(); ++c) {
    out["criteria"][c]["mean"] = summary.means[c];
  }
  out["density"] = density(ratings);
  out["per_user"] = spread(summary.per_user);
  out["per_item"] = spread(summary.per_item);
  return out;
}

std::string data_text(const Session& session, const Ratings& ratings) {
  const Summary summary = summarise(ratings);
  const auto spread = [](const std::vector<std::size_t>& sorted) {
    return fmt::format("{} to {}, median {}", grouped(quantile(sorted, 0)),
                       grouped(quantile(sorted, 1)), grouped(quantile(sorted, 0.5)));
  };
  std::string text;
  text += fmt::format("users         {}  (ratings each: {})\n", grouped(ratings.users()),
                      spread(summary.per_user));
  text += fmt::format("items         {}  (ratings each: {})\n", grouped(ratings.items()),
                      spread(summary.per_item));
  text += fmt::format("interactions  {}  ({:.3g} % of all pairs)\n",
                      grouped(ratings.interactions()), 100 * density(ratings));
  text += fmt::format("times         {}\ntitles        {}\n\n", ratings.has_times() ? "yes" : "no",
                      ratings.has_titles() ? "yes" : "no");
  Table table({{"criterion", false, true},
               {"ratings", true},
               {"filled", true},
               {"scale", true},
               {"mean", true}});
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    const Criterion& criterion = ratings.criteria()[c];
    const double filled = ratings.interactions() == 0
                              ? 0
                              : static_cast<double>(ratings.ratings_of(c)) /
                                    static_cast<double>(ratings.interactions());
    table.row({printable(criterion.name), grouped(ratings.ratings_of(c)),
               fmt::format("{:.0f} %", 100 * filled),
               fmt::format("{:g} to {:g}", criterion.min, criterion.max),
               fmt::format("{:.2f}", summary.means[c])});
  }
  return text + table.text(session.out);
}

void model_info(const std::filesystem::path& path, Session& session) {
  const Model model = load_model(session, path);
  const ModelInfo info = model.info();
  const std::optional<Choice> choice = model.choice();
  if (session.json()) {
    Json document = {{"kind", "model"}, {"file", path.string()}};
    document.update(to_json(info));
    document["settings"] = settings_json(model);
    if (choice) document["choice"] = server::choice_json(*choice);
    document["prediction"] = server::prediction_json(model.prediction_errors(), model.criteria());
    document["data"] = data_json(model.ratings());
    print_json(session, document);
    return;
  }
  std::string text =
      fmt::format("{}: a model, made with palate {}\n\n{}\n{}", printable(path.string()),
                  info.trained_with, settings_text(session, model), engine_text(info));
  text += response_text(info);
  if (info.graph_entries > 0) {
    text += fmt::format("links between items  {}\n", grouped(info.graph_entries));
  }
  text += fmt::format("memory               {:.1f} MB\n", static_cast<double>(info.bytes) / 1e6);
  const std::string errors = prediction_table(session, model.prediction_errors(), model.criteria());
  if (!errors.empty()) text += "\n" + errors;
  if (choice) text += "\n" + choice_tables(session, *choice);
  session.print(text + "\nfitted on\n" + data_text(session, model.ratings()));
}

void run_info(const DataOptions& options, Session& session) {
  if (is_model(options.path)) {
    model_info(options.path, session);
    return;
  }
  const Loaded data = load_data(session, options);
  if (session.json()) {
    Json document = {{"kind", "ratings"}, {"file", options.path.string()}};
    document["data"] = data_json(data.ratings);
    if (data.test) document["test"] = data_json(*data.test);
    document["import"] = to_json(data.report);
    print_json(session, document);
    return;
  }
  std::string text =
      fmt::format("{}: ratings, {}\n\n", printable(options.path.string()), data.report.format);
  if (data.test) text += "train part\n";
  text += data_text(session, data.ratings);
  if (data.test) text += "\ntest part\n" + data_text(session, *data.test);
  session.print(text);
}

}  // namespace

void add_info(Tree& tree) {
  auto [command, options] = tree.add<DataOptions>(
      "info", "Show what is in a ratings file, a folder or a model.", run_info);
  add_data_or_model_argument(command, options.path);
  add_read_options(command, options);
  command.example("palate info beers.csv", "Users, items, criteria and their scales.");
  command.example("palate info beers.palate --json",
                  "Settings of a model, how they were found, and its data, for a machine.");
}

}  // namespace palate::cli
