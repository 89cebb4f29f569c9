// What people try out on the ratings of the store: methods beside each other, dials, another fit.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "palate/palate.hpp"
#include "server/service/engine.hpp"
#include "server/service/jobs.hpp"

namespace palate::server {

/// How a part is set aside to measure on.
struct HeldBack {
  double share = 0.2;
  std::uint64_t seed = 1;
};

struct ComparisonOrder {
  std::vector<std::string> methods = {};  ///< as MethodRequest::parse() takes them
  std::size_t at = 10;                    ///< length of lists
  HeldBack held_back = {};
};

struct DialsOrder {
  std::string method = {};  ///< empty: what is served, with the settings found for it
  HeldBack held_back = {};
};

/// Jobs on the ratings of an engine. Each makes an order that Jobs takes, once what can be known in
/// advance has been checked (Error{usage}, Error{unsupported}).
class Workbench {
 public:
  explicit Workbench(Engine& engine, const Options& options) : engine_(engine), options_(options) {}

  [[nodiscard]] Jobs::Order fit(const std::string& method);
  [[nodiscard]] Jobs::Order compare(const ComparisonOrder& order);
  [[nodiscard]] Jobs::Order dials(const DialsOrder& order);

  /// The lists of one person in the comparison that was done last, beside what was held back of
  /// theirs. Null if job `id` is not that comparison; Error{not_found} for a user it does not know.
  [[nodiscard]] Json lists_of(std::uint64_t id, const std::string& user) const;

 private:
  struct Compared {
    std::string name;
    std::vector<std::uint32_t> lists;  ///< of every user, `at` places each
    std::vector<std::string> metrics;
    std::vector<std::vector<float>> per_user;  ///< as in Evaluation
  };
  struct Comparison {
    std::uint64_t id = 0;
    std::size_t at = 0;
    Ratings test;
    std::vector<std::uint32_t> judged;
    double threshold = 0;
    std::vector<Compared> methods;
  };
  [[nodiscard]] Json run_fit(const MethodRequest& wish, JobControl& control);
  [[nodiscard]] Json run_comparison(const ComparisonOrder& order, JobControl& control,
                                    std::uint64_t id);
  [[nodiscard]] Json run_dials(const DialsOrder& order, JobControl& control);
  [[nodiscard]] Split parts(const HeldBack& held_back, JobControl& control);
  [[nodiscard]] ChooseOptions choose_options(std::uint64_t seed) const;
  [[nodiscard]] EvaluateOptions evaluate_options(std::size_t at) const;

  Engine& engine_;
  const Options& options_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Comparison> last_;
};

}  // namespace palate::server
