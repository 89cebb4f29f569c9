#include "api/answers.hpp"
#include "api/model_impl.hpp"
#include "base/thread_pool.hpp"
#include "evaluation/evaluator.hpp"
#include "palate/error.hpp"
#include "palate/evaluation.hpp"

namespace palate {
namespace {

void check_catalogue(const Ratings& train, const Ratings& test) {
  if (test.users() == train.users() && test.items() == train.items()) return;
  throw Error(ErrorCode::usage, "the test part does not belong to the ratings of the model", {},
              "split one set of ratings, or read the test file against the model's ratings");
}

}  // namespace

Evaluation evaluate(const Model& model, const Ratings& test, const EvaluateOptions& options,
                    const RunOptions& run) {
  const Ratings& train = model.ratings();
  check_catalogue(train, test);
  const Model::Impl& asked = Inside::of(model);
  const Recommender& recommender = *asked.recommender;
  const std::vector<float> terms =
      resolve_term_weights(train.criteria(), recommender, options.term_weights);
  const std::vector<TurnedDial> turned = resolve_dials(asked, options.weights);
  std::vector<float> boost;
  if (!turned.empty()) boost = boosts(asked.dials().contrasts, turned);
  ThreadPool pool(run.threads, run.progress, "evaluate");
  Evaluation out =
      evaluate_recommender(recommender, train, test, options, {terms, boost}, pool, run.progress);
  out.name = asked.origin->method.name();
  return out;
}

Evaluation evaluate_lists(const Ratings& train, const Ratings& test,
                          const std::function<std::vector<std::uint32_t>(std::uint32_t)>& list_of,
                          const EvaluateOptions& options, const RunOptions& run) {
  check_catalogue(train, test);
  if (!options.weights.empty() || !options.term_weights.empty()) {
    throw Error(ErrorCode::usage, "lists that are made already cannot be weighed by criterion");
  }
  ThreadPool pool(run.threads, run.progress, "evaluate");
  Evaluation out = evaluate_given_lists(list_of, train, test, options, pool, run.progress);
  out.name = "lists";
  return out;
}

}  // namespace palate
