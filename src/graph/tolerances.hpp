// How much rounding a bound leaves room for: every tolerance of the graphs and of the lists, each
// with the rounding that it covers. Bounds are tested as inequalities in tests/unit/ranking,
// tests/unit/live and tests/unit/graph.
//
// Scores are what the code computes from the floats that it keeps; a bound is about these. Room is
// needed wherever the same number is found in two ways.
#pragma once

#include <cmath>
#include <cstddef>

namespace palate::tolerance {

/// u, the most that one operation on floats rounds away, relative: half a unit in the last place.
inline constexpr double unit = 0x1p-24;

/// Of a sum of n floats one after the other, by the sum of their sizes. Rounding goes up as often
/// as down: with all terms of one sign the standard deviation is u sqrt(n) / 3, and this is six of
/// them. The worst case, n u, is never seen on long sums and would make bounds useless on them.
[[nodiscard]] inline double long_sum(std::size_t n) {
  return 2 * std::sqrt(static_cast<double>(n)) * unit;
}

/// Of a sum of n floats in the worst case: (n + 8) u, for n additions, two roundings of each term
/// and some that follow. For sums that are short.
[[nodiscard]] constexpr double short_sum(std::size_t n) {
  return (static_cast<double>(n) + 8) * unit;
}

/// A number in double that becomes a float and is multiplied once or twice: 3 u, and here 16 u, as
/// sums of squares that were added up in double have also lost what their terms are rounded by.
inline constexpr double to_float = 1e-6;

/// A length whose squares are floats added up one after the other, at most 512 of them (as many as
/// 32 criteria have directions): 512 u of the square is 256 u of its root; twice that.
inline constexpr double length = 512 * unit;

/// A score or an estimate that is a first order and at most 512 products of directions, by the
/// sizes of both parts: long_sum(512) is 45 u; and the few operations on bounds that follow.
inline constexpr float score = static_cast<float>(64 * unit);

/// Of an interval that is kept by its middle and half its width: the middle is rounded by u of a
/// score, the half width by u of itself. Widths hold `score` of room, more than the first; this is
/// ample for the second.
inline constexpr float half = 0.501F;

// --- Second orders on dense graphs: y p_i = (y Z)(Z^T p_i) + y' p_i' (ranking/dense_graphs.hpp).

/// |p_i'|^2 = |p_i|^2 - |W_i|^2, by |p_i|^2. Entries of a row are right to 2e-7 (exp2), which is
/// 4e-7 of the square; W is rounded to floats, and its columns are of length 1 to within 2 u. How
/// W was summed up is left to second_order(). It is kept in model files.
inline constexpr double row_square = 1e-6;

/// |y'|^2 = |y|^2 - |x W|^2, by |y|^2: the square of a sum over someone's ratings of rows of W,
/// which are sums over all items.
[[nodiscard]] inline double person_square(std::size_t items, std::size_t ratings) {
  return 2 * (long_sum(items) + long_sum(ratings)) + 32 * unit;
}

/// y p_i against (x W) W_i and the radius, by |a_2| |y| |p_i|: W stands in both factors, then the
/// sum over the directions of all branches, and the dot itself, of which at most 24 products are
/// added up in a float before they go on in double.
[[nodiscard]] inline double second_order(std::size_t items, std::size_t directions) {
  return 2 * long_sum(items) + long_sum(directions) + 32 * unit;
}

// --- Sums of codes (ranking/dense_codes.hpp).

/// A code is made from 2^e, e = s (log2 N + shifts) + log2 of its unit. Three roundings of numbers
/// below 40 put e off by 3 * 40 u, which is 5e-6 of 2^e; exp2 and the units add 1e-6.
inline constexpr double code = 1e-5;
/// The largest code of a row is this share of the largest there is, so that no rounding cuts it.
inline constexpr double code_headroom = 0.98;
/// The same for someone's factors, whole numbers of at most 4095 that are rounded up from double.
inline constexpr double factor_headroom = 0.01;
/// Where signals below 0 leave only what codes can be at most, in whole numbers that become floats.
inline constexpr double most_codes = 1.1;

/// A bound of a whole strip, by its size and twice its first order: codes of 32 entries are summed
/// up exactly and then as floats, at most 300 times (20 000 ratings), and the parts of the second
/// order are one short sum.
inline constexpr float strip_bound = 4e-5F;

// --- Live models (live/state.hpp).

/// The square of a value 2^(s e) of a row, relative: e is a sum of three floats below 16 and each
/// is right to u 16 / 2, so that it is off by 1.5e-6 s; exp2 adds 4e-7.
[[nodiscard]] constexpr double square_of_value(double power) { return 2e-6 * (1 + power); }

/// |q_i|^2 after a change of its row, by |change| |q_i|: the change of U is summed up in floats, at
/// most 256 at a time, over columns of length 1, and is off by long_sum(256), 32 u, of |change|;
/// that it was found from rounded sums adds as much again for powers up to 4.
inline constexpr double changed_row = 1e-5;
/// A row whose square may be wrong by more than this share is measured anew: its length is then
/// right to 5e-5, which no radius feels.
inline constexpr double most_trace = 1e-4;
/// How far the shift of an item may move before it is normalised anew: its sum is then four times
/// as large, or small.
inline constexpr float farthest_shift = 1.0F;

/// A sum of logarithms in single precision is right to 4e-7; at a sixteenth of the largest that it
/// was, to 6e-6. Below that it is added up anew.
inline constexpr double small_pair = 1.0 / 16;
/// A sum in double that falls below this share of what it was has lost 6 of its 16 digits, and is
/// added up anew.
inline constexpr double small_total = 1e-6;

// --- Which directions are there.

/// A column that is no longer than this beside what it was before the others were taken off is
/// their rounding: 16 u.
inline constexpr double lost_direction = 1e-6;
/// The shortest column that is divided by its length.
inline constexpr double shortest_direction = 1e-30;
/// Cholesky of a Gram matrix in double is used where no pivot falls below this share of the longest
/// column: squared it is 1e-10, which leaves six digits.
inline constexpr double least_pivot = 1e-5;
/// Otherwise, eigenvalues below this share of the largest are rounding of floats (their squares are
/// off by 2 u sqrt(n)); of a matrix that is 0 there is none.
inline constexpr double least_eigenvalue = 1e-9;
inline constexpr double no_eigenvalue = 1e-300;

}  // namespace palate::tolerance
