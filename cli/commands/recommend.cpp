// palate recommend: lists for users or for someone new.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "asking.hpp"
#include "base/atomic_file.hpp"
#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "prediction.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct RecommendArguments {
  std::filesystem::path model, users_file, profile, allow_file, deny_file, out;
  std::vector<std::string> users, allow, deny;
  WeightOptions weights;
  std::size_t top = 10;
  bool all = false, include_seen = false, explain = false;
};

/// Who asks what of which model.
struct Asking {
  const Model& model;
  RecommendOptions options;
  std::optional<Profile> profile;  ///< instead of a user of the data

  /// One row per item of the list, one value per criterion.
  [[nodiscard]] std::vector<std::vector<double>> attributions(const Recommendations& list) const;
  [[nodiscard]] Explanation explain(const Recommendations& list, const std::string& item) const;
};

// What dials add is a piece of its own at the end of a bar; what they take shortens it.
void add_dialled(const Recommendations& list, std::vector<std::vector<double>>& parts) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const double dialled = static_cast<double>(list.items[k].dialled);
    double sum = 0;
    for (const double value : parts[k]) sum += std::max(0.0, value);
    if (dialled < 0 && sum > 0) {
      for (double& value : parts[k]) value *= std::max(0.0, 1 + dialled / sum);
    }
    parts[k].push_back(std::max(0.0, dialled));
  }
}

std::string heading(const Session& session, const Asking& asking, const Recommendations& list) {
  std::string text = asking.profile ? std::string("For this profile")
                                    : fmt::format("For {}", printable(list.user));
  std::vector<std::string> weights;
  for (const auto& [criterion, weight] : asking.options.weights) {
    weights.push_back(fmt::format("{} x {:g}", printable(criterion), weight));
  }
  if (!weights.empty()) text += fmt::format(", with {}", join(weights, ", "));
  text = toned(session.out, Tone::bold, text) + "\n";
  if (list.basis == Basis::popularity) {
    text += "No ratings are known, so the list is by popularity.\n";
  }
  return text + "\n";
}

double largest_bar(const std::vector<std::vector<double>>& parts) {
  double largest = 0;
  for (const auto& row : parts) {
    double positive = 0;
    for (const double value : row) positive += std::max(0.0, value);
    largest = std::max(largest, positive);
  }
  return largest;
}

// "because of A, B and C": the rated items that add most.
std::string because(const Explanation& why) {
  std::vector<std::string> names;
  for (const Explanation::Part& part : why.parts) {
    const std::string name = named(part.item, part.title);
    if (part.value <= 0 || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    if (names.size() == 3) break;
  }
  return names.empty() ? "" : "because of " + join(names, "; ");
}

std::vector<std::vector<double>> Asking::attributions(const Recommendations& list) const {
  std::vector<std::string> items;
  for (const Recommended& item : list.items) items.push_back(item.item);
  if (!profile) return model.attributions(list.user, items, options);
  std::vector<std::vector<double>> out;
  for (const std::string& item : items) {
    out.push_back(model.explain_for(*profile, item, options).by_criterion);
  }
  return out;
}

Explanation Asking::explain(const Recommendations& list, const std::string& item) const {
  return profile ? model.explain_for(*profile, item, options)
                 : model.explain(list.user, item, options);
}

// What the numbers of lists mean.
std::string key_text(const Screen& screen, const Model& model) {
  std::string words = "match: stands above so many per cent of all that the person has not rated.";
  const std::string off = prediction_sentence(model.prediction_errors());
  if (!off.empty()) words += " " + off;
  std::string text;
  for (const std::string& line : wrap(words, std::max<std::size_t>(20, screen.width))) {
    text += toned(screen, Tone::dim, line) + "\n";
  }
  return text;
}

std::string list_text(const Session& session, const Asking& asking, const Recommendations& list,
                      bool explain) {
  std::string text = heading(session, asking, list);
  if (list.items.empty()) return text + "Nothing is left to recommend.\n";
  const Screen& screen = session.out;
  const bool own = list.basis == Basis::ratings;
  auto parts = own ? asking.attributions(list) : std::vector<std::vector<double>>{};
  const bool dialled = std::any_of(list.items.begin(), list.items.end(),
                                   [](const Recommended& item) { return item.dialled != 0; });
  if (dialled) add_dialled(list, parts);
  const double scale = largest_bar(parts);
  const std::size_t columns = screen.width >= 90 ? 30 : screen.width >= 60 ? 16 : 8;
  const bool titles = asking.model.ratings().has_titles();
  const std::vector<PredictionError> errors = asking.model.prediction_errors();
  const bool predicted = !errors.empty() && errors.front().criterion == 0;
  Table table({{"#", true},
               {"item", false, true},
               {titles ? "title" : "", false, true},
               {"match", true},
               {predicted ? "predicted" : "", true},
               {""}});
  bool unlinked = false;
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const Recommended& item = list.items[k];
    const bool none = own && item.score == 0;
    unlinked = unlinked || none;
    std::string drawn = none ? "no link" : "";
    if (own && !none && scale > 0) drawn = stacked_bar(screen, parts[k], scale, columns);
    table.row({std::to_string(k + 1), printable(item.item), titles ? printable(item.title) : "",
               match_text(item.match.value_or(0)),
               predicted
                   ? rating_text(list.predicted_for(k).front(), asking.model.criteria().front())
                   : "",
               drawn});
  }
  text += table.text(screen);
  if (scale > 0) {
    std::vector<std::string> names;
    for (const Criterion& criterion : asking.model.ratings().criteria()) {
      names.push_back(criterion.name);
    }
    if (dialled) names.emplace_back("what you turned");
    text += "\n" + legend(screen, names);
  }
  if (unlinked)
    text += "\nno link: nothing leads from the ratings to the item; its place says nothing.\n";
  if (!explain || !own) return text;
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const Explanation why = asking.explain(list, list.items[k].item);
    text += fmt::format("\n{}. {}\n", k + 1, named(why.item, why.title));
    text += criterion_bars(session, why, "   ") + dial_lines(session, why, "   ");
    const std::string reason = because(why);
    for (const std::string& line : wrap(reason, std::max<std::size_t>(20, screen.width - 3))) {
      if (!line.empty()) text += "   " + line + "\n";
    }
  }
  return text;
}

