// A folder of SciPy matrices: NAME_tr_C.npz (train) and NAME_ts_C.npz (test), C = 0 being overall.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <regex>
#include <set>
#include <system_error>

#include "base/counted.hpp"
#include "core/ratings_data.hpp"
#include "io/import.hpp"
#include "io/npy.hpp"
#include "io/progress.hpp"
#include "palate/error.hpp"

namespace palate::io {
namespace {

namespace fs = std::filesystem;

struct Files {
  std::map<std::size_t, fs::path> train, test;  // by criterion
};

std::map<std::string, Files> find_files(const fs::path& folder) {
  static const std::regex pattern("(.*)_(tr|ts)_([0-9]{1,9})[.]npz");  // "YM_tr_0.npz"
  std::map<std::string, Files> out;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) {
    throw Error(ErrorCode::io, "cannot be read: " + error.message(), {folder.string()});
  }
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    std::smatch parts;
    if (!std::regex_match(name, parts, pattern)) continue;
    Files& files = out[parts[1]];
    (parts[2] == "tr" ? files.train : files.test)[std::stoul(parts[3])] = entry.path();
  }
  return out;
}

/// The one data set of the folder: the one called like the folder if there are several.
std::pair<std::string, Files> choose(const fs::path& folder) {
  std::map<std::string, Files> found = find_files(folder);
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(folder, ignored);
  const std::string own_name = (whole.has_filename() ? whole : whole.parent_path()).filename();
  if (const auto own = found.find(own_name); own != found.end()) return *own;
  if (found.size() == 1) return *found.begin();
  if (found.empty()) {
    throw Error(ErrorCode::bad_input, "the folder holds no matrices", {folder.string()},
                "expected NAME_tr_0.npz, NAME_tr_1.npz, ... and NAME_ts_0.npz, ...; for another "
                "format give the file itself");
  }
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const auto& [name, files] : found) names.push_back(name);
  throw Error(ErrorCode::bad_input,
              fmt::format("the folder holds several data sets: {}", fmt::join(names, ", ")),
              {folder.string()}, "give each a folder of its own");
}

void require_complete(const fs::path& folder, const std::string& name, const Files& files) {
  const auto missing = [&](const char* part, std::size_t criterion) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the file {}_{}_{}.npz is missing", name, part, criterion),
                {folder.string()}, "one matrix per criterion, counted from 0, is needed");
  };
  std::size_t criteria = 0;
  for (const auto* part : {&files.train, &files.test}) {
    if (!part->empty()) criteria = std::max(criteria, part->rbegin()->first + 1);
  }
  if (criteria > max_criteria) {
    throw Error(ErrorCode::too_large,
                fmt::format("{} criteria are more than the {} that fit", criteria, max_criteria),
                {folder.string()});
  }
  for (std::size_t c = 0; c < criteria; ++c) {
    if (!files.train.contains(c)) missing("tr", c);
    if (!files.test.empty() && !files.test.contains(c)) missing("ts", c);
  }
}

struct Published {
  std::string_view name;
  std::vector<std::string> criteria;
};

std::vector<std::string> criterion_names(const std::string& name, std::size_t count,
                                         const ReadOptions& options) {
  static const std::array<Published, 4> published = {{
      {"YM", {"overall", "visuals", "direction", "story", "acting"}},
      {"TA",
       {"overall", "value", "service", "rooms", "location", "cleanliness", "check-in", "business"}},
      {"TA_toy",
       {"overall", "value", "service", "rooms", "location", "cleanliness", "check-in", "business"}},
      {"BA", {"overall", "appearance", "aroma", "palate", "taste"}},
  }};
  std::vector<std::string> out = {"overall"};
  for (std::size_t c = 1; c < count; ++c) out.push_back(fmt::format("criterion{}", c));
  for (const Published& known : published) {
    if (known.name == name && known.criteria.size() == count) out = known.criteria;
  }
  if (!options.overall.empty()) out[0] = options.overall;
  if (!options.criteria.empty()) {
    if (options.criteria.size() + 1 != count) {
      throw Error(ErrorCode::usage, fmt::format("{} criteria are named, but the folder has {} "
                                                "besides overall",
                                                options.criteria.size(), count - 1));
    }
    std::copy(options.criteria.begin(), options.criteria.end(), out.begin() + 1);
  }
  if (const std::set<std::string> distinct(out.begin(), out.end()); distinct.size() != out.size()) {
    throw Error(ErrorCode::usage, "two criteria have the same name");
  }
  return out;
}

