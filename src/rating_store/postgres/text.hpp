// Arrays as PostgreSQL writes them: whole batches travel as one parameter each.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace palate::store {

/// Builds {"a","b"}.
class PostgresArray {
 public:
  void add(std::string_view text);
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(Number number) {
    separate();
    std::array<char, 32> digits{};
    text_.append(digits.data(),
                 std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }
  void add_null();
  /// The array; the builder is not to be used again.
  [[nodiscard]] std::string take();

 private:
  void separate();
  std::string text_ = "{";
};

/// {4.5,NULL,3} for 4.5, NaN, 3.
[[nodiscard]] std::string real_array(std::span<const float> values);
/// Back, into `values`; false if it is no such array of that many.
[[nodiscard]] bool parse_real_array(std::string_view text, std::size_t count,
                                    std::vector<float>& values);

}  // namespace palate::store