std::vector<std::string> item_list(const Ratings& ratings, const std::vector<std::string>& given,
                                   const std::filesystem::path& file) {
  std::vector<std::string> items = given;
  if (!file.empty()) {
    const std::vector<std::string> lines = read_lines(file);
    items.insert(items.end(), lines.begin(), lines.end());
  }
  for (const std::string& item : items) require_item(ratings, item);
  return items;
}

RecommendOptions recommend_options(const RecommendArguments& options, const Ratings& ratings) {
  RecommendOptions how;
  how.top = options.top;
  how.exclude_seen = !options.include_seen;
  options.weights.into(how, ratings);
  how.allow = item_list(ratings, options.allow, options.allow_file);
  how.deny = item_list(ratings, options.deny, options.deny_file);
  if (how.allow.empty() && !options.allow_file.empty()) {
    throw Error(ErrorCode::bad_input, "the list of allowed items is empty",
                {.file = options.allow_file.string()});
  }
  return how;
}

std::string csv_lines(const Recommendations& list) {
  std::string out;
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const Recommended& item = list.items[k];
    const std::span<const float> predicted = list.predicted_for(k);
    const bool known = !predicted.empty() && !std::isnan(predicted.front());
    out += fmt::format(
        "{},{},{},{},{},{},{:.5g},{}\n", csv_field(list.user), k + 1, csv_field(item.item),
        csv_field(item.title), item.score, list.basis == Basis::ratings ? "ratings" : "popularity",
        item.match.value_or(0), known ? fmt::format("{:.3f}", predicted.front()) : "");
  }
  return out;
}

// Where lists go: a file, one JSON document, or tables for a person.
class Output {
 public:
  Output(const RecommendArguments& options, const Asking& asking, Session& session, bool many)
      : options_(options), asking_(asking), session_(session), many_(many) {
    if (!options.out.empty()) {
      jsonl_ = options.out.extension() == ".jsonl";
      file_ = std::make_unique<AtomicFile>(options.out);
      if (!jsonl_) file_->write("user,rank,item,title,score,basis,match,predicted\n");
    } else if (session.json() && many) {
      session.print("{\"users\": [");
    }
  }

  void take(const Recommendations& list) {
    if (file_) {
      file_->write(jsonl_ ? dump(document(list), -1) + "\n" : csv_lines(list));
    } else if (session_.json()) {
      session_.print(count_ > 0 ? ",\n" : many_ ? "\n" : "");
      session_.print(dump(document(list), many_ ? -1 : 2));
    } else {
      session_.print((count_ > 0 ? "\n" : "") +
                     list_text(session_, asking_, list, options_.explain));
    }
    ++count_;
    items_ += list.items.size();
  }

