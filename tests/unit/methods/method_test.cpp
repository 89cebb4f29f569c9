// A method as a value: settings by name, as text and as JSON, for every method there is.
#include "palate/method.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/errors.hpp"

namespace palate {
namespace {

using ::testing::HasSubstr;
using testing::thrown_by;
using Json = nlohmann::json;

// A value that the setting accepts and that is not its default.
std::string other_value(const Setting& setting) {
  switch (setting.kind) {
    case Setting::Kind::flag:
      return setting.default_value == "true" ? "false" : "true";
    case Setting::Kind::choice:
      return setting.choices.back() == setting.default_value ? setting.choices.front()
                                                             : setting.choices.back();
    case Setting::Kind::count:
      return "7";
    case Setting::Kind::filter:
      return "outward:0.85";
    case Setting::Kind::filters:
      return "taste=inward:1.5;overall=0.7,0.1:0.3";
    default:
      return "0.75";  // within the bounds of all
  }
}

class EveryMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, SaysWhatItIsAndWhatEverySettingMeans) {
  const MethodDescription& method = describe_method(GetParam());
  EXPECT_FALSE(method.class_name.empty());
  EXPECT_THAT(method.summary, ::testing::EndsWith("."));
  for (const Setting& setting : method.settings) {
    EXPECT_THAT(setting.help, ::testing::EndsWith(".")) << setting.name;
    EXPECT_EQ(Method(method.name).get(setting.name), setting.default_value) << setting.name;
  }
}

TEST_P(EveryMethod, KeepsEverySettingThroughTextAndJson) {
  const MethodDescription& about = describe_method(GetParam());
  Method method(GetParam());
  for (const Setting& setting : about.settings) method.set(setting.name, other_value(setting));
  for (const Setting& setting : about.settings) {
    EXPECT_EQ(method.get(setting.name), other_value(setting)) << setting.name;
  }
  EXPECT_EQ(Method::from_json(method.to_json()), method);
}

TEST_P(EveryMethod, TakesTheDefaultOfASettingThatAFileDoesNotHave) {
  const std::string name = describe_method(GetParam()).name;
  EXPECT_EQ(Method::from_json(Json{{"method", name}}.dump()), Method(name));
}

TEST_P(EveryMethod, RefusesASettingThatItDoesNotHaveByName) {
  const std::string name = describe_method(GetParam()).name;
  const Error in_json = thrown_by([&] {
    static_cast<void>(Method::from_json(Json{{"method", name}, {"colour", 3}}.dump()));
  });
  EXPECT_EQ(in_json.code(), ErrorCode::usage);
  EXPECT_THAT(in_json.message(), HasSubstr("'colour'"));
  const Error in_text = thrown_by([&] { Method(name).set("colour", "3"); });
  EXPECT_THAT(in_text.message(), HasSubstr("'colour'"));
}

TEST_P(EveryMethod, RefusesValuesThatASettingCannotHave) {
  for (const Setting& setting : describe_method(GetParam()).settings) {
    const Error error = thrown_by([&] { Method(GetParam()).set(setting.name, "?!"); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << setting.name;
    if (!std::isfinite(setting.least) || setting.kind == Setting::Kind::count) continue;
    const std::string below = std::to_string(setting.least - 1);
    EXPECT_EQ(thrown_by([&] { Method(GetParam()).set(setting.name, below); }).code(),
              ErrorCode::usage)
        << setting.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMethod, ::testing::ValuesIn(method_names()),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(MethodValue, IsCaGfWithLinearFiltersUnlessSaid) {
  EXPECT_EQ(Method().name(), "ca-gf");
  EXPECT_EQ(Method(), Method(CaGf{}));
  EXPECT_EQ(Method("popularity").ca_gf(), nullptr);
}

TEST(MethodValue, CopiesAreApart) {
  const Method first("item-knn");
  Method second = first;
  second.set("neighbours", "5");
  EXPECT_EQ(first.get("neighbours"), "100");
  EXPECT_EQ(second.get("neighbours"), "5");
}

TEST(MethodValue, ReadsWhatOlderFilesCallItsVariants) {
  const Method method = Method::from_json(R"({"method": "ca-gf", "variant": "single"})");
  EXPECT_EQ(method.ca_gf()->variant, Variant::overall_only);
  EXPECT_EQ(method.name(), "overall-only");
}

TEST(MethodValue, DamagedJsonIsAnError) {
  for (const char* text : {"", "{", "[]", "{}", R"({"method": 3})", R"({"method": "svd"})",
                           R"({"method": "item-knn", "neighbours": -1})",
                           R"({"method": "item-knn", "neighbours": "many"})",
                           R"({"method": "ca-gf", "filters": 3})"}) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(Method::from_json(text)); }).code(),
              ErrorCode::usage)
        << text;
  }
}

}  // namespace
}  // namespace palate
