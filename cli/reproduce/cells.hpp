// Results that are computed once and kept in files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json.hpp"
#include "session.hpp"

namespace palate::cli::reproduce {

/// The parts of a run, as --only names them.
enum class Part { accuracy, ablation, filters, powers, maps, scaling };
[[nodiscard]] std::string_view name_of(Part part);

struct Cell {
  Part part = Part::accuracy;
  std::string data;  ///< name of the data set, or of a size of the scaling series
  std::string what;  ///< method, variant, filter; unique within part and data
  Json asked;        ///< what it depends on: a cell that was asked for otherwise is computed anew
  std::function<Json(Session&)> compute;

  [[nodiscard]] std::string name() const;
};

/// The words of --only: parts, data sets, methods. A cell is meant if of each kind that is named
/// one word fits; no words mean everything.
class Only {
 public:
  /// Throws Error{usage} for a word that is none of them.
  explicit Only(const std::vector<std::string>& words);
  [[nodiscard]] bool means(const Cell& cell) const;

 private:
  std::vector<std::string> parts_, data_, methods_;
};

/// A folder of cells. A file is whole or not there.
class CellFolder {
 public:
  explicit CellFolder(std::filesystem::path folder);

  /// What was computed for the same question; none if there is nothing, or for another one.
  [[nodiscard]] std::optional<Json> find(const Cell& cell) const;
  void keep(const Cell& cell, Json result) const;

 private:
  [[nodiscard]] std::filesystem::path path(const Cell& cell) const;
  std::filesystem::path folder_;
};

}  // namespace palate::cli::reproduce