  void finish() {
    if (file_) {
      session_.check_stopped();
      file_->commit();
      if (session_.json()) {
        print_json(session_,
                   {{"out", options_.out.string()}, {"users", count_}, {"items", items_}});
      } else {
        session_.print(fmt::format("wrote {}: {}, {}\n", printable(options_.out.string()),
                                   counted(count_, "list"), counted(items_, "item")));
      }
    } else if (session_.json()) {
      session_.print(many_ ? "\n]}\n" : "\n");
    } else if (items_ > 0) {
      session_.print("\n" + key_text(session_.out, asking_.model));
    }
  }

 private:
  [[nodiscard]] Json document(const Recommendations& list) const {
    const auto criteria = asking_.model.ratings().criteria();
    Json out = to_json(list, criteria);
    if (!options_.explain || list.basis != Basis::ratings) return out;
    const auto parts = asking_.attributions(list);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      Json by_criterion = Json::object();
      for (std::size_t c = 0; c < parts[k].size(); ++c)
        by_criterion[criteria[c].name] = parts[k][c];
      out["items"][k]["by_criterion"] = std::move(by_criterion);
    }
    return out;
  }

  const RecommendArguments& options_;
  const Asking& asking_;
  Session& session_;
  const bool many_;
  bool jsonl_ = false;
  std::unique_ptr<AtomicFile> file_;
  std::size_t count_ = 0, items_ = 0;
};

void check(const RecommendArguments& options) {
  const int ways = (options.users.empty() ? 0 : 1) + (options.users_file.empty() ? 0 : 1) +
                   (options.all ? 1 : 0) + (options.profile.empty() ? 0 : 1);
  if (ways != 1) {
    throw wrong_call(ways == 0
                         ? "say for whom: --user ID, --users-file FILE, --all or --profile FILE"
                         : "--user, --users-file, --all and --profile exclude each other");
  }
  if (options.top == 0) throw wrong_call("--top must be at least 1");
  const auto extension = options.out.extension();
  if (!options.out.empty() && extension != ".csv" && extension != ".jsonl") {
    throw wrong_call(fmt::format("--out: the name '{}' does not say the format",
                                 printable(options.out.string())),
                     "end it in .csv or .jsonl");
  }
}

void run_recommend(const RecommendArguments& options, Session& session) {
  check(options);
  const Model model = load_model(session, options.model);
  const Ratings& ratings = model.ratings();
  Asking asking{model, recommend_options(options, ratings), std::nullopt};
  std::vector<std::string> users =
      options.users_file.empty() ? options.users : read_lines(options.users_file);
  if (!options.users_file.empty() && users.empty()) {
    throw Error(ErrorCode::bad_input, "the list of users is empty",
                {.file = options.users_file.string()});
  }
  for (const std::string& user : users) require_user(ratings, user);
  if (!options.profile.empty()) asking.profile = read_profile(options.profile, ratings);

  const bool many = options.all || !options.users_file.empty() || users.size() > 1;
  session.check_stopped();
  Output output(options, asking, session, many);
  if (asking.profile) {
    output.take(model.recommend_for(*asking.profile, asking.options));
  } else if (options.all) {
    model.recommend_all(
        asking.options, [&](const Recommendations& list) { output.take(list); }, session.run());
  } else {
    for (const Recommendations& list : model.recommend(users, asking.options, session.run())) {
      output.take(list);
    }
  }
  output.finish();
}

}  // namespace

void add_recommend(Tree& tree) {
  auto [command, options] = tree.add<RecommendArguments>(
      "recommend", "Recommend items to users, or to someone new.", run_recommend);
  add_model_argument(command, options.model);
  command.group("For whom");
  command.repeatable("--user", options.users, "ID", "A user of the data.");
  command.option("--users-file", options.users_file, "FILE", "Users, one id a line.");
  command.flag("--all", options.all, "Every user.");
  add_profile_option(command, options.profile);
  command.group("What");
  command.option("-n,--top", options.top, "Length of the list (10).");
  add_weight_options(command, options.weights);
  command.repeatable("--allow", options.allow, "ID", "Only this item, and others so named.");
  command.repeatable("--deny", options.deny, "ID", "Never this item.");
  command.option("--allow-file", options.allow_file, "FILE", "Only these items, one id a line.");
  command.option("--deny-file", options.deny_file, "FILE", "Never these items, one id a line.");
  command.flag("--include-seen", options.include_seen, "Also items that the user has rated.");
  command.group("Output");
  command.flag("--explain", options.explain, "Say for each item what its score is made of.");
  command.option("-o,--out", options.out, "FILE",
                 "Write the lists to a file: .csv or .jsonl (one JSON object a line).");
  command.example("palate recommend beers.palate --user ann --top 10 --weight taste=2",
                  "What ann may like, with taste counting double.");
  command.example("palate recommend beers.palate --all --top 20 --out lists.csv",
                  "Lists for everybody, in a file.");
}

}  // namespace palate::cli
