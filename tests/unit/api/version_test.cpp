// The version in its forms.
#include "palate/version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace palate {
namespace {

TEST(Version, NumbersAreThoseOfTheText) {
  EXPECT_EQ(std::to_string(version_major) + "." + std::to_string(version_minor) + "." +
                std::to_string(version_patch),
            version);
}

TEST(Version, OneNumberOrdersReleases) {
  EXPECT_EQ(version_number / 10'000, version_major);
  EXPECT_EQ(version_number / 100 % 100, version_minor);
  EXPECT_EQ(version_number % 100, version_patch);
}

TEST(Version, IsThatOfTheBuild) { EXPECT_EQ(version, PALATE_PROJECT_VERSION); }

}  // namespace
}  // namespace palate
