// Keeps what bounds the second orders of one power of a graph (state.hpp) up to date.
//
// U_i and |q_i|^2 are running sums in double. An entry that was read from a row in single precision
// and later leaves by its exact value leaves a trace; how large these may be is added up, and where
// that is no longer small beside |q_i|^2, the row is measured anew. So no bound is ever too small.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "live/rows.hpp"
#include "live/state.hpp"

namespace palate::live {

class BoundKeeper {
 public:
  /// Measures all rows, takes their shifts as the old ones, and gives the links their bounds.
  BoundKeeper(Links& next, std::shared_ptr<const Base> base, std::size_t values, ThreadPool& pool);

  /// Places that are new.
  void grow(const Links& next);
  /// The shift of an item has changed.
  void shift_changed(const Links& next, std::uint32_t place);
  /// Some entries of one row have changed, columns ascending.
  void row_changed(std::uint32_t place, std::span<const PairEdit> edits);
  /// After the rows of `next` are what they will be: gives it bounds that hold.
  void publish(Links& next, std::uint64_t edition);

 private:
  void add_directions(std::span<const std::uint32_t> columns, const float* values,
                      std::size_t place);
  void measure(const Links& links, std::uint32_t place);
  void move_shift(const Links& next, std::uint32_t place);
  void write(std::size_t place, BoundBlock& block);
  void touch(std::uint32_t place);
  void set_old(std::size_t place, float shift);

  std::shared_ptr<const Base> base_;
  std::size_t values_, graph_, rank_;
  double power_;
  double rounding_;             // of one value squared, relative
  std::vector<float> old_;      // shifts that Q is normalised by; NaN before there is one
  std::vector<double> factor_;  // 2^old
  std::vector<double> u_;       // rank_ numbers per place
  std::vector<double> squares_, trace_, diagonal_;  // |q_i|^2, what may be wrong with it, Q_ii
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::uint32_t> touched_, shifted_;
};

}  // namespace palate::live
