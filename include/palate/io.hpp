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

/// What a person calls the options of reading, so that a message can say which one helps. A front
/// end puts its own names here.
struct ReadOptionNames {
  std::string user = "ReadOptions::user";
  std::string item = "ReadOptions::item";
  std::string overall = "ReadOptions::overall";
  std::string criteria = "ReadOptions::criteria";
  std::string time = "ReadOptions::time";
  std::string title = "ReadOptions::title";
  std::string delimiter = "ReadOptions::delimiter";
  std::string items_id = "ReadOptions::items_id";
  std::string items_title = "ReadOptions::items_title";
  std::string zero_is_a_rating = "ReadOptions::zero_is_missing = false";
  std::string missing_word = "ReadOptions::missing_words";
  std::string highest = "ReadOptions::highest";
  std::string max_bad_rows = "ReadOptions::max_bad_rows";
};

/// Words that mean "not rated" in what spreadsheets, databases and data frames write.
[[nodiscard]] std::vector<std::string> usual_missing_words();

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
  /// Words that mean "not rated", compared without case. A number among them counts by its value.
  std::vector<std::string> missing_words = usual_missing_words();
  bool strict = false;              ///< throw on the first bad row
  std::size_t max_bad_rows = 1000;  ///< more than this many: throw
  /// The highest rating there can be; a row with a higher one is bad. 0: a row is bad if one of its
  /// ratings lies far above all others of its column (docs/file-formats.md has the rule).
  double highest = 0;
  /// More text than this, unpacked, is Error{too_large}; 0: as much as fits into memory.
  std::size_t max_bytes = 0;
  ReadOptionNames names = {};
};

struct BadRow {
  std::string file = {};
  std::int64_t line = 0;
  int column = 0;          ///< 1-based field number; 0 if the row as a whole is bad
  std::string field = {};  ///< column name; may be empty
  std::string reason = {};
};

struct IgnoredColumn {
  std::string name = {};
  std::string reason = {};  ///< a few words: "text", "only 0 and 1"
};

/// What a reader did, in full. `text()` is for a person.
struct ImportReport {
  std::vector<std::string> files = {};
  std::string format = {};  ///< "csv", "csv (gzip)", ...
  std::string user_column = {}, item_column = {}, time_column = {}, title_column = {};
  std::vector<std::string> criterion_columns = {};  ///< overall first
  std::vector<IgnoredColumn> ignored_columns = {};
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
  /// What may have gone wrong and what to do then, a sentence each: to be shown to whoever reads
  /// ratings on the way to something else, too.
  std::vector<std::string> advice = {};
  std::vector<std::string> notes = {};  ///< anything else worth a sentence

  [[nodiscard]] std::string text() const;
  /// Which of several rows of a pair counted, in words: "the newest counts".
  [[nodiscard]] std::string duplicates_text() const;
};

struct Import {
  Ratings ratings = {};              ///< the train part where the source is split already
  std::optional<Ratings> test = {};  ///< npz folders; same catalogue as `ratings`
  ImportReport report = {};
};

/// Reads a file or an npz folder, or standard input for "-"; gzip is recognised. Throws
/// Error{bad_input} for a file that is empty, binary, cut off or without a rating column, Error{io}
/// for one that cannot be read.
[[nodiscard]] Import read(const std::filesystem::path& path, const ReadOptions& options = {},
                          const RunOptions& run = {});

/// Reads a further file against the catalogue of `like` (same criteria, same columns): for a test
/// part that lies in its own file. Users and items that `like` does not know are counted in the
/// report and left out.
[[nodiscard]] Import read_like(const Ratings& like, const std::filesystem::path& path,
                               const ReadOptions& options = {}, const RunOptions& run = {});

/// What a column may be, and how well its name fits: 0 not at all, else the higher the better.
enum class ColumnRole { user, item, overall, time, title };
[[nodiscard]] int column_fit(ColumnRole role, std::string_view name);

/// Which column of a table is what, by name; empty where there is none.
struct ColumnRoles {
  std::string user = {}, item = {}, overall = {}, time = {}, title = {};
  std::vector<std::string> criteria = {};  ///< besides overall
  /// Above it a value is an outlier: for overall and each of `criteria`.
  std::vector<float> highest = {};
  std::vector<IgnoredColumn> ignored = {};
  std::vector<std::string> advice = {};
};

/// Guesses as `read` does, for whoever has a table of another kind. `cells` has the same rows of
/// each column, as text; some thousands of rows spread over the table are enough.
[[nodiscard]] ColumnRoles guess_columns(const std::vector<std::string>& names,
                                        const std::vector<std::vector<std::string>>& cells,
                                        const ReadOptions& options = {});

/// Write all of it under a temporary name, then rename. ".gz" at the end of the name compresses.
void write_csv(const Ratings& ratings, const std::filesystem::path& path);
/// user_id:token, item_id:token, rating:float, one float column per further criterion, timestamp.
void write_inter(const Ratings& ratings, const std::filesystem::path& path);

}  // namespace palate
#pragma GCC visibility pop
