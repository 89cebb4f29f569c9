// The quick ways of the CSV reader, each beside the plain one.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "io/delimited.hpp"
#include "io/mark_finder.hpp"
#include "io/plain_decimal.hpp"

namespace palate::io {
namespace {

std::string random_text(Random& random, std::size_t length, std::string_view alphabet) {
  std::string text;
  for (std::size_t k = 0; k < length; ++k) text += alphabet[random.below(alphabet.size())];
  return text;
}

TEST(MarkFinder, FindsWhatLookingAtEachByteFinds) {
  Random random(1);
  for (std::size_t n = 0; n < 4000; ++n) {
    // Neighbours of the marks, and bytes that differ from them in the top bit only.
    const std::string text = random_text(random, n % 300,
                                         ",\n+-\t\x0b\xac\x8a"
                                         "abcdefgh\x01");
    MarkFinder finder(text, ',');
    const char* const end = text.data() + text.size();
    const char* from = text.data();
    for (;;) {
      const char* const expected =
          std::find_if(from, end, [](char ch) { return ch == ',' || ch == '\n'; });
      ASSERT_EQ(finder.next() - text.data(), expected - text.data()) << n;
      if (expected == end) break;
      from = expected + 1;
      if (random.below(4) == 0) {
        from += random.below(static_cast<std::uint64_t>(end - from) + 1);
        finder.skip_to(from);
      }
    }
    EXPECT_EQ(finder.next(), end);
  }
}

struct Record {
  std::vector<std::string> fields = {};
  std::int64_t line = 0;
  int stray = 0;

  bool operator==(const Record&) const = default;
};

/// Byte by byte, by the rules alone. What is cut off gives no record.
class PlainScanner {
 public:
  PlainScanner(std::string_view text, char delimiter, Quoting quoting)
      : text_(text), delimiter_(delimiter), rfc_(quoting == Quoting::rfc4180) {}

  std::vector<Record> records() {
    std::vector<Record> out;
    while (at_ < text_.size()) {
      Record record;
      record.line = line_;
      bool quotes = false;
      for (;;) {
        std::size_t first = at_;
        while (rfc_ && delimiter_ != ' ' && first < text_.size() && text_[first] == ' ') ++first;
        if (rfc_ && first < text_.size() && text_[first] == '"') {
          quotes = true;
          at_ = first + 1;
          std::string inside;
          if (!closed(inside)) return out;
          record.fields.push_back(inside);
          if (!bare().empty() && record.stray == 0) {
            record.stray = static_cast<int>(record.fields.size());
          }
        } else {
          record.fields.push_back(bare());
        }
        if (at_ == text_.size() || text_[at_] == '\n') break;
        ++at_;
      }
      if (at_ < text_.size()) {
        ++at_;
        ++line_;
      }
      if (quotes || record.fields != std::vector<std::string>{""}) out.push_back(record);
    }
    return out;
  }

 private:
  bool closed(std::string& inside) {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        inside += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        inside += text_[at_++];
      } else {
        ++at_;
        return true;
      }
    }
    return false;
  }
  std::string bare() {
    std::string field;
    while (at_ < text_.size() && text_[at_] != delimiter_ && text_[at_] != '\n') {
      field += text_[at_++];
    }
    const bool last = at_ == text_.size() || text_[at_] == '\n';
    if (last && field.ends_with('\r')) field.pop_back();
    if (!rfc_) return field;
    const std::size_t first = field.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return field.substr(first, field.find_last_not_of(" \t") - first + 1);
  }

  std::string_view text_;
  char delimiter_;
  bool rfc_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

TEST(RecordScanner, GivesTheRecordsOfAPlainScanner) {
  Random random(2);
  for (std::size_t n = 0; n < 12000; ++n) {
    const char delimiter = ", \t;"[n % 4];
    const Quoting quoting = n % 3 == 0 ? Quoting::none : Quoting::rfc4180;
    const std::string_view alphabet =
        n % 2 == 0 ? "ab,; \t\n\r\"!\xc3\xa9" : "abcdefghijklmnopq,; \t\n\"";
    const std::string text = random_text(random, random.below(200), alphabet);
    RecordScanner scanner(text, delimiter, quoting);
    std::vector<Record> got;
    std::vector<std::string_view> fields;
    while (scanner.next(fields)) {
      got.push_back({{fields.begin(), fields.end()}, scanner.line(), scanner.stray_field()});
    }
    ASSERT_EQ(got, PlainScanner(text, delimiter, quoting).records())
        << "delimiter '" << delimiter << "', text:\n"
        << text;
  }
}

/// Digits with at most one point, 1 to 7 digits.
bool is_plain(std::string_view text) {
  const auto points = std::count(text.begin(), text.end(), '.');
  const auto digits =
      std::count_if(text.begin(), text.end(), [](char ch) { return ch >= '0' && ch <= '9'; });
  return points <= 1 && digits >= 1 && digits <= 7 &&
         points + digits == static_cast<std::ptrdiff_t>(text.size());
}

void expect_as_from_chars(std::string_view text) {
  float got = -1;
  ASSERT_EQ(plain_decimal(text, got), is_plain(text)) << text;
  if (!is_plain(text)) return;
  float expected = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
  ASSERT_TRUE(error == std::errc() && stop == text.data() + text.size()) << text;
  ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(expected)) << text;
}

TEST(PlainDecimal, HasTheBitsOfFromChars) {
  constexpr std::string_view alphabet = "0123456789.+-e \xb4";
  std::vector<std::string> texts = {""};
  for (std::size_t k = 0; k < texts.size() && texts[k].size() < 4; ++k) {
    for (const char ch : alphabet) texts.push_back(texts[k] + ch);
  }
  for (const std::string& text : texts) expect_as_from_chars(text);
  Random random(3);
  for (int n = 0; n < 200'000; ++n) {
    std::string text = random_text(random, 1 + random.below(9), "0123456789");
    if (n % 4 != 0) text.insert(random.below(text.size() + 1), ".");
    expect_as_from_chars(text);
  }
}

}  // namespace
}  // namespace palate::io
