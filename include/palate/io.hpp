// Foreign formats in and out. Implemented in src/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palate/ratings.hpp"
#include "palate/run.hpp"

#pragma GCC visibility push(default)
namespace palate {

enum class Format {
  automatic,  ///< by name and content
  csv,
  tsv,
  inter,  ///< RecBole atomic file: typed header "user_id:token<TAB>item_id:token<TAB>rating:float"
  jsonl,  ///< one JSON object a line
  npz,    ///< a folder of SciPy CSR matrices NAME_tr_C.npz and NAME_ts_C.npz
};

struct ReadOptions {
  Format format = Format::automatic;
  /// Column names. An empty name, or an empty list of criteria, is guessed; the report says how.
  /// For an npz folder `overall` and `criteria` name the matrices in file order.
  std::string user = {}, item = {}, overall = {}, time = {}, title = {};
  std::vector<std::string> criteria = {};  ///< besides overall
  char delimiter = 0;                      ///< 0: by format, or guessed among , ; tab |
  std::filesystem::path items_file =
      {};  ///< a second file (CSV, TSV, .item, JSONL) with item titles
  std::string items_id = {}, items_title = {};  ///< its columns; empty: guessed
  Duplicates duplicates = Duplicates::last;
  /// Whether a literal 0 means "not rated". An empty field always does.
  bool zero_is_missing = true;
  /// Further words that mean "not rated", compared without case.
  std::vector<std::string> missing_words = {"na", "nan", "n/a", "null", "none", "-"};
  bool strict = false;              ///< throw on the first bad row
  std::size_t max_bad_rows = 1000;  ///< more than this many: throw
};

struct BadRow {
  std::string file = {};
  std::int64_t line = 0;
  int column = 0;          ///< 1-based field number; 0 if the row as a whole is bad
  std::string field = {};  ///< column name; may be empty
  std::string reason = {};
};

/// What a reader did, in full. `text()` is for a person.
struct ImportReport {
  std::vector<std::string> files = {};
  std::string format = {};  ///< "csv", "csv (gzip)", ...
  std::string user_column = {}, item_column = {}, time_column = {}, title_column = {};
  std::vector<std::string> criterion_columns = {};  ///< overall first
  std::vector<std::string> ignored_columns = {};
  bool guessed = false;  ///< some column was guessed rather than named
  std::size_t rows = 0;  ///< data rows read, bad ones included
  std::size_t kept = 0;  ///< interactions in the result
  std::size_t duplicates = 0;
  Duplicates duplicates_rule = Duplicates::last;
  std::string missing_rule = {};  ///< one sentence: what counted as "not rated"
  std::size_t zeros_as_missing = 0;
  std::size_t empty_as_missing = 0;
  std::size_t bad_rows = 0;
  std::vector<BadRow> first_bad_rows = {};  ///< at most 100 of them
  std::vector<std::string> notes = {};      ///< anything else worth a sentence

  [[nodiscard]] std::string text() const;
};

struct Import {
  Ratings ratings = {};              ///< the train part where the source is split already
  std::optional<Ratings> test = {};  ///< npz folders; same catalogue as `ratings`
  ImportReport report = {};
};

/// Reads a file or an npz folder; gzip is recognised. Throws Error{bad_input} for a file that is
/// empty, binary, cut off or without a rating column, Error{io} for one that cannot be read.
[[nodiscard]] Import read(const std::filesystem::path& path, const ReadOptions& options = {},
                          const RunOptions& run = {});

/// Reads a further file against the catalogue of `like` (same criteria, same columns): for a test
/// part that lies in its own file. Users and items that `like` does not know are counted in the
/// report and left out.
[[nodiscard]] Import read_like(const Ratings& like, const std::filesystem::path& path,
                               const ReadOptions& options = {}, const RunOptions& run = {});

/// What a column may be, and how well its name fits: 0 not at all, else the higher the better.
/// `read` guesses columns by it, and so may whoever has a table of another kind.
enum class ColumnRole { user, item, overall, time, title };
[[nodiscard]] int column_fit(ColumnRole role, std::string_view name);
/// Whether the name says that the numbers below it are not ratings: ids, counts, prices, years.
[[nodiscard]] bool never_a_rating(std::string_view name);

/// Write all of it under a temporary name, then rename. ".gz" at the end of the name compresses.
void write_csv(const Ratings& ratings, const std::filesystem::path& path);
/// user_id:token, item_id:token, rating:float, one float column per further criterion, timestamp.
void write_inter(const Ratings& ratings, const std::filesystem::path& path);

}  // namespace palate
#pragma GCC visibility pop
