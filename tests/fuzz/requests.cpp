// What requests carry: parameters and filters of a query, cursors, JSON bodies with profiles, and
// lines of bulk bodies. The first byte says which. Whatever is taken has to keep the limits.
#include <cmath>
#include <cstdint>
#include <string>

#include "fuzz/must.hpp"
#include "palate/error.hpp"
#include "server/http/problem.hpp"
#include "server/routes/bodies.hpp"
#include "server/routes/shown.hpp"

namespace {

using namespace palate;
using namespace palate::fuzz;
using namespace palate::server;

const std::vector<Criterion> criteria = {{"overall", 1, 5}, {"taste", 0, 10}, {"aroma", 0, 0}};

void check_values(const std::vector<float>& values) {
  must(values.size() == criteria.size());
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (std::isnan(values[c])) continue;
    const float high = criteria[c].max > 0 ? criteria[c].max : 1e6F;
    must(values[c] >= criteria[c].min && values[c] <= high);
  }
}

void check_filter(const AttributeFilter& filter) {
  std::size_t values = 0;
  for (const auto& [name, texts] : filter) values += texts.size();
  must(filter.size() <= 20 && values <= 1000);
}

void query(std::string_view text) {
  const Query query(text);
  check_filter(filter_of(query));
  must(query.number("top", 10, 1, 1000) <= 1000);
  static_cast<void>(query.flag("attributions"));
  static_cast<void>(query.text("q"));
}

void cursor(std::string_view text) {
  Shown shown(text);
  must(shown.size() <= Shown::most);
  must(Shown(shown.cursor()).cursor() == shown.cursor());
  shown.add("an item");
  must(shown.has("an item"));
}

void body(std::string_view text) {
  const Json body = parse_object(text, {"user", "profile", "top", "weights", "filter", "allow",
                                        "deny", "include_rated", "cursor", "attributions"});
  must(parse_json(dump(body)) == body);
  if (body.contains("profile")) {
    const Profile profile = profile_of(body["profile"], criteria);
    must(!profile.empty() && profile.size() <= 10'000);
    for (const ProfileRating& rating : profile) must(!rating.item.empty());
  }
  if (body.contains("filter")) check_filter(filter_of(body["filter"]));
  if (body.contains("weights")) static_cast<void>(weights_of(body["weights"], criteria));
  must(texts_of(body, "allow", 100).size() <= 100);
  must(count_of(body, "top", 10, 1, 1000) <= 1000);
}

void lines(std::string_view text, RowKind kind) {
  const StoreWrite write = write_of(std::string(text), kind, criteria);
  if (const auto* rating = std::get_if<StoredRating>(&write)) check_values(rating->values);
}

void path(std::string_view text) {
  for (const std::string_view part : split_path(text)) {
    if (const auto id = percent_decode(part)) must(id->size() <= part.size());
  }
  if (const auto bytes = from_base64url(text)) must(bytes->size() <= text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  try {
    switch (data[0]) {
      case 'q':
        query(text);
        break;
      case 'c':
        cursor(text);
        break;
      case 'b':
        body(text);
        break;
      case 'r':
        lines(text, RowKind::rating);
        break;
      case 'u':
        lines(text, RowKind::user);
        break;
      case 'i':
        lines(text, RowKind::item);
        break;
      default:
        path(text);
    }
  } catch (const Problem& problem) {
    must(!problem.code.empty() && !problem.detail.empty());
  } catch (const Error& error) {
    must(error.code() == ErrorCode::bad_input || error.code() == ErrorCode::usage);
  }
  return 0;
}
