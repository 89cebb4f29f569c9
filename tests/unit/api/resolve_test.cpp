// What a person asks for becomes the same settings wherever they ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "unit/api/sample.hpp"

namespace palate {
namespace {

using ::testing::HasSubstr;
using testing::sample_ratings;
using testing::thrown_by;

Method settled(const char* text) {
  return resolve(MethodRequest::parse(text), sample_ratings()).method;
}

Error refused(const char* text) {
  return thrown_by([&] { static_cast<void>(settled(text)); });
}

TEST(Resolve, SettingsByNameAndVariantsByTheirWord) {
  EXPECT_EQ(settled("item-knn:neighbours=50:shrink=2").get("neighbours"), "50");
  EXPECT_EQ(settled("item-knn:neighbours=50:shrink=2").get("shrink"), "2");
  EXPECT_EQ(settled("ca-gf:mc:filters=outward:0.85").get("variant"), "graph-per-criterion");
  EXPECT_EQ(settled("ca-gf:mc:filters=outward:0.85").get("other"), "outward:0.85");
  EXPECT_EQ(settled("overall-only").name(), "overall-only");
  EXPECT_EQ(settled("overall-only:neighbours=9").get("neighbours"), "9");
}

TEST(Resolve, FiltersOfCriteriaLieOverThoseOfAll) {
  const MethodRequest request{
      "ca-gf", {{"filters", "inward"}, {"filter", "c1=outward:0.5"}, {"filter", "c1=linear:2"}}};
  const Method method = resolve(request, sample_ratings()).method;
  EXPECT_EQ(method.get("filters"), "c1=linear:2");
  EXPECT_EQ(method.get("other"), "inward");
}

TEST(Resolve, ChoosesWhatIsLeftOpenAndKeepsWhatIsNamed) {
  const Ratings ratings = sample_ratings();
  EXPECT_TRUE(MethodRequest{}.automatic());
  EXPECT_FALSE(MethodRequest::parse("ca-gf:filters=linear").automatic());
  EXPECT_FALSE(MethodRequest::parse("popularity").automatic());
  EXPECT_FALSE(MethodRequest::parse("ca-gf:single").automatic());
  std::optional<Choice> known;
  const Resolved first =
      resolve(MethodRequest::parse("ca-gf:preference=3"), ratings, {}, {}, &known);
  ASSERT_TRUE(first.choice && known);
  EXPECT_EQ(first.method.get("preference"), "3");
  EXPECT_EQ(first.method.ca_gf()->filters.size(), known->method.ca_gf()->filters.size());
  // A choice that is known is used as it is.
  known->method = CaGf{.filters = {{"c1", inward(1.75)}}};
  EXPECT_EQ(resolve({}, ratings, {}, {}, &known).method.get("filters"), "c1=inward:1.75");
}

TEST(Resolve, TheAdaptiveFilterFindsItsSettingsUnlessSomeAreNamed) {
  EXPECT_TRUE(MethodRequest::parse("adaptive").automatic());
  EXPECT_FALSE(MethodRequest::parse("adaptive:lambda=3").automatic());
  EXPECT_FALSE(MethodRequest::parse("adaptive:settings=fixed").automatic());
  EXPECT_TRUE(MethodRequest::parse("adaptive:settings=auto:lambda=3").automatic());
  const Resolved found =
      resolve(MethodRequest::parse("adaptive:settings=auto:lambda=3"), sample_ratings());
  ASSERT_TRUE(found.choice);
  EXPECT_EQ(found.method.get("lambda"), "3");
  EXPECT_FALSE(found.choice->steps.empty());
}

TEST(Resolve, RefusesWhatDoesNotGoTogether) {
  EXPECT_THAT(refused("popularity:neighbours=3").hint(), HasSubstr("ca-gf and item-knn"));
  EXPECT_THAT(refused("item-knn:preset=ym").message(), HasSubstr("'preset'"));
  EXPECT_THAT(refused("overall-only:preset=ym").message(), HasSubstr("'preset'"));
  EXPECT_THAT(refused("ca-gf:preset=xy").hint(), HasSubstr("ym, ta, ba"));
  EXPECT_THAT(refused("ca-gf:preset=ym:filters=linear").message(), HasSubstr("preset and filters"));
  EXPECT_THAT(refused("ca-gf:filter=smell=linear").hint(), HasSubstr("c1"));
  EXPECT_THAT(refused("item-knn:shrink=-1").message(), HasSubstr("shrink"));
  EXPECT_THAT(refused("svd").hint(), HasSubstr("ca-gf"));
}

TEST(Resolve, FingerprintsTellWishesApartAndNothingElse) {
  const auto print = [](const char* text) { return MethodRequest::parse(text).fingerprint(); };
  EXPECT_EQ(print("item-knn:shrink=2"), print("item-knn:shrink=2.0"));
  EXPECT_EQ(print("item-knn:shrink=2:neighbours=5"), print("item-knn:neighbours=5:shrink=2"));
  EXPECT_EQ(print("ca-gf:mc"), print("ca-gf:graph-per-criterion"));
  const std::vector<const char*> different = {"ca-gf",
                                              "ca-gf:filters=linear",
                                              "ca-gf:preset=ym",
                                              "ca-gf:mc",
                                              "ca-gf:solver=fast",
                                              "ca-gf:preference=2",
                                              "item-knn",
                                              "item-knn:shrink=1",
                                              "item-knn:neighbours=99",
                                              "overall-only",
                                              "popularity"};
  for (const char* a : different) {
    for (const char* b : different) EXPECT_EQ(print(a) == print(b), a == b) << a << ", " << b;
  }
}

}  // namespace
}  // namespace palate
