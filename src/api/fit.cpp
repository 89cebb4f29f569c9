#include <chrono>

#include "api/model_impl.hpp"
#include "api/settings_json.hpp"
#include "core/ratings_data.hpp"
#include "methods/ca_gf/ca_gf.hpp"
#include "methods/item_knn/item_knn.hpp"
#include "methods/popularity/popularity.hpp"
#include "model_file/model_file.hpp"
#include "palate/error.hpp"
#include "palate/version.hpp"

namespace palate {
namespace {

struct Fit {
  // Runs the work and says how long it took.
  template <class Work>
  auto timed(const char* stage, const Work& work) const {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    if (stages != nullptr) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      stages->emplace_back(stage, spent.count());
    }
    return result;
  }

  const Ratings& train;
  ThreadPool& pool;
  const Progress& progress;
  Stages* stages;
  std::size_t memory;

  std::unique_ptr<const Recommender> operator()(const CaGf& settings) const {
    return CaGfRecommender::fit(train, plan_ca_gf(settings, train.criteria()),
                                {pool, progress, stages, memory});
  }
  std::unique_ptr<const Recommender> operator()(const Popularity& /*settings*/) const {
    return timed("count", [&] { return PopularityRecommender::fit(train); });
  }
  std::unique_ptr<const Recommender> operator()(const ItemKnn& settings) const {
    return timed("graph", [&] { return ItemKnnRecommender::fit(train, settings, pool, progress); });
  }
};

struct Load {
  const Parts& parts;
  const Ratings& train;

  std::unique_ptr<const Recommender> operator()(const CaGf& settings) const {
    return CaGfRecommender::load(parts, plan_ca_gf(settings, train.criteria()), train);
  }
  std::unique_ptr<const Recommender> operator()(const Popularity& /*settings*/) const {
    return PopularityRecommender::load(parts, train);
  }
  std::unique_ptr<const Recommender> operator()(const ItemKnn& /*settings*/) const {
    return ItemKnnRecommender::load(parts, train);
  }
};

}  // namespace

Model fit(const Ratings& train, const Method& method, const RunOptions& run, Stages* stages) {
  if (train.interactions() == 0) {
    throw Error(ErrorCode::bad_input, "there are no ratings to fit a model on");
  }
  ThreadPool pool(run.threads, run.progress, "graph");
  auto recommender = std::visit(Fit{train, pool, run.progress, stages, run.memory}, method);
  return make_model(train, method, std::move(recommender), std::string(version));
}

void Model::save(const std::filesystem::path& path) const {
  const Ratings& train = ratings();
  const Origin& origin = *Inside::of(*this).origin;
  Parts parts;
  parts.description = description_to_json({origin.version,
                                           origin.method,
                                           {train.criteria().begin(), train.criteria().end()},
                                           train.users(),
                                           train.items(),
                                           train.interactions()});
  save_ratings(train, parts);
  Inside::of(*this).recommender->save(parts);
  write_model_file(path, parts);
}

Model Model::load(const std::filesystem::path& path) {
  try {
    const Parts parts = read_model_file(path);
    const Description description = description_from_json(parts.description);
    const Ratings train = load_ratings(parts, description.criteria);
    if (train.users() != description.users || train.items() != description.items ||
        train.interactions() != description.interactions || train.criteria().empty()) {
      throw Error(ErrorCode::corrupt, "the model file contradicts itself");
    }
    auto recommender = std::visit(Load{parts, train}, description.method);
    return make_model(train, description.method, std::move(recommender), description.version);
  } catch (const Error& error) {
    if (!error.where().file.empty()) throw;
    const ErrorCode code = error.code() == ErrorCode::usage ? ErrorCode::corrupt : error.code();
    throw Error(code, error.message(), {.file = path.string()}, error.hint());
  }
}

bool Model::is_model_file(const std::filesystem::path& path) { return looks_like_model_file(path); }

}  // namespace palate
