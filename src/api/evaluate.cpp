#include "api/answers.hpp"
#include "api/model_impl.hpp"
#include "base/thread_pool.hpp"
#include "evaluation/evaluator.hpp"
#include "palate/error.hpp"
#include "palate/evaluation.hpp"

namespace palate {

Evaluation evaluate(const Model& model, const Ratings& test, const EvaluateOptions& options,
                    const RunOptions& run) {
  const Ratings& train = model.ratings();
  if (test.users() != train.users() || test.items() != train.items()) {
    throw Error(ErrorCode::usage, "the test part does not belong to the ratings of the model", {},
                "split one set of ratings, or read the test file against the model's ratings");
  }
  const Recommender& recommender = *model.impl().recommender;
  const std::vector<float> weights =
      resolve_weights(train.criteria(), recommender, options.weights);
  ThreadPool pool(run.threads);
  Evaluation out =
      evaluate_recommender(recommender, train, test, options, weights, pool, run.progress);
  out.name = method_name(model.impl().method);
  return out;
}

}  // namespace palate
