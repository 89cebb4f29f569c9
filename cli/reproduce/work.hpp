// The cells of a run, and how each kind is computed.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "reproduce/cells.hpp"
#include "reproduce/published.hpp"

namespace palate::cli::reproduce {

/// Data sets below a folder, read when they are first needed; one is kept at a time.
class DataFolder {
 public:
  explicit DataFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool has(std::string_view name) const;
  /// Throws Error{bad_input} if the data have no test part.
  [[nodiscard]] const Split& parts(Session& session, const std::string& name);

 private:
  std::filesystem::path folder_;
  std::string name_;
  Split parts_;
};

/// Every cell of the data sets that are there. `folder` must outlive them.
[[nodiscard]] std::vector<Cell> cells_of(Session& session, DataFolder& folder);

}  // namespace palate::cli::reproduce
