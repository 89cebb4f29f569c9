#include "api/model_description.hpp"
#include "api/model_impl.hpp"
#include "core/ratings_data.hpp"
#include "methods/method_entry.hpp"
#include "model_file/model_file.hpp"
#include "palate/error.hpp"
#include "palate/version.hpp"

namespace palate {

Model fit(const Ratings& train, const Method& method, const RunOptions& run) {
  if (train.interactions() == 0) {
    throw Error(ErrorCode::bad_input, "there are no ratings to fit a model on");
  }
  ThreadPool pool(run.threads, run.progress, "graph");
  Stages seconds;
  auto recommender = MethodAccess::entry(method).fit(train, MethodAccess::settings(method),
                                                     {pool, run.progress, seconds, run.memory});
  return make_model(train, method, std::move(recommender), std::string(version),
                    std::move(seconds));
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
    const ModelDescription description = description_from_json(parts.description);
    const Ratings train = load_ratings(parts, description.criteria);
    if (train.users() != description.users || train.items() != description.items ||
        train.interactions() != description.interactions || train.criteria().empty()) {
      throw Error(ErrorCode::corrupt, "the model file contradicts itself");
    }
    const Method& method = description.method;
    auto recommender =
        MethodAccess::entry(method).load(parts, MethodAccess::settings(method), train);
    return make_model(train, method, std::move(recommender), description.version, {});
  } catch (const Error& error) {
    if (!error.where().file.empty()) throw;
    const ErrorCode code = error.code() == ErrorCode::usage ? ErrorCode::corrupt : error.code();
    throw Error(code, error.message(), {.file = path.string()}, error.hint());
  }
}

bool Model::is_model_file(const std::filesystem::path& path) { return looks_like_model_file(path); }

}  // namespace palate
