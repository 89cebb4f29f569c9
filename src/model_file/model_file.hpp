// One file for one model: versioned, checksummed, self-describing (docs/model-file.md).
#pragma once

#include <filesystem>

#include "core/parts.hpp"
#include "palate/model.hpp"

namespace palate {

/// Writes under a temporary name, then renames.
void write_model_file(const std::filesystem::path& path, const Parts& parts);

/// Maps or copies the file; the arrays of the result point into that and keep it alive. Throws
/// Error{io} if it cannot be opened, Error{corrupt} if it is not a whole, unaltered model file of a
/// version that this program reads.
[[nodiscard]] Parts read_model_file(const std::filesystem::path& path,
                                    ModelBytes bytes = ModelBytes::mapped);

/// Whether the file begins with the magic of a model file.
[[nodiscard]] bool looks_like_model_file(const std::filesystem::path& path);

}  // namespace palate
