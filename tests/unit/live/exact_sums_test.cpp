// What users add to the sums of links, and sums that stay right to six digits however often their
// parts change.
#include "live/exact_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/live/followed.hpp"

namespace palate::live {
namespace {

using testing::Followed;

// What a user adds to N changes by the difference of what he adds after and before.
TEST(UserChange, IsTheDifferenceOfTwoRows) {
  Followed live(testing::many_links, {outward(0.85)}, 8);
  const Base& base = *live.state().base;
  const UserRatings before = live.state().users[0].ratings;
  const UserRatings after = live.state().users[1].ratings;
  const UserChange change(base, before, after, 0b11);
  ASSERT_TRUE(change.any());
  EXPECT_FALSE(UserChange(base, after, after, 0b11).any());
  const ScaledRow old_row = scale_row(base, before, 0b11);
  const ScaledRow new_row = scale_row(base, after, 0b11);
  const auto pair = [](const ScaledRow& row, std::uint32_t a, std::uint32_t b) {
    double sum = 0;
    const std::size_t n = row.places.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (row.places[i] != a || row.places[j] != b) continue;
        for (std::size_t at = 0; at < row.values.size(); at += n) {
          sum += row.values[at + i] * row.values[at + j];
        }
      }
    }
    return sum;
  };
  const auto places = change.places();
  std::vector<double> changes;
  for (std::size_t a = 0; a < places.size(); ++a) {
    change.changes_of(a, changes);
    ASSERT_EQ(changes.size(), places.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
      EXPECT_NEAR(changes[k],
                  pair(new_row, places[a], places[k]) - pair(old_row, places[a], places[k]), 1e-12);
    }
  }
}

// Two people who rated both items: when the one with the large ratings leaves, what the other adds
// must not be the rounding of what was there.
TEST(ExactSums, AreAddedUpAnewWhenLittleIsLeft) {
  RatingsBuilder builder(testing::criterion_names(1));
  for (const char* item : {"one", "two"}) {
    builder.add("large", item, std::vector<float>{1e6F});
    builder.add("small", item, std::vector<float>{0.3F});
  }
  const Ratings ratings = builder.build();
  ThreadPool pool(1);
  const auto model = testing::fitted(ratings, {.filters = {{"overall", outward()}}}, pool, 0, 0);
  Writer writer(first_state(make_base(ratings, *model)));
  GraphWriter graph(*writer.state());
  writer.give(graph.links(), 0);
  const std::vector<RatingChange> gone = {{"large", "one", {}}, {"large", "two", {}}};
  writer.apply(gone);
  const Waiting waiting = writer.take_waiting();
  const auto links = graph.follow(*writer.state(), waiting);
  for (std::size_t i = 0; i < 2; ++i) {
    const Row& row = links->graphs[0].rows[i];
    ASSERT_EQ(link_count(row), 2U);
    for (std::size_t k = 0; k < 2; ++k) {  // 0.3 * 0.3 / 0.6
      EXPECT_NEAR(std::exp2(static_cast<double>(row.logs[k])), 0.15, 1e-6);
    }
  }
}

}  // namespace
}  // namespace palate::live
