// What a rating field says: a value, "not rated", or something that cannot be used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/plain_decimal.hpp"
#include "palate/io.hpp"

namespace palate::io {

enum class Cell { value, empty, zero, not_a_number, negative, not_finite };

struct RatingCell {
  Cell kind = Cell::empty;  ///< `zero`: a literal 0 that means "not rated"
  float value = 0;          ///< where kind is `value`

  [[nodiscard]] bool missing() const noexcept { return kind == Cell::empty || kind == Cell::zero; }
};

class RatingRule {
 public:
  explicit RatingRule(const ReadOptions& options);

  [[nodiscard]] RatingCell of(std::string_view text) const {
    float value = 0;
    return plain_decimal(text, value) ? of_finite(value) : of_any(text);
  }
  /// For sources that hold numbers; NaN is "not rated".
  [[nodiscard]] RatingCell of(double value) const;
  /// Why a cell of this kind cannot be used.
  [[nodiscard]] std::string reason(Cell kind, std::string_view text) const;
  /// The rule in one sentence.
  [[nodiscard]] std::string sentence() const;

 private:
  [[nodiscard]] RatingCell of_any(std::string_view text) const;
  [[nodiscard]] RatingCell of_finite(float value) const {
    if (!numbers_.empty() && is_word(value)) return {Cell::empty};
    if (value < 0) return {Cell::negative};
    if (value == 0) return {zero_is_missing_ ? Cell::zero : Cell::value, 0.0F};
    return {Cell::value, value};
  }
  [[nodiscard]] bool is_word(std::string_view text) const;
  [[nodiscard]] bool is_word(float value) const;

  std::vector<std::string> words_;  // lower case
  std::vector<float> numbers_;      // words that are numbers: "-1" also covers "-1.0"
  bool zero_is_missing_;
  std::string word_option_;  // what a person calls it
};

}  // namespace palate::io
