// palate::write_csv and palate::write_inter.
#include <fmt/format.h>

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/ratings_data.hpp"
#include "io/text_sink.hpp"
#include "palate/error.hpp"
#include "palate/io.hpp"

namespace palate {
namespace {

using io::TextSink;

/// Two columns of one name could not be told apart on reading.
void require_distinct(const std::vector<std::string>& header, const std::filesystem::path& path) {
  std::unordered_set<std::string> names;
  for (const std::string& name : header) {
    if (!names.insert(name).second) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("the file would have two columns called '{}'", name), {path.string()},
                  "rename the criterion");
    }
  }
}

void put_csv(TextSink& sink, std::string_view text, const std::filesystem::path& path) {
  using namespace std::string_view_literals;
  if (text.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::unsupported, "a text with a NUL byte cannot be written",
                {path.string()});
  }
  const bool padded = !text.empty() && (text.front() == ' ' || text.front() == '\t' ||
                                        text.back() == ' ' || text.back() == '\t');
  if (!padded && text.find_first_of(",\"\r\n"sv) == std::string_view::npos) {
    sink.put(text);
    return;
  }
  sink.put('"');
  for (const char ch : text) {
    if (ch == '"') sink.put('"');
    sink.put(ch);
  }
  sink.put('"');
}

void put_inter(TextSink& sink, std::string_view text, const std::filesystem::path& path) {
  using namespace std::string_view_literals;
  if (text.find_first_of("\t\n\r\0"sv) != std::string_view::npos) {
    throw Error(ErrorCode::unsupported,
                fmt::format("'{}' holds a tab or a line end, which an .inter file cannot",
                            text.substr(0, text.find_first_of("\t\n\r\0"sv))),
                {path.string()}, "write CSV instead, or change the id");
  }
  sink.put(text);
}

/// What follows the ids: ratings, empty where absent, then the time.
void put_values(TextSink& sink, const UserRatings& of_user, std::size_t k, std::size_t width,
                char delimiter) {
  for (std::size_t c = 0; c < width; ++c) {
    if (c > 0) sink.put(delimiter);
    if ((of_user.present[k] >> c & 1U) != 0) sink.put_number(of_user.values[k * width + c]);
  }
  if (!of_user.times.empty()) {
    sink.put(delimiter);
    if (of_user.times[k] != no_time) sink.put_number(of_user.times[k]);
  }
}

using Put = void (*)(TextSink& sink, std::string_view text, const std::filesystem::path& path);

void write_table(const Ratings& ratings, const std::filesystem::path& path,
                 const std::vector<std::string>& header, bool titles, char delimiter, Put put) {
  const std::size_t width = ratings.criteria().size();
  TextSink sink(path);
  for (std::size_t k = 0; k < header.size(); ++k) {
    if (k > 0) sink.put(delimiter);
    put(sink, header[k], path);
  }
  sink.put('\n');
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings of_user = ratings.of(user);
    for (std::size_t k = 0; k < of_user.size(); ++k) {
      const std::uint32_t item = of_user.items[k];
      put(sink, ratings.user_id(user), path);
      sink.put(delimiter);
      put(sink, ratings.item_id(item), path);
      sink.put(delimiter);
      if (titles) {
        put(sink, ratings.data().catalogue->titles[item], path);
        sink.put(delimiter);
      }
      put_values(sink, of_user, k, width, delimiter);
      sink.put('\n');
    }
  }
  sink.commit();
}

}  // namespace

void write_csv(const Ratings& ratings, const std::filesystem::path& path) {
  std::vector<std::string> header = {"user", "item"};
  if (ratings.has_titles()) header.emplace_back("title");
  for (const Criterion& criterion : ratings.criteria()) header.push_back(criterion.name);
  if (ratings.has_times()) header.emplace_back("timestamp");
  require_distinct(header, path);
  write_table(ratings, path, header, ratings.has_titles(), ',', put_csv);
}

void write_inter(const Ratings& ratings, const std::filesystem::path& path) {
  std::vector<std::string> header = {"user_id", "item_id"};
  for (const Criterion& criterion : ratings.criteria()) header.push_back(criterion.name);
  // RecBole's own name for the overall rating.
  if (header.size() > 2 && !ratings.find_criterion("rating")) header[2] = "rating";
  if (ratings.has_times()) header.emplace_back("timestamp");
  require_distinct(header, path);
  for (std::size_t k = 0; k < header.size(); ++k) header[k] += k < 2 ? ":token" : ":float";
  write_table(ratings, path, header, false, '\t', put_inter);
}

}  // namespace palate
