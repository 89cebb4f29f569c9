// Methods, variants and presets by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "unit/api/sample.hpp"

namespace palate {
namespace {

using ::testing::HasSubstr;
using testing::thrown_by;

std::vector<Criterion> criteria(std::size_t count) {
  std::vector<Criterion> out;
  for (const std::string& name : testing::criterion_names(count)) out.push_back({name});
  return out;
}

TEST(Names, MethodsComeBack) {
  for (const std::string& name : method_names()) EXPECT_EQ(Method(name).name(), name);
}

TEST(Names, VariantsAreReadableAndThePapersLettersAreAccepted) {
  const std::vector<std::pair<const char*, Variant>> letters = {
      {"full", Variant::full},
      {"m", Variant::overall_graph},
      {"single", Variant::overall_only},
      {"s", Variant::unit_powers},
      {"f", Variant::linear_filters},
      {"p", Variant::no_preference},
      {"mc", Variant::graph_per_criterion}};
  for (const auto& [letter, variant] : letters) {
    const Method method("ca-gf", {{"variant", letter}});
    EXPECT_EQ(method.ca_gf()->variant, variant);
    EXPECT_EQ(Method("ca-gf", {{"variant", method.get("variant")}}), method);
  }
  EXPECT_EQ(Method("ca-gf", {{"variant", "mc"}}).get("variant"), "graph-per-criterion");
}

TEST(Names, UnknownOnesAreErrorsThatListTheKnown) {
  const Error method = thrown_by([] { static_cast<void>(Method("svd")); });
  EXPECT_EQ(method.code(), ErrorCode::usage);
  EXPECT_THAT(method.hint(), HasSubstr("ca-gf, overall-only"));
  EXPECT_THAT(method.hint(), HasSubstr("item-knn"));
  const Error variant = thrown_by([] { Method("ca-gf").set("variant", ""); });
  EXPECT_EQ(variant.code(), ErrorCode::usage);
  EXPECT_THAT(variant.hint(), HasSubstr("overall-only"));
  const Error preset_error = thrown_by([] { static_cast<void>(preset("xy", criteria(5))); });
  EXPECT_EQ(preset_error.code(), ErrorCode::usage);
  EXPECT_THAT(preset_error.hint(), HasSubstr("ym, ta, ba"));
}

TEST(Presets, ArePublishedSettingsByIndex) {
  const CaGf ba = preset("ba", criteria(5));
  ASSERT_EQ(ba.filters.size(), 5U);
  EXPECT_EQ(ba.filters[0].criterion, "overall");
  EXPECT_EQ(ba.filters[0].filter, linear(0.6));
  EXPECT_EQ(ba.filters[1].filter, inward(1.5));
  EXPECT_EQ(ba.filters[2].filter, outward(0.85));
  EXPECT_EQ(ba.filters[3].filter, outward(0.85));
  EXPECT_EQ(ba.filters[4].filter, linear(0.6));
  EXPECT_EQ(ba.preference, 2.0);

  const CaGf ym = preset("ym", criteria(5));
  EXPECT_EQ(ym.filters[0].filter, inward(1.8));
  EXPECT_EQ(ym.filters[1].filter, outward(1.05));
  EXPECT_EQ(ym.filters[4].filter, linear(1));
  EXPECT_EQ(ym.preference, 4.0);

  const CaGf ta = preset("ta", criteria(8));
  EXPECT_EQ(ta.filters[0].filter, inward(1.2));
  EXPECT_EQ(ta.filters[2].filter, outward(1));
  EXPECT_EQ(ta.filters[7].filter, linear(0.1));
}

TEST(Presets, FitOnlyTheirNumberOfCriteria) {
  for (const std::string_view name : preset_names()) {
    const Error error = thrown_by([&] { static_cast<void>(preset(name, criteria(3))); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.message(), HasSubstr("3"));
    EXPECT_FALSE(error.hint().empty());
  }
}

}  // namespace
}  // namespace palate
