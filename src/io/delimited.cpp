#include "io/delimited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>

#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate::io {

namespace {

bool is_blank(char ch) { return ch == ' ' || ch == '\t'; }

/// Whether a field that starts or ends with it may have to be cut there, or be in quotes.
bool is_special(char ch) { return static_cast<unsigned char>(ch) <= '"'; }

/// As spreadsheets write rows that once held something.
bool all_empty(const std::vector<std::string_view>& fields) {
  return fields.front().empty() &&
         std::all_of(fields.begin(), fields.end(), [](auto field) { return field.empty(); });
}

}  // namespace

RecordScanner::RecordScanner(std::string_view text, char delimiter, Quoting quoting)
    : p_(text.data()),
      end_(text.data() + text.size()),
      marks_(text, delimiter),
      delimiter_(delimiter),
      quoting_(quoting) {}

std::string_view RecordScanner::unquoted_field() {
  const char* const start = p_;
  p_ = marks_.next();
  std::string_view field(start, static_cast<std::size_t>(p_ - start));
  if (field.empty() || !(is_special(field.front()) || is_special(field.back()))) return field;
  if ((p_ == end_ || *p_ == '\n') && field.back() == '\r') field.remove_suffix(1);
  if (quoting_ == Quoting::none) return field;
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  return field;
}

// On entry p_ is at the opening quote; on leaving at the delimiter, the line's end or the end.
std::string_view RecordScanner::quoted_field(int number) {
  const char* piece = ++p_;
  std::string* joined = nullptr;
  for (;;) {
    while (p_ != end_ && *p_ != '"') {
      if (*p_ == '\n') ++line_;
      ++p_;
    }
    if (p_ == end_) {
      cut_off_ = true;
      return {};
    }
    const std::string_view text(piece, static_cast<std::size_t>(p_ - piece));
    ++p_;
    const bool doubled = p_ != end_ && *p_ == '"';
    if (doubled && joined == nullptr) joined = &unescaped_.emplace_back();
    if (joined != nullptr) joined->append(text);
    if (!doubled) {
      marks_.skip_to(p_);
      const std::string_view rest = unquoted_field();
      if (!rest.empty() && stray_field_ == 0) stray_field_ = number;
      return joined != nullptr ? std::string_view(*joined) : text;
    }
    joined->push_back('"');
    piece = ++p_;
  }
}

bool RecordScanner::next(std::vector<std::string_view>& fields) {
  if (!unescaped_.empty()) unescaped_.clear();
  stray_field_ = 0;
  while (p_ != end_) {
    fields.clear();
    record_line_ = line_;
    bool quoted = false;
    for (;;) {
      const char* first = p_;
      if (quoting_ == Quoting::rfc4180) {
        while (delimiter_ != ' ' && first != end_ && *first == ' ') ++first;
      }
      if (quoting_ == Quoting::rfc4180 && first != end_ && *first == '"') {
        p_ = first;
        quoted = true;
        fields.push_back(quoted_field(static_cast<int>(fields.size()) + 1));
        if (cut_off_) return false;
      } else {
        fields.push_back(unquoted_field());
      }
      if (p_ == end_ || *p_ == '\n') break;
      ++p_;  // the delimiter
    }
    if (p_ != end_) {
      ++p_;
      ++line_;
    }
    const bool blank = fields.size() == 1 && fields[0].empty() && !quoted;
    if (!blank) return true;
  }
  return false;
}

char named_delimiter(std::string_view text) {
  constexpr std::string_view start = "sep=";
  if (text.size() < start.size() + 2 || lowered(text.substr(0, start.size())) != start) return 0;
  const char end = text[start.size() + 1];
  const char delimiter = text[start.size()];
  return (end == '\n' || end == '\r') && delimiter != '\n' ? delimiter : '\0';
}

char guess_delimiter(std::string_view text) {
  if (const char named = named_delimiter(text); named != 0) return named;
  constexpr std::array candidates = {',', ';', '\t', '|'};
  constexpr std::size_t lines = 20;
  const std::string_view head = text.substr(0, std::size_t{1} << 18);
  char best = ',';
  std::size_t best_score = 0;
  for (const char candidate : candidates) {
    RecordScanner scanner(head, candidate, Quoting::rfc4180);
    std::vector<std::string_view> fields;
    if (!scanner.next(fields) || fields.size() < 2) continue;
    const std::size_t width = fields.size();
    std::size_t rows = 0;
    std::size_t even = 0;
    while (rows < lines && scanner.next(fields)) {
      ++rows;
      if (fields.size() == width) ++even;
    }
    // Evenness first, then the number of columns.
    const std::size_t share = rows == 0 ? 100 : 100 * even / rows;
    const std::size_t score = share * 1000 + std::min<std::size_t>(width, 999);
    if (score > best_score) {
      best_score = score;
      best = candidate;
    }
  }
  return best;
}

