#include "reproduce/chosen.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace palate::cli::reproduce {
namespace {

struct Chosen {
  std::string_view data, method;
  std::string_view settings;  ///< "rank=64 ideal=0.3"
};

constexpr std::array<Chosen, 1> all = {{
    {"YM", "gf-cf", "rank=64"},
}};

}  // namespace
}  // namespace palate::cli::reproduce
