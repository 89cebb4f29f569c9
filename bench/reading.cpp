// How many rows a second does one thread read from a CSV file, beside a naive parser?
#include <array>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "arguments.hpp"
#include "made_up.hpp"
#include "measure.hpp"
#include "palate/palate.hpp"
#include "support/temporary_folder.hpp"

namespace {

constexpr auto usage =
    "bench_reading [ROWS] [--csv FILE] [--repeats N] [--json FILE]   the file is made if it is not "
    "there";

std::string name_of(std::uint32_t user) {
  // 2 to 11 letters, and a number that keeps the names apart.
  const std::uint64_t bits = palate::mix64(user);
  std::string name;
  for (std::uint64_t k = 0; k < 2 + bits % 10; ++k) {
    name += static_cast<char>('a' + (palate::mix64(bits + k) >> 20) % 26);
  }
  return name + std::to_string(user);
}

// BeerAdvocate's shape: 10,726 people and 10,832 beers for 487,133 rows.
void write_csv(const std::filesystem::path& file, std::size_t rows) {
  const std::size_t users = std::max<std::size_t>(1, rows * 10'726 / 487'133);
  const std::size_t items = std::max<std::size_t>(100, rows * 10'832 / 487'133);
  std::ofstream out(file);
  out << "user,item,overall,appearance,aroma,palate,taste\n";
  const bench::MadeUp shape{.users = users, .items = items, .interactions = rows};
  bench::make_up(shape, [&](std::uint32_t user, std::uint32_t item, const bench::Values& values) {
    out << name_of(user) << ',' << 5 + item * 7;
    for (const float value : values) out << ',' << value;
    out << '\n';
  });
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

struct Row {
  std::size_t user, item;
  std::array<float, 5> values;
};

std::size_t read_naively(const std::filesystem::path& file) {
  std::unordered_map<std::string, std::size_t> users, items;
  std::vector<Row> rows;
  std::ifstream in(file);
  std::string line, field;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::stringstream fields(line);
    Row row{};
    std::getline(fields, field, ',');
    row.user = users.try_emplace(field, users.size()).first->second;
    std::getline(fields, field, ',');
    row.item = items.try_emplace(field, items.size()).first->second;
    for (float& value : row.values) {
      std::getline(fields, field, ',');
      value = std::stof(field);
    }
    rows.push_back(row);
  }
  return rows.size();
}

void measure(const bench::Arguments& arguments) {
  const palate::testing::TemporaryFolder folder;
  const std::filesystem::path file = arguments.text("csv", (folder.path() / "beers.csv").string());
  if (!std::filesystem::exists(file)) write_csv(file, arguments.number(0, 487'133));

  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  std::printf("%.1f MB, one thread\n", bytes / 1e6);
  auto results = bench::Json::object();
  const std::size_t repeats = std::max<std::size_t>(1, arguments.number("repeats", 5));
  const auto report = [&](const char* name, auto read) {
    std::size_t rows = 0;
    double best = 0;
    for (std::size_t k = 0; k < repeats; ++k) {
      const bench::Stopwatch watch;
      rows = read();
      const double spent = watch.seconds();
      best = k == 0 ? spent : std::min(best, spent);
    }
    const double rate = static_cast<double>(rows) / best;
    std::printf("%-24s %8.3f s  %6.2f M rows/s  %6.0f MB/s  (%zu rows)\n", name, best, rate / 1e6,
                bytes / best / 1e6, rows);
    results[name] = {{"rows", rows}, {"seconds", best}, {"rows_per_second", rate}};
  };
  report("palate::read",
         [&] { return palate::read(file, {}, {.threads = 1}).ratings.interactions(); });
  report("naive parser", [&] { return read_naively(file); });
  bench::write_json(arguments.text("json"), results);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run({argc, argv, usage, 0, {"csv", "repeats", "json"}}, measure);
}
