// Small parts of every type, and what it takes to compare them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/parts.hpp"

namespace palate::testing {

inline Parts sample_parts() {
  Parts parts;
  parts.description = R"({"method":"ca-gf","note":"größte Biere"})";
  parts.put("bytes", Array<std::uint8_t>(std::vector<std::uint8_t>{0, 1, 255}));
  parts.put("text", Array<char>(std::vector<char>{'a', '\0', 'z'}));
  parts.put("u32", Array<std::uint32_t>(std::vector<std::uint32_t>{0, 7, 0xffffffffU}));
  parts.put("u64", Array<std::uint64_t>(std::vector<std::uint64_t>{1, ~0ULL}));
  parts.put("i64", Array<std::int64_t>(std::vector<std::int64_t>{-1, INT64_MIN, INT64_MAX}));
  parts.put("f32", Array<float>(std::vector<float>{-0.0F, 0.1F, 3e38F}));
  parts.put("f64",
            Array<double>(std::vector<double>{0.1, std::numeric_limits<double>::denorm_min()}));
  parts.put("empty", Array<float>());
  parts.put("method/größe mit Leerzeichen",
            Array<std::uint32_t>(std::vector<std::uint32_t>(16, 0x5a5a5a5aU)));
  return parts;
}

inline void expect_equal(const Parts& a, const Parts& b) {
  EXPECT_EQ(a.description, b.description);
  ASSERT_EQ(a.arrays.size(), b.arrays.size());
  for (auto left = a.arrays.begin(), right = b.arrays.begin(); left != a.arrays.end();
       ++left, ++right) {
    EXPECT_EQ(left->first, right->first);
    EXPECT_EQ(left->second.type, right->second.type) << left->first;
    EXPECT_TRUE(std::ranges::equal(left->second.bytes, right->second.bytes)) << left->first;
  }
}

template <class T>
std::vector<T> values(const Parts& parts, std::string_view name) {
  const Array<T> array = parts.get<T>(name);
  return {array.begin(), array.end()};
}

}  // namespace palate::testing
