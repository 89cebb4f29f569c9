// What `palate serve` can be told.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palate/model.hpp"
#include "palate/ratings.hpp"
#include "server/http/http.hpp"
#include "server/http/log.hpp"

namespace palate::server {

struct Options {
  std::string store = {};            ///< a file or postgresql://...
  std::filesystem::path model = {};  ///< where the model is kept; empty: nowhere
  std::string listen = "127.0.0.1:8080";
  std::vector<std::string> cors = {};   ///< origins that pages may come from
  std::vector<std::string> hosts = {};  ///< names by which it is reached, besides its own
  bool behind_proxy = false;            ///< X-Forwarded-For of clients on loopback is believed
  unsigned threads = 0;                 ///< that answer; 0: two per core
  double queue_seconds = 10;            ///< that a request may wait for one of them
  std::size_t body_bytes = std::size_t{1} << 20;
  std::size_t bulk_bytes = std::size_t{1} << 30;
  std::optional<double> rate = {};  ///< requests per second and address; loopback is free if absent
  std::size_t cache_bytes = std::size_t{64} << 20;
  double save_seconds = 3600;  ///< how often a model with changes is fitted anew and kept
  double refit_share = 0.2;    ///< of one core that fits in the background may take on average
  LogLevel log = LogLevel::info;
  MethodRequest method = {};             ///< one that serves newcomers
  std::optional<double> threshold = {};  ///< relevant where settings are chosen; none: as usual
  std::size_t memory = 0;                ///< bytes that a fit may take; 0: what there is to spare
  ConnectionLimits connections = {};
};

}  // namespace palate::server
