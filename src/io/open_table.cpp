#include "io/open_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/delimited.hpp"
#include "io/jsonl.hpp"
#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate::io {
namespace {

/// The extension below ".gz", in lower case.
std::string extension(std::filesystem::path path) {
  if (lowered(path.extension().string()) == ".gz") path = path.stem();
  return lowered(path.extension().string());
}

Format by_name(const std::filesystem::path& path) {
  const std::string end = extension(path);
  if (end == ".csv") return Format::csv;
  if (end == ".tsv" || end == ".tab") return Format::tsv;
  if (end == ".inter" || end == ".item" || end == ".user") return Format::inter;
  if (end == ".jsonl" || end == ".ndjson" || end == ".json") return Format::jsonl;
  return Format::automatic;
}

/// Whether every name of the header ends in a type of RecBole's.
bool typed_header(std::string_view text, char delimiter) {
  RecordScanner scanner(text, delimiter, Quoting::none);
  std::vector<std::string_view> fields;
  if (!scanner.next(fields)) return false;
  return std::all_of(fields.begin(), fields.end(), [](std::string_view field) {
    field = trimmed(field);
    return field.ends_with(":token") || field.ends_with(":float") ||
           field.ends_with(":token_seq") || field.ends_with(":float_seq");
  });
}

bool has_tab(std::string_view text) {
  return text.substr(0, text.find('\n')).find('\t') != std::string_view::npos;
}

std::string_view delimiter_name(char delimiter) {
  switch (delimiter) {
    case '\t':
      return "a tab";
    case ';':
      return "';'";
    case '|':
      return "'|'";
    case ',':
      return "','";
    default:
      return "the one given";
  }
}

}  // namespace

Table open_table(const std::filesystem::path& path, const OpenOptions& options,
                 const RunOptions& run) {
  Format format = options.format;
  char delimiter = options.delimiter;
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r') {
    throw Error(ErrorCode::usage, "a quote or a line end cannot be the delimiter", {},
                "use , ; | or a tab");
  }
  if (format == Format::npz) {
    throw Error(ErrorCode::unsupported, "npz matrices are read as a whole folder", {path.string()});
  }
  Table table;
  table.source = std::make_unique<Source>(Source::load(path, run, options.max_bytes));
  const std::string_view text = table.source->text();

  const bool automatic = format == Format::automatic;
  if (automatic) format = by_name(path);
  if (format == Format::automatic && trimmed(text.substr(0, 4096)).starts_with('{')) {
    format = Format::jsonl;
  }
  std::string_view name;
  if (format == Format::jsonl) {
    name = "jsonl";
    table.rows = std::make_unique<JsonlReader>(*table.source, options.wanted);
  } else {
    const bool guess = delimiter == 0 && format != Format::tsv;
    if (delimiter == 0 && format == Format::tsv) delimiter = '\t';
    if (delimiter == 0 && format == Format::inter && has_tab(text)) delimiter = '\t';
    if (delimiter == 0) delimiter = guess_delimiter(text);
    if (automatic && typed_header(text, delimiter)) format = Format::inter;
    table.typed = format == Format::inter;
    const Quoting quoting = table.typed ? Quoting::none : Quoting::rfc4180;
    name = table.typed ? "inter" : delimiter == '\t' ? "tsv" : "csv";
    table.rows = std::make_unique<DelimitedReader>(*table.source, delimiter, quoting, table.typed,
                                                   options.delimiter_option);
    const char usual = name == "csv" ? ',' : '\t';
    if (guess && delimiter != usual) {
      table.notes.push_back(
          fmt::format("the columns are divided by {}", delimiter_name(delimiter)));
    }
  }
  table.format = table.source->gzip() ? fmt::format("{} (gzip)", name) : std::string(name);
  return table;
}

}  // namespace palate::io