StringTable numbers_as_ids(std::size_t count) {
  std::vector<std::string> ids;
  ids.reserve(count);
  for (std::size_t k = 0; k < count; ++k) ids.push_back(std::to_string(k));
  return StringTable(ids);
}

/// Puts the matrices of one part side by side.
class PartReader {
 public:
  PartReader(const RatingRule& rule, ImportReport& report, std::vector<Criterion>& criteria)
      : rule_(rule), report_(report), criteria_(criteria) {}

  [[nodiscard]] std::shared_ptr<Ratings::Data> read(const std::map<std::size_t, fs::path>& files,
                                                    std::span<const CsrMatrix> matrices);

 private:
  void take(const fs::path& file, const CsrMatrix& matrix, std::size_t user, std::size_t criterion);
  void finish_user(std::size_t first, std::vector<std::uint32_t>& present);
  [[noreturn]] void fail(const fs::path& file, std::size_t user, std::int64_t item,
                         const std::string& message, const char* hint) const;

  const RatingRule& rule_;
  ImportReport& report_;
  std::vector<Criterion>& criteria_;
  std::vector<std::uint32_t> items_;  // of all users so far
  std::vector<float> values_;
  std::vector<float> scratch_;        // items x criteria, of one user
  std::vector<std::uint32_t> given_;  // which criteria of an item the user rated
};

void PartReader::fail(const fs::path& file, std::size_t user, std::int64_t item,
                      const std::string& message, const char* hint) const {
  throw Error(ErrorCode::bad_input, fmt::format("user {}, item {}: {}", user, item, message),
              {file.string()}, hint);
}

void PartReader::take(const fs::path& file, const CsrMatrix& matrix, std::size_t user,
                      std::size_t criterion) {
  for (auto k = static_cast<std::size_t>(matrix.indptr[user]);
       k < static_cast<std::size_t>(matrix.indptr[user + 1]); ++k) {
    const auto item = static_cast<std::size_t>(matrix.indices[k]);
    const RatingCell cell = rule_.of(matrix.data[k]);
    if (cell.missing()) {
      ++(cell.kind == Cell::zero ? report_.zeros_as_missing : report_.empty_as_missing);
      continue;
    }
    if (cell.kind != Cell::value) {
      fail(file, user, matrix.indices[k],
           rule_.reason(cell.kind, fmt::format("{}", matrix.data[k])), "");
    }
    const std::uint32_t bit = 1U << criterion;
    if ((given_[item] & bit) != 0) {
      fail(file, user, matrix.indices[k], "stored twice",
           "call sum_duplicates() or decide between them, then save again");
    }
    if (given_[item] == 0) items_.push_back(static_cast<std::uint32_t>(item));
    given_[item] |= bit;
    scratch_[item * criteria_.size() + criterion] = cell.value;
    Criterion& scale = criteria_[criterion];
    scale.min = scale.max < scale.min ? cell.value : std::min(scale.min, cell.value);
    scale.max = std::max(scale.max, cell.value);
  }
}

void PartReader::finish_user(std::size_t first, std::vector<std::uint32_t>& present) {
  const std::size_t width = criteria_.size();
  std::sort(items_.begin() + static_cast<std::ptrdiff_t>(first), items_.end());
  for (std::size_t k = first; k < items_.size(); ++k) {
    const std::size_t item = items_[k];
    present.push_back(given_[item]);
    given_[item] = 0;
    for (std::size_t c = 0; c < width; ++c) {
      values_.push_back(scratch_[item * width + c]);
      scratch_[item * width + c] = 0;
    }
  }
}

std::shared_ptr<Ratings::Data> PartReader::read(const std::map<std::size_t, fs::path>& files,
                                                std::span<const CsrMatrix> matrices) {
  const std::size_t users = matrices[0].rows;
  scratch_.assign(matrices[0].cols * criteria_.size(), 0.0F);
  given_.assign(matrices[0].cols, 0);
  items_.clear();
  values_.clear();
  std::vector<std::uint32_t> present;
  std::vector<std::uint64_t> offsets = {0};
  offsets.reserve(users + 1);
  for (std::size_t user = 0; user < users; ++user) {
    const std::size_t first = items_.size();
    for (std::size_t c = 0; c < matrices.size(); ++c) take(files.at(c), matrices[c], user, c);
    finish_user(first, present);
    offsets.push_back(items_.size());
  }
  auto data = std::make_shared<Ratings::Data>();
  data->offsets = std::move(offsets);
  data->items = std::move(items_);
  data->values = std::move(values_);
  data->present = std::move(present);
  return data;
}

