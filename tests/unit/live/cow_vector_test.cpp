#include "live/cow_vector.hpp"

#include <gtest/gtest.h>

namespace palate::live {
namespace {

using Vector = CowVector<int, 4>;

Vector counted(int n) {
  Vector v;
  for (int k = 0; k < n; ++k) v.push_back(k, 0);
  return v;
}

TEST(CowVector, KeepsWhatWasPutIn) {
  const Vector v = counted(11);
  ASSERT_EQ(v.size(), 11U);
  for (int k = 0; k < 11; ++k) EXPECT_EQ(v[static_cast<std::size_t>(k)], k);
}

TEST(CowVector, AChangeDoesNotReachEarlierVersions) {
  const Vector first = counted(10);
  Vector second = first;
  second.edit(5, 1) = 50;
  second.push_back(100, 1);
  Vector third = second;
  third.edit(5, 2) = 500;
  third.edit(10, 2) = 1000;
  EXPECT_EQ(first.size(), 10U);
  EXPECT_EQ(first[5], 5);
  EXPECT_EQ(second[5], 50);
  EXPECT_EQ(second[10], 100);
  EXPECT_EQ(third[5], 500);
  EXPECT_EQ(third[10], 1000);
}

TEST(CowVector, SharesChunksThatDidNotChange) {
  const Vector first = counted(12);
  Vector second = first;
  second.edit(5, 1) = 50;
  EXPECT_EQ(&first[0], &second[0]);
  EXPECT_NE(&first[4], &second[4]);
  EXPECT_EQ(&first[8], &second[8]);
  const int* once = &second[4];
  second.edit(6, 1) = 60;
  EXPECT_EQ(&second[4], once) << "a chunk is copied once per edition";
}

}  // namespace
}  // namespace palate::live
