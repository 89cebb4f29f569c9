#include "rating_store/postgres/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace palate::store {

void PostgresArray::separate() {
  if (text_.size() > 1) text_ += ',';
}

void PostgresArray::add(std::string_view text) {
  separate();
  text_ += '"';
  for (const char ch : text) {
    if (ch == '"' || ch == '\\') text_ += '\\';
    text_ += ch;
  }
  text_ += '"';
}

void PostgresArray::add_null() {
  separate();
  text_ += "NULL";
}

std::string PostgresArray::take() {
  text_ += '}';
  return std::move(text_);
}

std::string real_array(std::span<const float> values) {
  PostgresArray out;
  for (const float value : values) {
    // + 0: a zero has no sign.
    std::isnan(value) ? out.add_null() : out.add(value + 0.0F);
  }
  return out.take();
}

bool parse_real_array(std::string_view text, std::size_t count, std::vector<float>& values) {
  values.clear();
  if (!text.starts_with('{') || !text.ends_with('}')) return false;
  const char* p = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (p < end) {
    const std::string_view rest(p, static_cast<std::size_t>(end - p));
    if (rest.starts_with("NULL")) {
      values.push_back(std::numeric_limits<float>::quiet_NaN());
      p += 4;
    } else {
      float value = 0;
      const auto [stop, error] = std::from_chars(p, end, value);
      if (error != std::errc{}) return false;
      values.push_back(value);
      p = stop;
    }
    if (p < end && *p++ != ',') return false;
  }
  return values.size() == count;
}

}  // namespace palate::store
