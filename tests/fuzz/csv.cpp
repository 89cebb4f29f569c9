// Comma separated values, and whatever else a delimiter is guessed in.
#include "fuzz/tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  palate::fuzz::check_table(data, size, palate::Format::csv);
  return 0;
}
