#include "palate/model.hpp"

#include "api/answers.hpp"
#include "api/model_impl.hpp"
#include "methods/ca_gf/ca_gf.hpp"
#include "methods/popularity/popularity.hpp"

namespace palate {

Model::Model(std::shared_ptr<const Impl> impl) noexcept : Advisor(std::move(impl)) {}

Model make_model(Ratings ratings, Method method, std::unique_ptr<const Recommender> recommender,
                 std::string version, Stages seconds) {
  auto impl = std::make_shared<Model::Impl>();
  impl->ratings = std::make_unique<FittedRatings>(ratings);
  impl->recommender = std::move(recommender);
  impl->fallback = PopularityRecommender::fit(ratings);
  impl->origin = std::make_shared<const Origin>(
      Origin{std::move(method), std::move(version), std::move(seconds)});
  impl->train = std::move(ratings);
  return Inside::make<Model>(std::move(impl));
}

const Ratings& Model::ratings() const noexcept { return Inside::of(*this).train; }

ModelInfo describe(const Method& method, const Recommender& recommender) {
  ModelInfo out;
  out.method = method.name();
  out.settings = method.to_json();
  if (const auto* ca_gf = dynamic_cast<const CaGfRecommender*>(&recommender)) {
    out.filters = ca_gf->plan().filters;
    out.preference = ca_gf->plan().preference;
    out.variant = method.get("variant");
    out.solver = ca_gf->computation().exact ? "exact" : "fast";
    out.storage = storage_name(ca_gf->computation().storage);
    out.why = ca_gf->computation().why;
    out.graph_entries = ca_gf->graph_entries();
  }
  return out;
}

void Model::recommend_all(const RecommendOptions& options,
                          const std::function<void(const Recommendations&)>& sink,
                          const RunOptions& run) const {
  const Request request(Inside::of(*this), options);
  const auto who = [this](std::size_t k) {
    const auto user = static_cast<std::uint32_t>(k);
    return std::pair(Person{ratings().of(user), user}, std::string(ratings().user_id(user)));
  };
  answer(request, users(), who, sink, run);
}

}  // namespace palate
