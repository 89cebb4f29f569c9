#include "reproduce/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/atomic_file.hpp"
#include "command.hpp"
#include "reproduce/published.hpp"
#include "text.hpp"

namespace palate::cli::reproduce {
namespace {

constexpr std::array<std::string_view, 6> part_names = {"accuracy", "ablation", "filters",
                                                        "powers",   "maps",     "scaling"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string_view name_of(Part part) { return part_names[static_cast<std::size_t>(part)]; }

std::string Cell::name() const { return fmt::format("{}.{}.{}", data, name_of(part), what); }

Only::Only(const std::vector<std::string>& words) {
  std::vector<std::string> known(part_names.begin(), part_names.end());
  for (const std::string& word : words) {
    if (contains(part_names, word)) {
      parts_.push_back(word);
      continue;
    }
    const auto is_data = [&](const DataSet& data) { return data.name == word; };
    const auto is_row = [&](const Row& row) { return row.method == word; };
    if (std::any_of(data_sets().begin(), data_sets().end(), is_data)) {
      data_.push_back(word);
    } else if (std::any_of(rows().begin(), rows().end(), is_row)) {
      methods_.push_back(word);
    } else {
      for (const DataSet& data : data_sets()) known.emplace_back(data.name);
      for (const Row& row : rows()) known.emplace_back(row.method);
      throw wrong_call(fmt::format("--only does not know '{}'", printable(word)),
                       "it takes " + join(known, ", "));
    }
  }
}

bool Only::means(const Cell& cell) const {
  if (!parts_.empty() && !contains(parts_, name_of(cell.part))) return false;
  if (cell.part == Part::scaling) return data_.empty() && methods_.empty();
  if (!data_.empty() && !contains(data_, cell.data)) return false;
  const std::string_view method =
      cell.part == Part::accuracy ? std::string_view(cell.what) : "ca-gf";
  return methods_.empty() || contains(methods_, method);
}

CellFolder::CellFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) {
    throw Error(ErrorCode::io, "the folder cannot be made: " + failed.message(),
                {.file = folder_.string()});
  }
}

std::filesystem::path CellFolder::path(const Cell& cell) const {
  return folder_ / (cell.name() + ".json");
}

std::optional<Json> CellFolder::find(const Cell& cell) const {
  std::ifstream file(path(cell));
  if (!file) return std::nullopt;
  const Json kept = Json::parse(file, nullptr, false);
  if (!kept.is_object() || !kept.contains("asked") || !kept.contains("result")) return std::nullopt;
  if (kept["asked"] != cell.asked) return std::nullopt;
  return kept["result"];
}

void CellFolder::keep(const Cell& cell, Json result) const {
  AtomicFile file(path(cell));
  file.write(Json{{"asked", cell.asked}, {"result", std::move(result)}}.dump());
  file.commit();
}

}  // namespace palate::cli::reproduce
