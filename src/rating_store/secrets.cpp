#include "rating_store/secrets.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstdint>

#include "palate/error.hpp"

namespace palate::store {

std::string new_secret() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw Error(ErrorCode::io, "the system gives no random numbers, so no key can be made");
  }
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out = "palate_";
  std::uint32_t bits = 0;
  int held = 0;
  for (const unsigned char byte : bytes) {
    bits = bits << 8 | byte;
    held += 8;
    for (; held >= 6; held -= 6) out += letters[bits >> (held - 6) & 63U];
  }
  if (held > 0) out += letters[bits << (6 - held) & 63U];
  return out;
}

SecretHash hash_secret(std::string_view secret) {
  SecretHash hash{};
  unsigned int size = 0;
  if (EVP_Digest(secret.data(), secret.size(), hash.data(), &size, EVP_sha256(), nullptr) != 1 ||
      size != hash.size()) {
    throw Error(ErrorCode::internal, "SHA-256 is not to be had from libcrypto");
  }
  return hash;
}

}  // namespace palate::store
