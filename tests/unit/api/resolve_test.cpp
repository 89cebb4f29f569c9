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
  EXPECT_EQ(resolve({"ca-gf"}, ratings, {}, {}, &known).method.get("filters"), "c1=inward:1.75");
}

TEST(Resolve, WhoAsksForNothingGetsTheAdaptiveFilterWithSettingsFoundOnTheRatings) {
  EXPECT_EQ(MethodRequest{}.method, "adaptive");
  EXPECT_EQ(MethodRequest::of({}).method, "adaptive");
  EXPECT_TRUE(MethodRequest::of({}).automatic());
  const Resolved found = resolve({}, sample_ratings(), {.validation = 0.2, .seed = 7});
  ASSERT_TRUE(found.choice);
  EXPECT_EQ(found.choice->seed, 7U);
  EXPECT_EQ(found.choice->validation, 0.2);
  // Beside simple ways on the same people, which it is never worse than.
  std::string simple;
  for (const Choice::Step& one : found.choice->against) simple += one.tried + "; ";
  for (const char* name : {"popularity", "plain linear filters", "EASE^R", "CA-GF"}) {
    EXPECT_NE(simple.find(name), std::string::npos) << name << " is not among " << simple;
  }
  for (const Choice::Step& one : found.choice->against) {
    EXPECT_NEAR(one.gain, found.choice->end - one.value, 1e-12) << one.tried;
    EXPECT_GE(one.gain, 0) << one.tried;
  }
}

TEST(Resolve, SettingsAloneSayWhichMethodIsMeant) {
  const auto meant = [](const char* name, const char* value) {
    return MethodRequest::of({{name, value}}).method;
  };
  EXPECT_EQ(meant("lambda", "20"), "adaptive");
  EXPECT_EQ(meant("input", "raw"), "ease");
  EXPECT_EQ(meant("shrink", "2"), "item-knn");
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"preset", "ym"},
                                                        {"filters", "auto"},
                                                        {"filter", "c1=inward"},
                                                        {"variant", "mc"},
                                                        {"preference", "off"},
                                                        {"solver", "fast"},
                                                        {"neighbours", "9"}}) {
    EXPECT_EQ(meant(name, value), "ca-gf") << name;
  }
  const Error both = thrown_by([] {
    static_cast<void>(MethodRequest::of({{"preset", "ym"}, {"lambda", "20"}}));
  });
  EXPECT_EQ(both.code(), ErrorCode::usage);
  EXPECT_THAT(both.hint(), HasSubstr("ca-gf"));
}

TEST(Resolve, TheAdaptiveFilterFindsItsSettingsUnlessSomeAreNamed) {
  EXPECT_TRUE(MethodRequest::parse("adaptive").automatic());
  EXPECT_TRUE(MethodRequest::parse("adaptive:precision=16").automatic());
  EXPECT_FALSE(MethodRequest::parse("adaptive:lambda=3").automatic());
  EXPECT_FALSE(MethodRequest::parse("adaptive:settings=fixed").automatic());
  EXPECT_TRUE(MethodRequest::parse("adaptive:settings=auto:lambda=3").automatic());
  const Resolved found =
      resolve(MethodRequest::parse("adaptive:settings=auto:lambda=3"), sample_ratings());
  ASSERT_TRUE(found.choice);
  EXPECT_EQ(found.method.get("lambda"), "3");
  EXPECT_FALSE(found.choice->steps.empty());
  // Where popularity was chosen, it has none of the settings that are named.
  std::optional<Choice> popular = Choice{.method = Method("popularity")};
  EXPECT_EQ(resolve(MethodRequest::parse("adaptive:settings=auto:lambda=3"), sample_ratings(), {},
                    {}, &popular)
                .method,
            Method("popularity"));
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
