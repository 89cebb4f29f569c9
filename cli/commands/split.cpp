// palate split: train, test and validation parts as files.
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

namespace palate::cli {
namespace fs = std::filesystem;
namespace {

struct SplitArguments {
  DataOptions data;
  PartOptions parts;
  double validation = 0;
  fs::path out_dir;
  std::string type = "csv";
};

class Writer {
 public:
  Writer(const SplitArguments& options, Session& session) : options_(options), session_(session) {}

  void write(const Split& parts, const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
      throw Error(ErrorCode::io, fmt::format("cannot make the folder: {}", error.message()),
                  {.file = folder.string()});
    }
    write(parts.train, folder / "train");
    write(parts.test, folder / "test");
    if (parts.validation) write(*parts.validation, folder / "validation");
  }

  void finish() const {
    if (session_.json()) {
      print_json(session_, {{"files", files_}, {"seed", options_.parts.seed}});
      return;
    }
    Table table({{"file"}, {"interactions", true}});
    for (const Json& file : files_) {
      table.row({printable(file["file"].get<std::string>()),
                 grouped(file["interactions"].get<std::size_t>())});
    }
    session_.print(table.text(session_.out));
  }

 private:
  void write(const Ratings& ratings, fs::path path) {
    path += "." + options_.type;
    session_.stage("writing");
    write_ratings(ratings, path);
    files_.push_back({{"file", path.string()}, {"interactions", ratings.interactions()}});
  }

  const SplitArguments& options_;
  Session& session_;
  Json files_ = Json::array();
};

void run_split(const SplitArguments& options, Session& session) {
  SplitOptions how = split_options(options.parts);
  how.validation = options.validation;
  if (!(how.validation >= 0 && how.validation < 1)) {
    throw wrong_call("--validation must lie between 0 and 1");
  }
  if (options.parts.folds &&
      (options.parts.rule || options.parts.test_share || how.validation > 0)) {
    throw wrong_call("--folds does not go with --split, --test-share or --validation");
  }
  const Loaded data = load_data(session, options.data);
  if (data.test) {
    session.note("the folder has its own test part; only its train part is split\n");
  }
  Writer writer(options, session);
  if (options.parts.folds) {
    const std::vector<Split> all = folds(data.ratings, *options.parts.folds, options.parts.seed);
    for (std::size_t k = 0; k < all.size(); ++k) {
      writer.write(all[k], options.out_dir / fmt::format("fold-{}", k + 1));
    }
  } else {
    writer.write(split(data.ratings, how), options.out_dir);
  }
  writer.finish();
}

}  // namespace

void add_split(Tree& tree) {
  auto [command, options] = tree.add<SplitArguments>(
      "split", "Split ratings into train, test and validation files.", run_split);
  add_data_argument(command, options.data.path);
  command.option("-o,--out-dir", options.out_dir, "DIR", "Folder for the parts; made if needed.",
                 Need::required);
  add_part_options(command, options.parts);
  command.option("--validation", options.validation,
                 "Share of what is left of train that goes to a validation part (0: none).");
  command.option("--folds", options.parts.folds,
                 "Instead: so many disjoint test parts, each with its train part.");
  command.choice(
      "--as", options.type,
      {{"csv", "csv"}, {"inter", "inter"}, {"csv.gz", "csv.gz"}, {"inter.gz", "inter.gz"}},
      "Type of the files (csv).");
  add_read_options(command, options.data);
  command.example("palate split beers.csv --out-dir parts --test-share 0.2 --validation 0.1",
                  "A random fifth of each user's ratings to test on.");
  command.example("palate split beers.csv --out-dir parts --split time",
                  "Test on the newest ratings.");
}

}  // namespace palate::cli
