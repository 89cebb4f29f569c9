// Folders of SciPy matrices, made here by hand, and the published ones where they are at hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <cstring>

#include "core/ratings_data.hpp"
#include "support/shared_data.hpp"
#include "unit/io/temp_folder.hpp"

namespace palate::test {
namespace {

using ::testing::HasSubstr;

template <class T>
std::string npy(const std::string& type, const std::vector<T>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size()) + ",), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return out;
}

std::string npy_text(const std::string& text) {
  std::string out = npy<char>("|S" + std::to_string(text.size()), {text.begin(), text.end()});
  return out;
}

using Entries = std::vector<std::pair<std::string, std::string>>;

class Npz : public TempFolder {
 protected:
  void archive(const std::filesystem::path& path, const Entries& entries) {
    int error = 0;
    zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    ASSERT_NE(zip, nullptr);
    for (const auto& [name, bytes] : entries) {
      zip_file_add(zip, name.c_str(), zip_source_buffer(zip, bytes.data(), bytes.size(), 0), 0);
    }
    ASSERT_EQ(zip_close(zip), 0);
  }
  // 2 x 3: user 0 has items 2 and 0 (in this order), user 1 has item 1.
  static Entries entries(double a, double b, double c) {
    return {{"indices.npy", npy<std::int32_t>("<i4", {2, 0, 1})},
            {"indptr.npy", npy<std::int32_t>("<i4", {0, 2, 3})},
            {"format.npy", npy_text("csr")},
            {"shape.npy", npy<std::int64_t>("<i8", {2, 3})},
            {"data.npy", npy<double>("<f8", {a, b, c})}};
  }
  std::filesystem::path folder() {
    std::filesystem::create_directory(at("set"));
    return at("set");
  }
};

TEST_F(Npz, TrainAndTestShareOneCatalogue) {
  archive(folder() / "set_tr_0.npz", entries(4, 0, 3));
  archive(folder() / "set_tr_1.npz", entries(2, 5, 1));
  archive(folder() / "set_ts_0.npz", entries(1, 2, 3));
  archive(folder() / "set_ts_1.npz", entries(0, 0, 9));
  const Import in = read(folder());
  ASSERT_TRUE(in.test.has_value());
  EXPECT_EQ(in.report.format, "npz");
  EXPECT_EQ(in.ratings.users(), 2U);
  EXPECT_EQ(in.ratings.items(), 3U);
  EXPECT_EQ(in.ratings.data().catalogue, in.test->data().catalogue);
  EXPECT_EQ(in.ratings.criteria()[1].name, "criterion1");
  EXPECT_EQ(value(in.ratings, "0", "2", "overall"), 4);
  EXPECT_EQ(value(in.ratings, "0", "0", "overall"), -1);  // a stored 0 is missing
  EXPECT_EQ(value(in.ratings, "0", "0", "criterion1"), 5);
  // The same pair in both parts stays in both.
  EXPECT_EQ(value(*in.test, "0", "2", "overall"), 1);
  EXPECT_EQ(value(*in.test, "1", "1", "criterion1"), 9);
  EXPECT_EQ(in.ratings.criteria()[1].max, 9);
  EXPECT_EQ(in.report.zeros_as_missing, 3U);
  const auto items = in.ratings.of(0).items;
  EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
}

TEST_F(Npz, NamesCanBeGivenAndTestCanBeAbsent) {
  archive(folder() / "other_tr_0.npz", entries(4, 1, 3));
  archive(folder() / "other_tr_1.npz", entries(2, 5, 1));
  ReadOptions options;
  options.criteria = {"service"};
  const Import in = read(folder() / "", options);
  EXPECT_FALSE(in.test.has_value());
  EXPECT_EQ(in.ratings.criteria()[1].name, "service");
  options.criteria = {"a", "b"};
  EXPECT_EQ(error_of([&] { (void)read(folder(), options); }).code(), ErrorCode::usage);
}

TEST_F(Npz, OtherElementTypes) {
  archive(folder() / "set_tr_0.npz", {{"indices.npy", npy<std::int64_t>("<i8", {1})},
                                      {"indptr.npy", npy<std::int64_t>("<i8", {0, 0, 1})},
                                      {"format.npy", npy_text("csr")},
                                      {"shape.npy", npy<std::int32_t>("<i4", {2, 2})},
                                      {"data.npy", npy<float>("<f4", {2.5F})}});
  EXPECT_EQ(value(read(folder()).ratings, "1", "1", "overall"), 2.5F);
}

TEST_F(Npz, FoldersThatCannotBeRead) {
  EXPECT_THAT(error_of([&] { (void)read(folder()); }).message(), HasSubstr("no matrices"));
  archive(folder() / "set_tr_0.npz", entries(1, 2, 3));
  archive(folder() / "set_tr_2.npz", entries(1, 2, 3));
  EXPECT_THAT(error_of([&] { (void)read(folder()); }).message(), HasSubstr("set_tr_1.npz"));
  ReadOptions options;
  options.format = Format::npz;
  EXPECT_EQ(error_of([&] { (void)read(at("absent"), options); }).code(), ErrorCode::io);
}

TEST_F(Npz, AMatrixThatUnpacksToFarMoreThanItsFileIsRefused) {
  Entries bomb = entries(1, 2, 3);
  bomb[0].second = npy<std::int32_t>("<i4", std::vector<std::int32_t>(30'000'000, 0));
  archive(folder() / "set_tr_0.npz", bomb);
  EXPECT_LT(std::filesystem::file_size(folder() / "set_tr_0.npz"), 200'000U);
  const Error error = error_of([&] { (void)read(folder()); });
  EXPECT_EQ(error.code(), ErrorCode::too_large);
  EXPECT_THAT(error.message(), HasSubstr("unpacks to more than 200 times"));
}

TEST_F(Npz, AShapeThatIsFarLargerThanWhatItHoldsIsRefused) {
  Entries wide = entries(1, 2, 3);
  wide[3].second = npy<std::int64_t>("<i8", {2, 90'000'000});
  archive(folder() / "set_tr_0.npz", wide);
  const Error error = error_of([&] { (void)read(folder()); });
  EXPECT_EQ(error.code(), ErrorCode::too_large);
  EXPECT_THAT(error.message(), HasSubstr("2 x 90000000 with 3 ratings"));
}

TEST_F(Npz, MatricesThatContradictThemselves) {
  const auto error_with = [&](const std::string& entry, const std::string& bytes) {
    Entries all = entries(1, 2, 3);
    for (auto& [name, content] : all) {
      if (name == entry) content = bytes;
    }
    archive(folder() / "set_tr_0.npz", all);
    return error_of([&] { (void)read(folder()); });
  };
  const auto i4 = [](std::vector<std::int32_t> v) { return npy<std::int32_t>("<i4", v); };
  EXPECT_EQ(error_with("indices.npy", i4({2, 3, 1})).code(), ErrorCode::bad_input);
  EXPECT_EQ(error_with("indices.npy", i4({2, -1, 1})).code(), ErrorCode::bad_input);
  EXPECT_EQ(error_with("indptr.npy", i4({0, 4, 3})).code(), ErrorCode::bad_input);
  EXPECT_EQ(error_with("indptr.npy", i4({0, 3})).code(), ErrorCode::bad_input);
  EXPECT_EQ(error_with("indptr.npy", i4({})).code(), ErrorCode::bad_input);
  EXPECT_THAT(error_with("indices.npy", i4({2, 2, 1})).message(), HasSubstr("stored twice"));
  EXPECT_THAT(error_with("data.npy", npy<double>("<f8", {1, -2, 3})).message(),
              HasSubstr("negative"));
  EXPECT_EQ(error_with("format.npy", npy_text("csc")).code(), ErrorCode::unsupported);
  EXPECT_EQ(error_with("data.npy", npy<double>(">f8", {1, 2, 3})).code(), ErrorCode::unsupported);
  EXPECT_EQ(error_with("shape.npy", i4({2, 2000000000})).code(), ErrorCode::too_large);
  const std::string whole = npy<double>("<f8", {1, 2, 3});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(error_with("data.npy", whole.substr(0, length)).code(), ErrorCode::bad_input);
  }
}

TEST_F(Npz, CutFileAtEveryLength) {
  archive(at("whole.npz"), entries(1, 2, 3));
  const std::string whole = content(at("whole.npz"));
  const auto path = folder() / "set_tr_0.npz";
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, length);
    EXPECT_EQ(error_of([&] { (void)read(folder()); }).code(), ErrorCode::bad_input) << length;
  }
}