DelimitedReader::DelimitedReader(const Source& source, char delimiter, Quoting quoting, bool typed,
                                 const std::string& delimiter_option)
    : source_(source),
      scanner_(source.text(), delimiter, quoting),
      first_row_(scanner_),
      delimiter_(delimiter),
      quoting_(quoting) {
  read_header(typed, delimiter_option);
  first_row_ = scanner_;
}

void DelimitedReader::fail_cut_off() const {
  throw Error(ErrorCode::bad_input,
              "the file is cut off: it ends within quotes, in the row that starts here",
              {source_.name(), scanner_.line()},
              "close the quote, double a quote that is part of the text, or copy the file again");
}

/// What to do about a header that is one column.
std::string one_column_hint(std::string_view header, const std::string& delimiter_option) {
  constexpr std::string_view needed = "a user, an item and a rating column are needed";
  if (header.find("::") != std::string_view::npos) {
    return fmt::format(
        "{}; '::' cannot divide them: sed 's/::/\\t/g' old > new.tsv, and a header line on top",
        needed);
  }
  return fmt::format("{}; if the columns are divided by another character, give it with {}", needed,
                     delimiter_option);
}

void DelimitedReader::read_header(bool typed, const std::string& delimiter_option) {
  // Before the header, where the text begins with it: a line for spreadsheets alone.
  if (named_delimiter(source_.text()) != 0) scanner_.next(fields_);
  if (!scanner_.next(fields_)) {
    if (scanner_.cut_off()) fail_cut_off();
    throw Error(ErrorCode::bad_input, "there is no header line", {source_.name(), 1});
  }
  const Where where{source_.name(), scanner_.line()};
  std::size_t numbers = 0;
  std::set<std::string, std::less<>> names;
  for (const std::string_view field : fields_) {
    if (!valid_utf8(field)) {
      throw Error(ErrorCode::bad_input, "the header is not valid UTF-8", where,
                  "convert the file, for example: iconv -f latin1 -t utf-8");
    }
    std::string_view name = trimmed(field);
    std::string_view type;
    const std::size_t colon = typed ? name.rfind(':') : std::string_view::npos;
    if (colon != std::string_view::npos) {
      type = name.substr(colon + 1);
      name = name.substr(0, colon);
    }
    double number = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (!name.empty() && error == std::errc() && stop == name.data() + name.size()) ++numbers;
    if (!name.empty() && !names.emplace(name).second) {
      throw Error(ErrorCode::bad_input, fmt::format("two columns are called '{}'", name), where,
                  "rename or remove one of them");
    }
    columns_.push_back({std::string(name), std::string(type)});
  }
  if (columns_.size() == 1) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the header has one column only: {}", shown(columns_[0].name)), where,
                one_column_hint(columns_[0].name, delimiter_option));
  }
  // MovieLens' u.data and the like: taking the first rating for names would lose it silently.
  if (numbers >= 2 && numbers * 2 >= columns_.size()) {
    throw Error(ErrorCode::bad_input, "the first line holds data, not column names", where,
                delimiter_ == '\t'
                    ? "put a header line on top, such as user, item and overall with a "
                      "tab between them"
                    : fmt::format("put a header line on top, such as user{0}item{0}"
                                  "overall",
                                  delimiter_));
  }
}

bool DelimitedReader::next(Row& row) {
  do {
    if (!scanner_.next(fields_)) {
      if (scanner_.cut_off() && !sought_) fail_cut_off();
      return false;
    }
  } while (all_empty(fields_));
  row.line = scanner_.line();
  row.problem.clear();
  row.problem_column = 0;
  if (fields_.size() != columns_.size()) {
    row.problem = fmt::format("{} fields where the header has {}", fields_.size(), columns_.size());
  } else if (scanner_.stray_field() != 0) {
    row.problem = "text after the closing quote";
    row.problem_column = scanner_.stray_field();
  }
  row.fields = fields_;
  return true;
}

void DelimitedReader::seek(std::uint64_t position) {
  const std::string_view text = source_.text();
  const std::size_t end = text.find('\n', std::min<std::size_t>(position, text.size()));
  scanner_ = RecordScanner(text.substr(std::min(end, text.size() - 1) + 1), delimiter_, quoting_);
  sought_ = true;
}

std::uint64_t DelimitedReader::position() const noexcept {
  return static_cast<std::uint64_t>(scanner_.position() - source_.text().data());
}

}  // namespace palate::io
