#include <limits>
#include <string>
#include <vector>

#include "base/atomic_file.hpp"
#include "model_file/checksum.hpp"
#include "model_file/model_file.hpp"
#include "model_file/model_layout.hpp"

namespace palate {
namespace {

namespace layout = model_layout;

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append(std::vector<std::byte>& out, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void check(bool holds, const std::string& name) {
  if (!holds) {
    throw Error(ErrorCode::internal, "the part '" + name + "' cannot be put into a model file");
  }
}

std::uint64_t check_names(const Parts& parts) {
  std::uint64_t total = 0;
  for (const auto& [name, part] : parts.arrays) {
    total += name.size();
    check(!name.empty() && part.bytes.size() % element_size(part.type) == 0, name);
    check(total <= std::numeric_limits<std::uint32_t>::max(), name);
  }
  check(parts.arrays.size() <= std::numeric_limits<std::uint32_t>::max(), "");
  return total;
}

/// Head, table, names, description, zeros, checksum.
std::vector<std::byte> make_header(const Parts& parts) {
  const std::uint64_t name_bytes = check_names(parts);
  const std::uint64_t header_bytes =
      layout::header_bytes(parts.arrays.size(), name_bytes, parts.description.size());

  std::vector<layout::Section> table;
  std::uint64_t offset = header_bytes;
  std::uint32_t name_offset = 0;
  for (const auto& [name, part] : parts.arrays) {
    table.push_back({.name_offset = name_offset,
                     .name_bytes = static_cast<std::uint32_t>(name.size()),
                     .type = static_cast<std::uint32_t>(part.type),
                     .zero = 0,
                     .count = part.bytes.size() / element_size(part.type),
                     .offset = offset,
                     .bytes = part.bytes.size(),
                     .checksum = checksum(part.bytes)});
    name_offset += static_cast<std::uint32_t>(name.size());
    offset += layout::aligned(part.bytes.size());
  }

  std::vector<std::byte> header;
  header.reserve(header_bytes);
  append(header, layout::Head{.magic = layout::magic,
                              .byte_order = layout::byte_order_mark,
                              .version = layout::version,
                              .file_bytes = offset,
                              .header_bytes = header_bytes,
                              .description_bytes = parts.description.size(),
                              .sections = static_cast<std::uint32_t>(table.size()),
                              .name_bytes = static_cast<std::uint32_t>(name_bytes)});
  for (const layout::Section& section : table) append(header, section);
  for (const auto& [name, part] : parts.arrays) append(header, name);
  append(header, parts.description);
  header.resize(header_bytes - sizeof(std::uint64_t));
  append(header, checksum(header));
  return header;
}

}  // namespace

void write_model_file(const std::filesystem::path& path, const Parts& parts) {
  const std::vector<std::byte> header = make_header(parts);
  constexpr std::array<std::byte, layout::alignment> zeros{};
  AtomicFile file(path);
  file.write(header);
  for (const auto& [name, part] : parts.arrays) {
    if (part.bytes.empty()) continue;
    file.write(part.bytes);
    file.write(std::span(zeros).first(layout::aligned(part.bytes.size()) - part.bytes.size()));
  }
  file.commit();
}

}  // namespace palate
