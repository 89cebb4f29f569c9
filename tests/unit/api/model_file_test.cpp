// A model on disk gives the answers that it gave in memory, or is refused.
#include "model_file/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "unit/api/sample.hpp"

namespace palate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SavedModel : public ::testing::Test {
 protected:
  Error error_of_load() const {
    return thrown_by([this] { static_cast<void>(Model::load(path_)); });
  }
  // A new file each time: ext4 waits for the disk when a file is truncated and written again.
  Error error_with(const std::string& bytes) const {
    std::filesystem::remove(path_);
    write_text(path_, bytes);
    return error_of_load();
  }
  // Rewrites the file with right checksums and an altered description.
  Error error_with_description(const std::string& from, const std::string& to) const {
    fit(sample_ratings(), sample_settings()).save(path_);
    Parts parts = read_model_file(path_);
    const auto at = parts.description.find(from);
    EXPECT_NE(at, std::string::npos) << parts.description;
    parts.description.replace(at, from.size(), to);
    write_model_file(folder_ / "forged.palate", parts);
    return thrown_by([this] { static_cast<void>(Model::load(folder_ / "forged.palate")); });
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "m.palate";
};

TEST_F(SavedModel, RemembersHowItsSettingsWereChosen) {
  const Ratings ratings = sample_ratings();
  const Choice chosen = tune(ratings, {.seed = 3});
  ASSERT_FALSE(chosen.steps.empty());
  const Model model = fit(ratings, chosen);
  EXPECT_EQ(to_json(model.choice().value()), to_json(chosen));
  model.save(path_);
  EXPECT_EQ(to_json(Model::load(path_).choice().value()), to_json(chosen));
  // Settings that nobody chose have no such story, nor have files from before it was kept.
  fit(ratings, chosen.method).save(path_);
  EXPECT_FALSE(Model::load(path_).choice().has_value());
}

TEST_F(SavedModel, AChoiceIsReadWhereALaterVersionKnowsMore) {
  const Choice few = choice_from_json(R"({"settings": {"method": "adaptive"}, "end": 0.5})");
  EXPECT_EQ(few.method, Method("adaptive"));
  EXPECT_EQ(few.end, 0.5);
  EXPECT_TRUE(few.against.empty());
  for (const char* text : {"", "{}", "[]", R"({"settings": {"method": "adaptive"}, "end": "x"})"}) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(choice_from_json(text)); }).code(),
              ErrorCode::bad_input)
        << text;
  }
}

TEST_F(SavedModel, GivesTheSameAnswersWhenItComesBack) {
  const Ratings ratings = sample_ratings();
  for (const Method& method : sample_methods()) {
    const Model model = fit(ratings, method);
    model.save(path_);
    ASSERT_TRUE(Model::is_model_file(path_));
    const Model back = Model::load(path_);
    for (const std::string& user : all_users(ratings)) {
      EXPECT_TRUE(same_list(model.recommend(user), back.recommend(user)));
      EXPECT_EQ(model.explain(user, "item/3").by_criterion,
                back.explain(user, "item/3").by_criterion);
    }
    if (method.description().can.find_similar) {
      EXPECT_EQ(ids(model.similar("item/3")), ids(back.similar("item/3")));
    }
    const ModelInfo a = model.info();
    const ModelInfo b = back.info();
    EXPECT_EQ(a.method, b.method);
    EXPECT_EQ(a.settings, b.settings);
    EXPECT_EQ(a.filters, b.filters);
    EXPECT_EQ(a.preference, b.preference);
    EXPECT_EQ(a.variant, b.variant);
    EXPECT_EQ(a.graph_entries, b.graph_entries);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.trained_with, b.trained_with);
    EXPECT_EQ(back.ratings().criteria()[0].max, ratings.criteria()[0].max);
    EXPECT_EQ(back.ratings().item_title(*ratings.find_item("item/3")), "Third Thing");
  }
}

TEST_F(SavedModel, IsTheSameToTheByteWhenSavedAgain) {
  fit(sample_ratings(), sample_settings(), {.threads = 1}).save(path_);
  Model::load(path_).save(folder_ / "again.palate");
  fit(sample_ratings(), sample_settings(), {.threads = 3}).save(folder_ / "other.palate");
  EXPECT_EQ(read_text(folder_ / "again.palate"), read_text(path_));
  EXPECT_EQ(read_text(folder_ / "other.palate"), read_text(path_));
}

TEST_F(SavedModel, OutlivesItsFile) {
  fit(sample_ratings(), sample_settings()).save(path_);
  const Model model = Model::load(path_);
  const auto before = model.recommend("user 1");
  std::filesystem::remove(path_);
  EXPECT_TRUE(same_list(model.recommend("user 1"), before));
}

