// Palate: multi-criteria recommendation by graph filtering. Include this one header.
//
//   auto data  = palate::read("beers.csv").ratings;
//   auto parts = palate::split(data, {.test = 0.2, .seed = 7});
//   auto model = palate::fit(parts.train, palate::tune(parts.train).method);
//   for (const auto& r : model.recommend("u42", {.weights = {{"taste", 2.0}}}).items) ...
//   auto why   = model.explain("u42", "beer7");        // parts that add up to the score
//   auto marks = palate::evaluate(model, parts.test);  // marks.mean["ndcg@10"]
#pragma once

#include "palate/api_keys.hpp"
#include "palate/audit_log.hpp"
#include "palate/error.hpp"
#include "palate/evaluation.hpp"
#include "palate/filter.hpp"
#include "palate/io.hpp"
#include "palate/live.hpp"
#include "palate/memory.hpp"
#include "palate/method.hpp"
#include "palate/model.hpp"
#include "palate/rating_store.hpp"
#include "palate/ratings.hpp"
#include "palate/run.hpp"
#include "palate/split.hpp"
#include "palate/synth.hpp"
#include "palate/version.hpp"
