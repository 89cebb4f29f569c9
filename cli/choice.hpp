// How settings were chosen, in words: short for whoever fits, whole for whoever asks.
#pragma once

#include <string>

#include "palate/model.hpp"
#include "session.hpp"

namespace palate::cli {

/// What was found and what simple ways are worth, one or two lines.
[[nodiscard]] std::string choice_text(const Choice& choice);
/// All of it: what it gains over simple ways, by which steps, and what each part gives.
[[nodiscard]] std::string choice_tables(const Session& session, const Choice& choice);
/// Every trial, in order.
[[nodiscard]] std::string trials_table(const Session& session, const Choice& choice);

/// "+5.4 %", of what the value was before.
[[nodiscard]] std::string percent_text(double gain, double before);

}  // namespace palate::cli