TEST_F(SavedModel, KeepsNamesThatAreNotPlain) {
  RatingsBuilder builder({"overall", "goût \"fin\""});
  builder.add("Zoë", "日本酒", std::vector<float>{4, 5});
  builder.add("Zoë", "🍺", std::vector<float>{3, 5});
  builder.add("Bø", "🍺", std::vector<float>{3, 5});
  fit(builder.build(), CaGf{.filters = {{"goût \"fin\"", outward()}}}).save(path_);
  const Model back = Model::load(path_);
  EXPECT_EQ(back.info().criteria[1].name, "goût \"fin\"");
  EXPECT_THAT(ids(back.recommend("Bø").items), ElementsAre("日本酒"));
}

TEST_F(SavedModel, FlippedBytesAreAlwaysRefused) {
  fit(sample_ratings(), sample_settings()).save(path_);
  const std::string whole = read_text(path_);
  Random random(1);
  for (int n = 0; n < 300; ++n) {
    std::string bytes = whole;
    const std::size_t at = random.below(bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + random.below(255)));
    const Error error = error_with(bytes);
    ASSERT_EQ(error.code(), ErrorCode::corrupt) << "byte " << at;
    ASSERT_EQ(error.where().file, path_.string());
  }
}

TEST_F(SavedModel, CutFilesAreAlwaysRefused) {
  fit(sample_ratings(), sample_settings()).save(path_);
  const std::string whole = read_text(path_);
  Random random(2);
  for (int n = 0; n < 100; ++n) {
    const Error error = error_with(whole.substr(0, random.below(whole.size())));
    ASSERT_EQ(error.code(), ErrorCode::corrupt);
  }
}

TEST_F(SavedModel, ForeignFilesAreRefused) {
  for (const std::string text : {"", "user,item,overall\na,b,3\n", "\x89PNG\r\n\x1a\n", "{}"}) {
    EXPECT_EQ(error_with(text).code(), ErrorCode::corrupt) << text;
    EXPECT_FALSE(Model::is_model_file(path_));
  }
  EXPECT_FALSE(Model::is_model_file(folder_ / "nothing"));
  EXPECT_FALSE(Model::is_model_file(folder_.path()));
}

TEST_F(SavedModel, PathsThatCannotBeReadOrWrittenAreNamed) {
  EXPECT_EQ(error_of_load().code(), ErrorCode::io);
  EXPECT_EQ(error_of_load().where().file, path_.string());
  const Model model = fit(sample_ratings(), Method("popularity"));
  const auto nowhere = folder_ / "no such folder" / "m.palate";
  const Error error = thrown_by([&] { model.save(nowhere); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.where().file, HasSubstr("no such folder"));
}

// Right checksums do not make contents right.
TEST_F(SavedModel, ForgedDescriptionsAreRefusedWithThePath) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"\"ca-gf\"", "\"magic\""},
      {"\"variant\":\"full\"", "\"variant\":\"half\""},
      {"\"variant\":\"full\"", "\"variant\":\"mc\""},
      {"\"ca-gf\"", "\"item-knn\""},
      {"\"criterion\":\"c1\"", "\"criterion\":\"c9\""},
      {"\"power\":0.6", "\"power\":-1"},
      {"\"power\":0.6", "\"power\":null"},
      {"\"preference\":2.0", "\"preference\":null"},
      {"\"users\":", "\"users\":1"},
      {"\"settings\"", "\"sittings\""},
      {"{\"name\":\"c3\"", "{\"name\":\"c4\"},{\"name\":\"c3\""},
      {"{", "["},
  };
  for (const auto& [from, to] : changes) {
    SCOPED_TRACE(from + " -> " + to);
    const Error error = error_with_description(from, to);
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_EQ(error.where().file, (folder_ / "forged.palate").string());
  }
}

TEST_F(SavedModel, PartsMissingFromTheFileAreNamedWithThePath) {
  fit(sample_ratings(), sample_settings()).save(path_);
  const Parts whole = read_model_file(path_);
  for (const auto& [name, part] : whole.arrays) {
    Parts parts = whole;
    parts.arrays.erase(name);
    write_model_file(folder_ / "less.palate", parts);
    const Error error = thrown_by([&] { static_cast<void>(Model::load(folder_ / "less.palate")); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << name;
    EXPECT_EQ(error.where().file, (folder_ / "less.palate").string());
  }
}

}  // namespace
}  // namespace palate::testing
