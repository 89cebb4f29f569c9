// How long does a live model take to follow a rating, and to answer, also while ratings come in?
#include <atomic>
#include <thread>

#include "arguments.hpp"
#include "measure.hpp"
#include "palate/palate.hpp"

namespace {

constexpr auto usage = "bench_live DATA_FOLDER PRESET [UPDATES] [--json FILE]";

class Report {
 public:
  void add(const std::string& name, const std::vector<double>& seconds) {
    const auto ms = [&](double p) { return 1e3 * bench::percentile(seconds, p); };
    std::printf("%-40s %9.3f %9.3f %9.3f %9.3f   (%zu times)\n", name.c_str(), ms(0.5), ms(0.9),
                ms(0.99), ms(1), seconds.size());
    results_[name] = {{"p50_ms", ms(0.5)},
                      {"p90_ms", ms(0.9)},
                      {"p99_ms", ms(0.99)},
                      {"max_ms", ms(1)},
                      {"times", seconds.size()}};
  }
  [[nodiscard]] const bench::Json& results() const { return results_; }

 private:
  bench::Json results_ = bench::Json::object();
};

// Ratings by random people: of items that are rated already, and new ones of popular items.
class Changes {
 public:
  explicit Changes(const palate::Ratings& ratings) : ratings_(ratings) {}

  palate::RatingChange next() {
    while (true) {
      const auto user = static_cast<std::uint32_t>(random(ratings_.users()));
      const palate::UserRatings mine = ratings_.of(user);
      const palate::UserRatings other =
          ratings_.of(static_cast<std::uint32_t>(random(ratings_.users())));
      if (mine.size() == 0 || other.size() == 0) continue;
      const auto& from = random(2) == 0 ? mine : other;
      const std::uint32_t item = from.items[random(from.size())];
      std::vector<float> values;
      for (std::size_t c = 0; c < ratings_.criteria().size(); ++c) {
        values.push_back(1.0F + 0.5F * static_cast<float>(random(9)));
      }
      return {std::string(ratings_.user_id(user)), std::string(ratings_.item_id(item)), values};
    }
  }

 private:
  std::size_t random(std::size_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>((state_ >> 33) % n);
  }
  const palate::Ratings& ratings_;
  std::uint64_t state_ = 1;
};

std::vector<double> ask(const palate::LiveModel& live, const palate::Ratings& ratings,
                        std::size_t count) {
  std::vector<double> seconds;
  for (std::size_t k = 0; k < count; ++k) {
    const auto user = static_cast<std::uint32_t>(k * 7919 % ratings.users());
    const bench::Stopwatch watch;
    const auto list = live.snapshot().recommend(ratings.user_id(user));
    seconds.push_back(watch.seconds());
  }
  return seconds;
}

// A method whose weights stay as they are between two fits.
void measure_weights(const palate::Ratings& ratings, Report& report) {
  palate::LiveModel live(palate::fit(ratings, palate::Method("adaptive")));
  report.add("adaptive: recommend, live", ask(live, ratings, 1000));
  Changes changes(ratings);
  std::vector<double> updates;
  for (std::size_t k = 0; k < 2000; ++k) {
    const palate::RatingChange change = changes.next();
    const bench::Stopwatch watch;
    live.apply({&change, 1});
    updates.push_back(watch.seconds());
  }
  report.add("adaptive: one rating", updates);
}

void measure(const bench::Arguments& arguments) {
  const palate::Import data = palate::read(arguments.text(0));
  const palate::Ratings& ratings = data.ratings;
  palate::CaGf settings = palate::preset(arguments.text(1), ratings.criteria());
  settings.computing.solver = palate::Solver::exact;
  const palate::Model model = palate::fit(ratings, settings);
  Report report;
  std::printf("times in milliseconds\n%-40s %9s %9s %9s %9s\n", "", "p50", "p90", "p99", "max");

  std::vector<double> fitted;
  for (std::size_t k = 0; k < 1000; ++k) {
    const auto user = static_cast<std::uint32_t>(k * 7919 % ratings.users());
    const bench::Stopwatch watch;
    const auto list = model.recommend(ratings.user_id(user));
    fitted.push_back(watch.seconds());
  }
  report.add("recommend, fitted model", fitted);

  const bench::Stopwatch making;
  palate::LiveModel live(model);
  report.add("live model from fitted", {making.seconds()});
  report.add("recommend, live", ask(live, ratings, 1000));

  Changes changes(ratings);
  std::vector<double> updates, large;
  const std::size_t count = arguments.number(2, 2000);
  for (std::size_t k = 0; k < count; ++k) {
    const palate::RatingChange change = changes.next();
    const std::size_t n = ratings.of(*ratings.find_user(change.user)).size();
    const bench::Stopwatch watch;
    live.apply({&change, 1});
    updates.push_back(watch.seconds());
    if (n >= 80 && n <= 120) large.push_back(updates.back());
  }
  report.add("one rating", updates);
  report.add("one rating of someone with 80 to 120", large);
  report.add("recommend, live, after that", ask(live, ratings, 1000));

  std::vector<double> at_once, followed;
  for (std::size_t round = 0; round < 10; ++round) {
    for (int k = 0; k < 200; ++k) {
      const palate::RatingChange change = changes.next();
      const bench::Stopwatch watch;
      live.apply({&change, 1}, palate::Follow::later);
      at_once.push_back(watch.seconds());
    }
    const bench::Stopwatch watch;
    live.follow();
    followed.push_back(watch.seconds());
  }
  report.add("one rating, graph later", at_once);
  report.add("graph follows 200 ratings", followed);

  std::atomic<bool> stop{false};
  std::thread writer([&] {  // 200 ratings a second
    for (auto next = std::chrono::steady_clock::now(); !stop;
         next += std::chrono::milliseconds(5)) {
      std::this_thread::sleep_until(next);
      const palate::RatingChange change = changes.next();
      live.apply({&change, 1}, palate::Follow::later);
    }
  });
  std::thread follower([&] {
    while (!stop) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      live.follow();
    }
  });
  report.add("recommend, live, 200 ratings/s beside", ask(live, ratings, 2000));
  stop = true;
  writer.join();
  follower.join();
  measure_weights(ratings, report);
  std::printf("peak memory %.2f GB, %zu changes\n", static_cast<double>(bench::peak_bytes()) / 1e9,
              live.changes_since_fit());
  bench::write_json(arguments.text("json"), {{"data", arguments.text(0)},
                                             {"peak_bytes", bench::peak_bytes()},
                                             {"times", report.results()}});
}

}  // namespace

int main(int argc, char** argv) { return bench::run({argc, argv, usage, 2, {"json"}}, measure); }
