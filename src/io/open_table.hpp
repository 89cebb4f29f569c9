// Which format is it? Opens a text file as a table.
#pragma once

#include <memory>
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

struct OpenOptions {
  Format format = Format::automatic;
  char delimiter = 0;  ///< 0: guessed
  /// Column names the caller gave; they decide how far a format without a header is searched for
  /// columns.
  std::vector<std::string> wanted = {};
  std::size_t max_bytes = 0;  ///< of text; 0: what fits into memory
  std::string delimiter_option = ReadOptionNames{}.delimiter;  ///< what a person calls it
};

[[nodiscard]] Table open_table(const std::filesystem::path& path, const OpenOptions& options,
                               const RunOptions& run);

}  // namespace palate::io
