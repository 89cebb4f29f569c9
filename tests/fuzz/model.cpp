// Model files. The first byte says what the rest is: 'r' a file as it is; 'f' a file whose
// checksums are put right, as whoever forges one would; else the description of a small model,
// whose arrays are as they were.
#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/parts.hpp"
#include "fuzz/must.hpp"
#include "model_file/checksum.hpp"
#include "model_file/model_file.hpp"
#include "model_file/model_layout.hpp"
#include "palate/palate.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace palate;
using namespace palate::fuzz;
namespace layout = model_layout;

const palate::testing::TemporaryFolder& folder() {
  static const palate::testing::TemporaryFolder made;
  return made;
}

std::span<const std::byte> bytes_of(const std::string& text, std::size_t from, std::size_t size) {
  return std::as_bytes(std::span(text)).subspan(from, size);
}

template <class T>
void put(std::string& file, std::size_t at, const T& value) {
  std::memcpy(file.data() + at, &value, sizeof(T));
}

/// Puts right what can be computed: checksums, and the size of the file.
void forge(std::string& file) {
  if (file.size() < sizeof(layout::Head)) return;
  auto head = layout::read_at<layout::Head>(std::as_bytes(std::span(file)), 0);
  head.magic = layout::magic;
  head.byte_order = layout::byte_order_mark;
  head.version = layout::version;
  head.file_bytes = file.size();
  put(file, 0, head);
  if (head.header_bytes > file.size() || head.header_bytes < sizeof(std::uint64_t)) return;
  for (std::uint64_t k = 0; k < head.sections; ++k) {
    const std::uint64_t at = sizeof(layout::Head) + k * sizeof(layout::Section);
    if (at + sizeof(layout::Section) > head.header_bytes) return;
    auto section = layout::read_at<layout::Section>(std::as_bytes(std::span(file)), at);
    if (section.offset > file.size() || section.bytes > file.size() - section.offset) return;
    section.checksum = checksum(bytes_of(file, section.offset, section.bytes));
    put(file, at, section);
  }
  const std::uint64_t covered = head.header_bytes - sizeof(std::uint64_t);
  put(file, covered, checksum(bytes_of(file, 0, covered)));
}

/// A small model of one method, taken apart.
const Parts& small_parts(std::uint8_t which) {
  static std::map<std::size_t, Parts> known;
  const std::vector<Method> all = {Method("popularity"), Method("item-knn"), Method("adaptive"),
                                   Method("ease"), Method("ca-gf")};
  const std::size_t k = which % all.size();
  if (const auto found = known.find(k); found != known.end()) return found->second;
  RatingsBuilder builder({"overall", "taste"});
  for (const auto& [user, item, value] :
       {std::tuple("a", "x", 4.0F), {"a", "y", 2.0F}, {"b", "y", 5.0F}, {"b", "z", 1.0F}}) {
    builder.add(user, item, std::vector<float>{value, 3});
  }
  fit(builder.build(), all[k], {.threads = 1}).save(folder() / "small.palate");
  return known.emplace(k, read_model_file(folder() / "small.palate", ModelBytes::copied))
      .first->second;
}

/// A model that was taken has to answer.
void ask(const Model& model) {
  const Abilities& can = describe_method(model.info().method).can;
  const Ratings& ratings = model.ratings();
  for (std::uint32_t user = 0; user < std::min<std::size_t>(ratings.users(), 4); ++user) {
    const std::string id(ratings.user_id(user));
    if (ratings.find_user(id) != user) continue;  // the order of a forged table
    const Recommendations list = model.recommend(id, {.top = 3});
    must(list.items.size() <= 3);
    for (const Recommended& one : list.items) must(one.index < ratings.items());
    if (list.items.empty() || !ratings.find_item(list.items.front().item)) continue;
    if (can.explain) {
      static_cast<void>(model.explain(id, list.items.front().item));
    }
    if (can.find_similar) {
      static_cast<void>(model.similar(list.items.front().item, 3));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(data + 1, data + size);
  const auto path = folder() / "m.palate";
  try {
    if (data[0] == 'r' || data[0] == 'f') {
      if (data[0] == 'f') forge(text);
      palate::testing::write_text(path, text);
    } else {
      Parts parts = small_parts(data[0]);
      parts.description = text;
      write_model_file(path, parts);
    }
    ask(Model::load(path, ModelBytes::copied));
  } catch (const Error& error) {
    must(!error.message().empty() && error.code() != ErrorCode::internal);
  }
  return 0;
}
