// palate synth: made-up ratings that look like real ones.
#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct SynthArguments {
  SynthOptions synth;
  std::filesystem::path out, items_out;
  bool no_titles = false, no_times = false;
};

void write_items(const Ratings& ratings, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.write("item,title\n");
  for (std::uint32_t i = 0; i < ratings.items(); ++i) {
    file.write(csv_field(ratings.item_id(i)) + "," + csv_field(ratings.item_title(i)) + "\n");
  }
  file.commit();
}

void run_synth(SynthArguments& options, Session& session) {
  static_cast<void>(written_format(options.out, "--out"));
  options.synth.titles = !options.no_titles;
  options.synth.times = !options.no_times;
  session.stage("making up ratings");
  const Ratings ratings = synthesize(options.synth);
  session.stage("writing");
  write_ratings(ratings, options.out);
  if (!options.items_out.empty()) write_items(ratings, options.items_out);
  if (session.json()) {
    Json document = {{"out", options.out.string()}, {"seed", options.synth.seed}};
    document["data"] = to_json(ratings);
    print_json(session, document);
    return;
  }
  session.print(fmt::format("wrote {}: {} by {} of {}, seed {}\n", printable(options.out.string()),
                            counted(ratings.interactions(), "rating"),
                            counted(ratings.users(), "user"), counted(ratings.items(), "item"),
                            options.synth.seed));
}

}  // namespace

void add_synth(Tree& tree) {
  auto [command, options] = tree.add<SynthArguments>(
      "synth", "Make up realistic ratings, for a trial or a test.", run_synth);
  SynthOptions& synth = options.synth;
  command.option("-o,--out", options.out, "FILE",
                 "Where to write: .csv or .inter, with .gz to compress.", Need::required);
  command.option("--items-out", options.items_out, "FILE", "Where to write item titles, as CSV.");
  command.option("--users", synth.users, fmt::format("How many users ({}).", synth.users));
  command.option("--items", synth.items, fmt::format("How many items ({}).", synth.items));
  command.option("--ratings-per-user", synth.ratings_per_user,
                 fmt::format("Mean number per user ({}).", synth.ratings_per_user));
  command.list("--criteria", synth.criteria, "A,B,C",
               fmt::format("Criteria besides overall ({}).", join(synth.criteria, ",")));
  command.option("--missing", synth.missing,
                 fmt::format("Share of criterion ratings left out ({}).", synth.missing));
  command.option("--skew", synth.popularity_skew,
                 fmt::format("How uneven popularity is: 0 not at all, 1 like Zipf ({}).",
                             synth.popularity_skew));
  command.option("--tastes", synth.taste_groups,
                 fmt::format("Latent tastes ({}).", synth.taste_groups));
  command.option("--noise", synth.noise,
                 fmt::format("Standard deviation of a rating around its taste ({}).", synth.noise));
  command.flag("--no-titles", options.no_titles, "Leave titles out.");
  command.flag("--no-times", options.no_times, "Leave times out.");
  command.option("--seed", synth.seed, "The same seed gives the same ratings (1).");
  command.example("palate synth --out restaurants.csv --seed 7", "Ratings of made-up restaurants.");
  command.example(
      "palate synth --out big.inter.gz --users 50000 --items 8000 --criteria plot,acting",
      "A larger set with criteria of your own.");
}

}  // namespace palate::cli
