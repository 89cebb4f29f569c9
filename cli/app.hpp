// The tool as a whole: the tree of commands, parsing, and what happens to errors and signals.
#pragma once

namespace palate::cli {

/// Runs one command line and returns the exit status. Never throws.
int run(int argc, char** argv) noexcept;

}  // namespace palate::cli
