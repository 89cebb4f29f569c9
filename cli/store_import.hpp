// Ratings from files into a store.
#pragma once

#include <string>
#include <vector>

#include "data.hpp"

namespace palate::cli {

/// palate import --store: reads each file in turn and writes what differs from the store.
void import_into_store(Session& session, const std::string& where,
                       const std::vector<std::string>& files, const ReadOptions& read);

}  // namespace palate::cli
