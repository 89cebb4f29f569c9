// What the commands read: ratings, their parts, models, profiles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "palate/palate.hpp"

namespace palate::cli {

struct DataOptions {
  std::filesystem::path path;
  ReadOptions read;
};

void add_data_argument(Command& command, std::filesystem::path& path);
void add_data_or_model_argument(Command& command, std::filesystem::path& path);
void add_model_argument(Command& command, std::filesystem::path& path);
/// The reading options; `path` is left to the command.
void add_read_options(Command& command, DataOptions& options);

struct Loaded {
  Ratings ratings;
  std::optional<Ratings> test;
  ImportReport report;
  double seconds = 0;
};

/// Reads, and tells the person which columns were guessed and which rows were set aside.
[[nodiscard]] Loaded load_data(Session& session, const DataOptions& options);

/// Throws with a hint if `path` is missing, a folder or a file of ratings.
[[nodiscard]] Model load_model(Session& session, const std::filesystem::path& path);

/// Throws Error{io} with the nearest names if there is nothing at `path`.
void require_exists(const std::filesystem::path& path);
/// The same for ratings, which may come from standard input, "-".
void require_data(Session& session, const std::filesystem::path& path);
/// Whether it is a model rather than ratings; throws as require_exists.
[[nodiscard]] bool is_model(const std::filesystem::path& path);

/// Opens a store that has to be there already: a mistyped name must not make an empty one.
[[nodiscard]] std::unique_ptr<RatingStore> open_existing_store(const std::string& where);
[[nodiscard]] std::unique_ptr<ApiKeys> open_existing_keys(const std::string& where);
[[nodiscard]] std::unique_ptr<AuditLog> open_existing_audit_log(const std::string& where);
/// For the audit log: the account of the system that runs the tool, and which command it is.
[[nodiscard]] Actor this_account(const std::string& command);

/// A store that is about to be filled. If its file is new and nothing has come into it in the end,
/// it is removed again.
class StoreToFill {
 public:
  explicit StoreToFill(std::string where);
  ~StoreToFill();
  StoreToFill(const StoreToFill&) = delete;
  StoreToFill& operator=(const StoreToFill&) = delete;

  [[nodiscard]] RatingStore& operator*() const noexcept { return *store_; }
  [[nodiscard]] RatingStore* operator->() const noexcept { return store_.get(); }

 private:
  std::string where_;
  bool is_new_;
  std::unique_ptr<RatingStore> store_;
};

/// Says what a copy of a store holds.
void print_copy(Session& session, const std::filesystem::path& written, const StoreCounts& counts,
                double seconds);

struct PartOptions {
  std::optional<SplitRule> rule;
  std::optional<double> test_share;
  std::uint64_t seed = 1;
  std::filesystem::path test;        ///< the test part in a file of its own
  std::optional<std::size_t> folds;  ///< instead of one test part
};

/// How to split.
void add_part_options(Command& command, PartOptions& options);
/// How to split, or which file to test on instead.
void add_test_options(Command& command, PartOptions& options);
[[nodiscard]] SplitOptions split_options(const PartOptions& options);

/// Ratings to test on, in a file of their own.
[[nodiscard]] Import load_test(Session& session, const Ratings& like, const DataOptions& source,
                               const std::filesystem::path& test);

/// Train and test: the test part that the data bring along, the one in `options.test`, or a split.
[[nodiscard]] Split take_parts(Session& session, const Loaded& data, const DataOptions& source,
                               const PartOptions& options);

/// Reads {"item": {"criterion": value}} or lines of item,criterion,value.
[[nodiscard]] Profile read_profile(const std::filesystem::path& path, const Ratings& ratings);

/// The lines of a file, without empty ones.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& path);
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Whether `path` can be written as CSV or .inter by its name (".gz" aside); throws else.
enum class Written { csv, inter };
[[nodiscard]] Written written_format(const std::filesystem::path& path, std::string_view option);
void write_ratings(const Ratings& ratings, const std::filesystem::path& path);

}  // namespace palate::cli