struct PublishedSet {
  const char* name;
  std::size_t users, items, train, test, criteria;
  const char* last;
};

class Published : public ::testing::TestWithParam<PublishedSet> {};

TEST_P(Published, CountsOfTheProtocol) {
  const PublishedSet& expected = GetParam();
  const std::filesystem::path folder = testing::shared_folder() / "data" / expected.name;
  PALATE_NEED_SHARED(folder);
  const Import in = read(folder);
  EXPECT_EQ(in.ratings.users(), expected.users);
  EXPECT_EQ(in.ratings.items(), expected.items);
  EXPECT_EQ(in.ratings.ratings_of(0), expected.train);
  ASSERT_TRUE(in.test.has_value());
  EXPECT_EQ(in.test->ratings_of(0), expected.test);
  ASSERT_EQ(in.ratings.criteria().size(), expected.criteria);
  EXPECT_EQ(in.ratings.criteria().back().name, expected.last);
  EXPECT_EQ(in.ratings.criteria()[0].min, 1);
  EXPECT_EQ(in.ratings.criteria()[0].max, 5);
  std::size_t in_both = 0;
  for (std::uint32_t u = 0; u < in.ratings.users(); ++u) {
    const UserRatings train = in.ratings.of(u);
    for (const std::uint32_t item : in.test->of(u).items) {
      in_both += std::binary_search(train.items.begin(), train.items.end(), item) ? 1 : 0;
    }
  }
  if (expected.name == std::string("BA")) {
    EXPECT_EQ(in_both, 1997U);
  }
  if (expected.name == std::string("YM")) {
    EXPECT_EQ(in_both, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sets, Published,
    ::testing::Values(PublishedSet{"YM", 1827, 1471, 34743, 11496, 5, "acting"},
                      PublishedSet{"TA", 5132, 7205, 27806, 13832, 8, "business"},
                      PublishedSet{"BA", 10726, 10832, 487133, 139862, 5, "taste"},
                      PublishedSet{"TA_toy", 1176, 2396, 5034, 2802, 8, "business"}),
    [](const auto& set) { return std::string(set.param.name); });

}  // namespace
}  // namespace palate::test
