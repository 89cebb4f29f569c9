// A folder of its own for each test, gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "palate/error.hpp"
#include "palate/io.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace palate::test {

class TempFolder : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path at(const std::string& name) const { return folder_ / name; }
  std::filesystem::path file(const std::string& name, std::string_view text) const {
    testing::write_text(at(name), std::string(text));
    return at(name);
  }
  std::filesystem::path gzip_file(const std::string& name, std::string_view text) const {
    gzFile out = gzopen(at(name).c_str(), "wb");
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    gzclose(out);
    return at(name);
  }
  static std::string content(const std::filesystem::path& path) { return testing::read_text(path); }

 private:
  testing::TemporaryFolder folder_;
};

/// The error that `call` throws.
template <class Call>
Error error_of(Call&& call) {
  return testing::thrown_by(call);
}

/// The names alone.
inline std::vector<std::string> ignored(const ImportReport& report) {
  std::vector<std::string> out;
  for (const IgnoredColumn& column : report.ignored_columns) out.push_back(column.name);
  return out;
}

/// Why a column was set aside, or "used".
inline std::string reason(const ImportReport& report, std::string_view name) {
  for (const IgnoredColumn& column : report.ignored_columns) {
    if (column.name == name) return column.reason;
  }
  return "used";
}

/// The value of one rating, or -1 where it is absent.
inline float value(const Ratings& ratings, std::string_view user, std::string_view item,
                   std::string_view criterion) {
  const auto u = ratings.find_user(user);
  const auto i = ratings.find_item(item);
  const auto c = ratings.find_criterion(criterion);
  if (!u || !i || !c) return -2;
  const UserRatings of_user = ratings.of(*u);
  for (std::size_t k = 0; k < of_user.size(); ++k) {
    if (of_user.items[k] != *i) continue;
    if ((of_user.present[k] >> *c & 1U) == 0) return -1;
    return of_user.values[k * ratings.criteria().size() + *c];
  }
  return -1;
}

}  // namespace palate::test
