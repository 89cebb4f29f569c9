#include "palate/model.hpp"

#include <cmath>
#include <mutex>
#include <vector>

#include "api/answers.hpp"
#include "api/model_impl.hpp"
#include "live/earlier_fit.hpp"
#include "methods/adaptive/adaptive.hpp"
#include "methods/ca_gf/ca_gf.hpp"
#include "methods/linear/linear_recommender.hpp"
#include "methods/popularity/popularity.hpp"

namespace palate {
namespace {

class FittedRatings final : public RatingsView {
 public:
  explicit FittedRatings(Ratings ratings) : ratings_(std::move(ratings)) {}

  [[nodiscard]] Counts counts() const noexcept override {
    return {ratings_.users(), ratings_.items(), ratings_.interactions()};
  }
  [[nodiscard]] std::span<const Criterion> criteria() const noexcept override {
    return ratings_.criteria();
  }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return ratings_.interactions() * (2 + ratings_.criteria().size()) * sizeof(float);
  }
  [[nodiscard]] std::optional<std::uint32_t> find_user(
      std::string_view id) const noexcept override {
    return ratings_.find_user(id);
  }
  [[nodiscard]] UserRatings of(std::uint32_t user) const noexcept override {
    return ratings_.of(user);
  }
  [[nodiscard]] std::optional<std::uint32_t> find_item(
      std::string_view id) const noexcept override {
    return ratings_.find_item(id);
  }
  [[nodiscard]] std::string_view item_id(std::uint32_t item) const noexcept override {
    return ratings_.item_id(item);
  }
  [[nodiscard]] std::string_view item_title(std::uint32_t item) const noexcept override {
    return ratings_.item_title(item);
  }
  /// The first call adds them all up: ratings lie by user, and few callers want a total.
  [[nodiscard]] ItemTotal total(std::uint32_t item, std::size_t criterion) const override {
    const std::size_t width = ratings_.criteria().size();
    std::call_once(added_up_, [&] {
      std::vector<ItemTotal> totals(ratings_.items() * width);
      for (std::uint32_t user = 0; user < ratings_.users(); ++user) {
        const UserRatings row = ratings_.of(user);
        for (std::size_t k = 0; k < row.size(); ++k) {
          for (std::size_t c = 0; c < width; ++c) {
            if ((row.present[k] >> c & 1U) == 0) continue;
            ItemTotal& total = totals[row.items[k] * width + c];
            total.sum += static_cast<double>(row.values[k * width + c]);
            ++total.count;
          }
        }
      }
      totals_ = std::move(totals);
    });
    return totals_[item * width + criterion];
  }
  [[nodiscard]] std::size_t item_indices() const noexcept override { return ratings_.items(); }
  [[nodiscard]] std::span<const std::uint8_t> known_items() const noexcept override { return {}; }

 private:
  const Ratings ratings_;
  mutable std::once_flag added_up_;
  mutable std::vector<ItemTotal> totals_;  ///< item * criteria + criterion
};

// In the ridge with one strength for all items a pattern (an eigenvector of M) whose eigenvalue is
// c times the mean one passes as c / (c + lambda): M (M + lambda mean(N_ii))^-1, and the mean of
// the eigenvalues is that of the diagonal. Strengths from a hundredth to a thousand times the mean.
std::vector<std::pair<double, double>> ridge_response(double lambda) {
  constexpr int steps = 50;
  std::vector<std::pair<double, double>> out;
  for (int k = 0; k <= steps; ++k) {
    const double strength = std::pow(10.0, -2 + 5.0 * k / steps);
    out.emplace_back(strength, strength / (strength + lambda));
  }
  return out;
}

}  // namespace

Model::Model(std::shared_ptr<const Impl> impl) noexcept : Advisor(std::move(impl)) {}

Model make_model(Ratings ratings, std::unique_ptr<const Recommender> recommender, Origin origin) {
  auto impl = std::make_shared<Model::Impl>();
  impl->ratings = std::make_unique<FittedRatings>(ratings);
  impl->recommender = std::move(recommender);
  impl->fallback = PopularityRecommender::fit(ratings);
  impl->origin = std::make_shared<const Origin>(std::move(origin));
  impl->train = std::move(ratings);
  impl->lasts = true;
  return Inside::make<Model>(std::move(impl));
}

const Ratings& Model::ratings() const noexcept { return Inside::of(*this).train; }

ModelInfo describe(const Method& method, const Recommender& recommender) {
  ModelInfo out;
  out.method = method.name();
  out.settings = method.to_json();
  const auto* earlier = dynamic_cast<const live::EarlierFit*>(&recommender);
  const Recommender* fitted = earlier != nullptr ? &earlier->fitted() : &recommender;
  if (const auto* ca_gf = dynamic_cast<const CaGfRecommender*>(fitted)) {
    out.filters = ca_gf->plan().filters;
    out.preference = ca_gf->plan().preference;
    out.variant = method.get("variant");
    out.solver = ca_gf->computation().exact ? "exact" : "fast";
    out.storage = storage_name(ca_gf->computation().storage);
    out.why = ca_gf->computation().why;
    out.graph_entries = ca_gf->graph_entries();
  } else if (const auto* linear = dynamic_cast<const LinearRecommender*>(&recommender);
             linear != nullptr && !linear->weights().why().empty()) {
    out.storage = linear->weights().storage();
    out.why = linear->weights().why();
  }
  if (out.method == "adaptive") {
    const auto& settings = *static_cast<const Adaptive*>(MethodAccess::settings(method));
    if (settings.weights == Adaptive::Weights::ridge) {
      out.response = ridge_response(settings.lambda);
    }
  }
  return out;
}

void Model::recommend_all(const RecommendOptions& options,
                          const std::function<void(const Recommendations&)>& sink,
                          const RunOptions& run) const {
  const Request request(Inside::of(*this), options);
  const auto who = [this](std::size_t k) {
    const auto user = static_cast<std::uint32_t>(k);
    return std::pair(Asker{ratings().of(user), user}, std::string(ratings().user_id(user)));
  };
  answer(request, users(), who, sink, run);
}

}  // namespace palate
