// The secrets of API keys: made here, kept nowhere.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace palate::store {

using SecretHash = std::array<unsigned char, 32>;

/// 256 random bits as text that needs no quoting anywhere: "palate_" and 43 letters, digits, - or
/// _.
[[nodiscard]] std::string new_secret();

/// SHA-256. A slow hash would add nothing: the secret is as long as the hash, and nobody chose it.
[[nodiscard]] SecretHash hash_secret(std::string_view secret);

}  // namespace palate::store
