// Fitting a model, what it tells of itself, and measuring it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/errors.hpp"
#include "unit/api/sample.hpp"

namespace palate {
namespace {

using ::testing::HasSubstr;
using testing::sample_methods;
using testing::sample_ratings;
using testing::sample_settings;
using testing::thrown_by;

TEST(Fit, NoRatingsAreAnError) {
  RatingsBuilder only_names({"overall"});
  only_names.add_user("u");
  only_names.add_item("i");
  const Ratings names = only_names.build();
  for (const Method& method : sample_methods()) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(fit(Ratings(), method)); }).code(),
              ErrorCode::bad_input);
    EXPECT_EQ(thrown_by([&] { static_cast<void>(fit(names, method)); }).code(),
              ErrorCode::bad_input);
  }
}

TEST(Fit, OneRatingIsAModel) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "i", std::vector<float>{4});
  const Ratings ratings = builder.build();
  for (const std::string& name : method_names()) {
    const Model model = fit(ratings, Method(name));
    EXPECT_TRUE(model.recommend("u").items.empty());
    EXPECT_EQ(model.recommend("u", {.exclude_seen = false}).items.size(), 1U);
    if (describe_method(name).can.find_similar) {
      EXPECT_TRUE(model.similar("i").empty());
    }
  }
}

TEST(Fit, StopsWhenAsked) {
  const RunOptions stop{.progress = [](auto, auto, auto) { return false; }};
  for (const char* name : {"ca-gf", "overall-only", "item-knn"}) {
    const Error error =
        thrown_by([&] { static_cast<void>(fit(sample_ratings(), Method(name), stop)); });
    EXPECT_EQ(error.code(), ErrorCode::cancelled) << name;
  }
}

TEST(Fit, SaysWhereTheTimeWent) {
  for (const Method& method : sample_methods()) {
    const Stages stages = fit(sample_ratings(), method).info().seconds;
    EXPECT_FALSE(stages.empty());
    for (const auto& [stage, seconds] : stages) {
      EXPECT_FALSE(stage.empty());
      EXPECT_GE(seconds, 0);
    }
  }
}

TEST(Fit, SettingsOutOfRangeAreErrors) {
  const auto code = [](const Method& method) {
    return thrown_by([&] { static_cast<void>(fit(sample_ratings(), method)); }).code();
  };
  EXPECT_EQ(code(CaGf{.filters = {{"smell", linear()}}}), ErrorCode::usage);
  EXPECT_EQ(code(CaGf{.other = {{}, 1}}), ErrorCode::usage);
  EXPECT_EQ(code(CaGf{.other = linear(-1)}), ErrorCode::usage);
  EXPECT_EQ(code(CaGf{.preference = 0}), ErrorCode::usage);
}

TEST(Info, TellsWhatTheModelIs) {
  const Ratings ratings = sample_ratings();
  const ModelInfo info = fit(ratings, sample_settings()).info();
  EXPECT_EQ(info.method, "ca-gf");
  EXPECT_EQ(info.variant, "full");
  EXPECT_EQ(info.users, ratings.users());
  EXPECT_EQ(info.items, ratings.items());
  EXPECT_EQ(info.interactions, ratings.interactions());
  EXPECT_EQ(info.criteria.size(), 4U);
  EXPECT_THAT(info.filters,
              ::testing::ElementsAre(outward(0.85), linear(0.6), inward(1.5), linear()));
  EXPECT_EQ(info.preference, 2.0);
  EXPECT_GT(info.graph_entries, 0U);
  EXPECT_GT(info.bytes, info.graph_entries * 4);
  EXPECT_EQ(info.trained_with, version);
  EXPECT_TRUE(fit(ratings, Method("popularity")).info().filters.empty());
}

TEST(Info, SettingsAreJsonThatNamesTheMethod) {
  for (const Method& method : sample_methods()) {
    const auto json = nlohmann::json::parse(fit(sample_ratings(), method).info().settings);
    const bool filters = method.ca_gf() != nullptr;
    EXPECT_EQ(json.at("method"), method.description().name);
    EXPECT_EQ(json.contains("filters"), filters);
  }
}

