// Writes to a store until it is killed or an error comes, and says on stdout what was acknowledged:
//   store_writer STORE PREFIX THREADS WRITES
// prints "user item value" for each write that returned, and "error CODE" if one failed.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "palate/error.hpp"
#include "palate/rating_store.hpp"

namespace {

// One call, so that lines of different threads do not mix and none is lost in a buffer.
void say(const std::string& line) {
  if (::write(1, line.data(), line.size()) < 0) std::_Exit(4);
}

void work(palate::RatingStore& store, const std::string& prefix, int writes) {
  try {
    for (int k = 0; k < writes; ++k) {
      const std::string user = prefix + std::to_string(k);
      const std::string item = "i" + std::to_string(k % 50);
      const int value = k % 5 + 1;
      const palate::StoreWrite write =
          palate::StoredRating{user, item, {static_cast<float>(value), 3}};
      store.write(std::span(&write, 1));
      say(user + " " + item + " " + std::to_string(value) + "\n");
    }
  } catch (const palate::Error& error) {
    say("error " + std::string(palate::kind_of(error.code()).name) + "\n");
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  try {
    const auto store = palate::open_store(words[1]);
    say("ready\n");
    std::vector<std::thread> threads;
    for (int t = 0; t < std::atoi(words[3]); ++t) {
      threads.emplace_back(work, std::ref(*store), words[2] + std::to_string(t) + "-",
                           std::atoi(words[4]));
    }
    for (std::thread& thread : threads) thread.join();
  } catch (const palate::Error& error) {
    say("error " + std::string(palate::kind_of(error.code()).name) + "\n");
    return 3;
  }
  return 0;
}
