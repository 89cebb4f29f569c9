// Where the time goes from ratings in memory to the top ten of everybody, cold and warm.
//   bench_stages DATA_FOLDER PRESET [REPEATS] [THREADS]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "palate/palate.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_stages DATA_FOLDER PRESET [REPEATS] [THREADS]\n");
    return 2;
  }
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  const palate::RunOptions run{.threads = argc > 4 ? static_cast<unsigned>(std::atoi(argv[4])) : 0};
  const palate::Import data = palate::read(argv[1]);
  const palate::CaGf settings = palate::preset(argv[2], data.ratings.criteria());
  for (int k = 0; k < repeats; ++k) {
    palate::Stages stages;
    const auto start = std::chrono::steady_clock::now();
    const palate::Model model = palate::fit(data.ratings, settings, run, &stages);
    const auto fitted = std::chrono::steady_clock::now();
    std::size_t lists = 0;
    model.recommend_all(
        {}, [&](const palate::Recommendations& one) { lists += one.items.size(); }, run);
    const auto end = std::chrono::steady_clock::now();
    const auto seconds = [](auto d) { return std::chrono::duration<double>(d).count(); };
    std::printf("%s", k == 0 ? "cold" : "warm");
    for (const auto& [stage, spent] : stages) std::printf("  %s %.4f", stage.c_str(), spent);
    std::printf("  recommend %.4f  total %.4f s  (%zu places)\n", seconds(end - fitted),
                seconds(end - start), lists);
  }
  return 0;
}