TEST(Info, NamesThatAreNotUtf8DoNotBreakIt) {
  RatingsBuilder builder({"overall", "go\xfbt"});
  builder.add("u", "i", std::vector<float>{4, 4});
  const Model model = fit(builder.build(), CaGf{.filters = {{"go\xfbt", outward()}}});
  EXPECT_TRUE(nlohmann::json::accept(model.info().settings));
}

TEST(Evaluate, MeasuresAModelOnItsTestPart) {
  const Split parts = split(sample_ratings(), {.test = 0.3});
  const Evaluation result = evaluate(fit(parts.train, sample_settings()), parts.test, {.at = {3}});
  EXPECT_EQ(result.name, "ca-gf");
  EXPECT_FALSE(result.users.empty());
  EXPECT_GT(result.mean.at("recall@3"), 0);
  EXPECT_LE(result.mean.at("recall@3"), 1);
}

TEST(Evaluate, RefusesATestPartOfOtherData) {
  const Model model = fit(sample_ratings());
  const Error error = thrown_by([&] {
    static_cast<void>(evaluate(model, testing::random_ratings({.users = 3, .items = 3}, 1)));
  });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_THAT(error.hint(), HasSubstr("split"));
}

TEST(Evaluate, WeightsAreCheckedLikeThoseOfAQuery) {
  const Split parts = split(sample_ratings());
  const auto code = [&](const char* method, const char* criterion, double weight) {
    const Model model = fit(parts.train, Method(method));
    return thrown_by([&] {
             static_cast<void>(evaluate(model, parts.test, {.weights = {{criterion, weight}}}));
           })
        .code();
  };
  EXPECT_EQ(code("ca-gf", "smell", 1), ErrorCode::usage);
  EXPECT_EQ(code("ca-gf", "c1", -1), ErrorCode::usage);
  const Model popular = fit(parts.train, Method("popularity"));
  EXPECT_EQ(thrown_by([&] {
              static_cast<void>(evaluate(popular, parts.test, {.term_weights = {{"c1", 2}}}));
            }).code(),
            ErrorCode::unsupported);
}

// Lists that a model gave are judged like the model itself.
TEST(EvaluateLists, JudgesListsLikeTheModelThatGaveThem) {
  const Split parts = split(sample_ratings(), {.test = 0.3});
  const Model model = fit(parts.train, sample_settings());
  const Evaluation whole = evaluate(model, parts.test, {.at = {3, 5}});
  const auto list_of = [&](std::uint32_t user) {
    std::vector<std::uint32_t> out;
    for (const Recommended& one : model.recommend(parts.train.user_id(user)).items) {
      out.push_back(one.index);
    }
    return out;
  };
  const Evaluation lists = evaluate_lists(parts.train, parts.test, list_of, {.at = {3, 5}});
  EXPECT_EQ(lists.mean, whole.mean);
  EXPECT_EQ(lists.per_user, whole.per_user);
  EXPECT_EQ(lists.users, whole.users);
}

TEST(EvaluateLists, RefusesListsThatNobodyCouldGet) {
  const Split parts = split(sample_ratings(), {.test = 0.3});
  const auto message = [&](auto list_of) {
    const Error error =
        thrown_by([&] { static_cast<void>(evaluate_lists(parts.train, parts.test, list_of)); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.message();
  };
  using List = std::vector<std::uint32_t>;
  const auto outside = static_cast<std::uint32_t>(parts.train.items());
  EXPECT_THAT(message([&](std::uint32_t) { return List{outside}; }), HasSubstr("not in the"));
  const std::uint32_t dusty = *parts.train.find_item("dusty");
  EXPECT_THAT(message([&](std::uint32_t) { return List{dusty, dusty}; }), HasSubstr("twice"));
  EXPECT_THAT(message([&](std::uint32_t user) {
                const auto row = parts.train.of(user);
                for (std::size_t k = 0; k < row.size(); ++k) {
                  if ((row.present[k] & 1U) != 0) return List{row.items[k]};
                }
                return List{};
              }),
              HasSubstr("rated in train"));
}

}  // namespace
}  // namespace palate
