// JSON lines: one object a line.
#include "fuzz/tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  palate::fuzz::check_table(data, size, palate::Format::jsonl);
  return 0;
}
