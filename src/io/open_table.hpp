// Which format is it? Opens a text file as a table.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/row_reader.hpp"
#include "io/source.hpp"
#include "palate/io.hpp"

namespace palate::io {

struct Table {
  std::unique_ptr<Source> source;
  std::unique_ptr<RowReader> rows;
  std::string format;  ///< "csv", "csv (gzip)", ...
  bool typed = false;  ///< the header declares types
  std::vector<std::string> notes;
};

/// `wanted`: column names the caller gave; they decide how far a format without a header is
/// searched for columns.
[[nodiscard]] Table open_table(const std::filesystem::path& path, Format format, char delimiter,
                               std::span<const std::string> wanted);

}  // namespace palate::io