std::size_t stored(std::span<const CsrMatrix> matrices) {
  std::size_t out = 0;
  for (const CsrMatrix& matrix : matrices) out += matrix.data.size();
  return out;
}

std::vector<CsrMatrix> load(const std::map<std::size_t, fs::path>& files, const CsrMatrix* like,
                            std::size_t done, std::size_t total, const RunOptions& run) {
  std::vector<CsrMatrix> out;
  out.reserve(files.size());
  for (const auto& [criterion, file] : files) {
    tell(run, done + criterion, total);
    out.push_back(read_csr(file));
    const CsrMatrix& first = like != nullptr ? *like : out.front();
    if (out.back().rows != first.rows || out.back().cols != first.cols) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("the matrix is {} x {}, the first one {} x {}", out.back().rows,
                              out.back().cols, first.rows, first.cols),
                  {file.string()}, "all matrices of a folder need the same users and items");
    }
  }
  return out;
}

// Every row and column becomes an id, and their number costs nothing to write into a file.
void require_rated(const CsrMatrix& first, std::size_t stored_ratings, const std::string& folder) {
  constexpr std::size_t always_allowed = 1'000'000;
  constexpr std::size_t most_per_rating = 10;
  const std::size_t most = std::max(always_allowed, most_per_rating * stored_ratings);
  if (std::max(first.rows, first.cols) <= most) return;
  throw Error(ErrorCode::too_large,
              fmt::format("matrices of {} x {} with {}", first.rows, first.cols,
                          counted(stored_ratings, "rating")),
              {folder}, "leave out rows and columns without ratings");
}

void refuse_columns(const ReadOptions& options, const std::string& folder) {
  if (options.user.empty() && options.item.empty() && options.time.empty() &&
      options.title.empty() && options.items_file.empty()) {
    return;
  }
  throw Error(ErrorCode::usage, "an npz folder has no columns for users, items, times or titles",
              {folder}, "only overall and the criteria can be named");
}

}  // namespace

Import read_npz_folder(const fs::path& path, const ReadOptions& options, const RunOptions& run) {
  refuse_columns(options, path.string());
  const auto [name, files] = choose(path);
  require_complete(path, name, files);
  const std::size_t total = files.train.size() + files.test.size();
  const std::vector<CsrMatrix> train = load(files.train, nullptr, 0, total, run);
  const std::vector<CsrMatrix> test =
      load(files.test, &train.front(), files.train.size(), total, run);
  require_rated(train.front(), stored(train) + stored(test), path.string());

  Import out;
  ImportReport& report = out.report;
  const RatingRule rule(options);
  auto catalogue = std::make_shared<Catalogue>();
  for (std::string& criterion : criterion_names(name, train.size(), options)) {
    report.criterion_columns.push_back(criterion);
    catalogue->criteria.push_back({std::move(criterion), 0.0F, -1.0F});  // max < min: nothing yet
  }
  PartReader parts(rule, report, catalogue->criteria);
  const auto train_data = parts.read(files.train, train);
  const auto test_data = test.empty() ? nullptr : parts.read(files.test, test);
  for (Criterion& criterion : catalogue->criteria) criterion.max = std::max(criterion.max, 0.0F);
  catalogue->users = numbers_as_ids(train.front().rows);
  catalogue->items = numbers_as_ids(train.front().cols);

  const std::shared_ptr<const Catalogue> shared = std::move(catalogue);
  train_data->catalogue = shared;
  out.ratings = Ratings(train_data);
  if (test_data) {
    test_data->catalogue = shared;
    out.test = Ratings(test_data);
  }
  if (out.ratings.interactions() == 0) {
    throw Error(ErrorCode::bad_input, "the train matrices hold no ratings", {path.string()});
  }
  tell(run, total, total);
  report.files = {path.string()};
  report.format = "npz";
  report.guessed = options.criteria.empty();
  report.duplicates_rule = options.duplicates;
  report.missing_rule = rule.sentence();
  report.rows = out.ratings.interactions() + (out.test ? out.test->interactions() : 0);
  report.kept = report.rows;
  report.notes.push_back(fmt::format("{}, {}; ids are row and column numbers from 0",
                                     counted(out.ratings.users(), "user"),
                                     counted(out.ratings.items(), "item")));
  report.notes.push_back(
      out.test ? fmt::format("train part: {} (user, item) pairs, {} ratings; test part: {} pairs, "
                             "{} ratings",
                             out.ratings.interactions(), stored(train), out.test->interactions(),
                             stored(test))
               : "there is a train part only");
  return out;
}

}  // namespace palate::io
