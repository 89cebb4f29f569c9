// Graph filters. Implemented in src/core.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace palate {

/// A polynomial graph filter sum_k a_k P_s^k, k = 1, 2, ..., where P_s is the item graph with every
/// entry raised to the power s. Its frequency response is h(x) = sum_k a_k (1 - x)^k.
struct Filter {
  std::vector<double> coefficients = {1.0};  ///< a_1, a_2, ...
  double power = 1.0;                        ///< s

  friend bool operator==(const Filter&, const Filter&) = default;
};

/// The three of the paper: P, P^2 and 2P - P^2.
[[nodiscard]] Filter linear(double power = 1.0);
[[nodiscard]] Filter inward(double power = 1.0);
[[nodiscard]] Filter outward(double power = 1.0);

/// "linear", "inward", "outward", or the coefficients: "0.71,0.1,-0.01".
[[nodiscard]] std::string filter_name(const Filter& filter);

/// The inverse of filter_name, with an optional power: "outward", "outward:0.85", "L", "I:1.5",
/// "0.71,0.1,-0.01:0.7". Throws Error{usage} with the accepted forms.
[[nodiscard]] Filter parse_filter(std::string_view text);

/// h(x) at Laplacian eigenvalue x.
[[nodiscard]] double frequency_response(const Filter& filter, double x);

}  // namespace palate
#pragma GCC visibility pop
