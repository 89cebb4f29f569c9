#include "io/jsonl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate::io {
namespace {

constexpr std::size_t keys_from_rows = 1000;
constexpr std::size_t most_columns = 10'000;

}  // namespace

/// Walks one object and hands each scalar to `sink(path, text)`. Arrays, and objects deeper than
/// one level, are passed over.
class JsonlReader::Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Sink = std::function<void(const std::string& path, std::string_view text)>;
  explicit Handler(Sink sink) : sink_(std::move(sink)) {}

  bool null() override { return scalar({}); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override { return number(value); }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return scalar(text);
  }
  bool string(string_t& value) override { return scalar(value); }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override {
    if (arrays_ > 0) return true;
    if (++objects_ == 2) prefix_ = key_ + ".";
    return true;
  }
  bool end_object() override {
    if (arrays_ > 0) return true;
    if (--objects_ == 1) prefix_.clear();
    return true;
  }
  bool key(string_t& value) override {
    if (arrays_ == 0 && objects_ <= 2) key_ = value;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (objects_ == 0) problem_ = "not a JSON object";
    ++arrays_;
    return objects_ > 0;
  }
  bool end_array() override {
    --arrays_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& /*error*/) override {
    problem_ = fmt::format("not valid JSON at character {}, near {}", position, shown(token));
    return false;
  }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  bool scalar(std::string_view text) {
    if (objects_ == 0) {
      problem_ = "not a JSON object";
      return false;
    }
    if (arrays_ > 0 || objects_ > 2) return true;
    path_.assign(prefix_);
    path_ += key_;
    sink_(path_, text);
    return true;
  }
  template <class T>
  bool number(T value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return scalar({digits, static_cast<std::size_t>(end - digits)});
  }

  Sink sink_;
  std::string prefix_, key_, path_, problem_;
  int objects_ = 0;
  int arrays_ = 0;
};

JsonlReader::JsonlReader(const Source& source, std::span<const std::string> wanted)
    : source_(source) {
  if (trimmed(source.text()).starts_with('[')) {
    throw Error(ErrorCode::bad_input, "this is one JSON array, not JSON lines", {source.name(), 1},
                "write one object a line, for example: jq -c '.[]' < old > new");
  }
  collect_columns(keys_from_rows);
  const auto known = [&](const std::string& name) {
    return name.empty() || std::ranges::count(columns_, name, &Column::name) > 0;
  };
  if (!std::ranges::all_of(wanted, known)) {
    collect_columns(source.text().size());
  }
  rewind();
}

// A nested key goes by its own name ("service") unless another column has it: then by its path.
void JsonlReader::collect_columns(std::size_t most_rows) {
  rewind();
  std::vector<std::string> paths;
  std::unordered_set<std::string> seen;
  std::string_view line;
  std::int64_t number = 0;
  for (std::size_t row = 0; row < most_rows && next_line(line, number); ++row) {
    Handler handler([&](const std::string& path, std::string_view /*text*/) {
      if (seen.size() < most_columns && seen.insert(path).second) paths.push_back(path);
    });
    nlohmann::json::sax_parse(line.begin(), line.end(), &handler);
  }
  std::unordered_map<std::string, int> uses;
  const auto leaf = [](const std::string& path) {
    const std::size_t dot = path.find('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
  };
  for (const std::string& path : paths) ++uses[leaf(path)];
  columns_.clear();
  by_path_.clear();
  for (const std::string& path : paths) {
    const std::string name = leaf(path);
    by_path_[path] = columns_.size();
    columns_.push_back({uses[name] == 1 ? name : path, {}});
  }
  texts_.assign(columns_.size(), {});
  fields_.assign(columns_.size(), {});
}

bool JsonlReader::next_line(std::string_view& line, std::int64_t& number) {
  const std::string_view text = source_.text();
  while (position_ < text.size()) {
    const std::size_t end = std::min(text.find('\n', position_), text.size());
    line = trimmed(text.substr(position_, end - position_));
    position_ = std::min(end + 1, text.size());
    number = ++line_;
    if (!line.empty()) return true;
  }
  return false;
}

bool JsonlReader::next(Row& row) {
  std::string_view line;
  if (!next_line(line, row.line)) return false;
  for (std::string& text : texts_) text.clear();
  row.problem.clear();
  row.problem_column = 0;
  if (!source_.valid_utf8() && !valid_utf8(line)) {
    row.problem = "invalid UTF-8";
  } else {
    Handler handler([&](const std::string& path, std::string_view text) {
      if (const auto found = by_path_.find(path); found != by_path_.end()) {
        texts_[found->second].assign(text);
      } else if (late_keys_.size() < 10 &&
                 std::find(late_keys_.begin(), late_keys_.end(), path) == late_keys_.end()) {
        late_keys_.push_back(path);
      }
    });
    const bool whole = nlohmann::json::sax_parse(line.begin(), line.end(), &handler);
    if (!whole) row.problem = handler.problem();
  }
  for (std::size_t k = 0; k < texts_.size(); ++k) fields_[k] = texts_[k];
  row.fields = fields_;
  return true;
}

void JsonlReader::rewind() {
  position_ = 0;
  line_ = 0;
}

void JsonlReader::seek(std::uint64_t position) {
  const std::string_view text = source_.text();
  position_ = std::min(text.find('\n', position), text.size() - 1) + 1;
}

std::vector<std::string> JsonlReader::notes() const {
  if (late_keys_.empty()) return {};
  return {
      fmt::format("keys that first occur after {} rows were not looked at: {}; name a column to "
                  "have it read",
                  keys_from_rows, fmt::join(late_keys_, ", "))};
}

}  // namespace palate::io
