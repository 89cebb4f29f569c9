// Settings of methods and how they were chosen, as JSON and as words. The first byte says which.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/must.hpp"
#include "palate/error.hpp"
#include "palate/model.hpp"

namespace {

using namespace palate;
using namespace palate::fuzz;

void check_method(const Method& method) {
  const std::string json = method.to_json();
  must(Method::from_json(json).to_json() == json);
  for (const Setting& setting : method.description().settings) {
    Method again(method);
    again.set(setting.name, method.get(setting.name));
    must(again.get(setting.name) == method.get(setting.name));
  }
}

void check_choice(const Choice& choice) {
  const std::string json = to_json(choice);
  must(to_json(choice_from_json(json)) == json);
}

/// "ease:lambda=200"
void check_request(std::string_view text) {
  const MethodRequest request = MethodRequest::parse(text);
  request.check();
  must(!request.name().empty());
  must(request.fingerprint() == MethodRequest::parse(text).fingerprint());
}

/// "ease\nlambda\n200"
void check_words(std::string_view text) {
  const std::size_t first = text.find('\n');
  if (first == std::string_view::npos) return;
  const std::size_t second = text.find('\n', first + 1);
  if (second == std::string_view::npos) return;
  Method method(text.substr(0, first));
  method.set(text.substr(first + 1, second - first - 1), text.substr(second + 1));
  check_method(method);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  try {
    switch (data[0]) {
      case 'j':
        check_method(Method::from_json(text));
        break;
      case 'c':
        check_choice(choice_from_json(text));
        break;
      case 'r':
        check_request(text);
        break;
      default:
        check_words(text);
    }
  } catch (const Error& error) {
    must(error.code() == ErrorCode::usage || error.code() == ErrorCode::bad_input);
    must(!error.message().empty());
  }
  return 0;
}
