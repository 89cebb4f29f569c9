#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <random>
#include <sstream>
#include <thread>

#include "rating_store/sqlite/connection.hpp"
#include "support/errors.hpp"
#include "unit/rating_store/store_under_test.hpp"

// libpqxx 6.4 forgets the answer of libpq when a connection breaks while it sends a statement.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpqxx"; }

namespace palate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The program store_writer, at work in a process of its own.
class Writer {
 public:
  /// `limit`: how large a file it may write, in bytes; 0 for no limit.
  Writer(const std::string& store, const std::string& prefix, int threads, int writes,
         rlim_t limit = 0) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    // The environment names the program; ctest sets it.
    const char* const program = std::getenv("PALATE_STORE_WRITER");
    if (program == nullptr) throw std::runtime_error("PALATE_STORE_WRITER is not set");
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], 1);
      if (limit > 0) {
        ::signal(SIGXFSZ, SIG_IGN);  // so that writing fails instead
        const rlimit most{limit, limit};
        ::setrlimit(RLIMIT_FSIZE, &most);
      }
      ::execl(program, "store_writer", store.c_str(), prefix.c_str(),
              std::to_string(threads).c_str(), std::to_string(writes).c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    reading_ = std::thread([this, end = ends[0]] {
      std::array<char, 4096> block{};
      for (ssize_t got = 0; (got = ::read(end, block.data(), block.size())) > 0;) {
        const std::lock_guard lock(mutex_);
        said_.append(block.data(), static_cast<std::size_t>(got));
      }
      ::close(end);
    });
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { finish(SIGKILL); }

  void wait_for_lines(std::size_t lines) {
    for (int patience = 0; patience < 30'000 && count() < lines; ++patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_GE(count(), lines);
  }
  /// All it said, complete lines, after the process ended by itself (0) or by the signal.
  std::vector<std::string> finish(int signal = 0) {
    if (process_ > 0) {
      if (signal != 0) ::kill(process_, signal);
      ::waitpid(process_, nullptr, 0);
      process_ = 0;
      reading_.join();
    }
    std::vector<std::string> lines;
    std::istringstream in(said_);
    for (std::string line; std::getline(in, line) && !in.eof();) lines.push_back(line);
    return lines;
  }

 private:
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count(said_.begin(), said_.end(), '\n'));
  }

  pid_t process_ = 0;
  std::mutex mutex_;
  std::string said_;
  std::thread reading_;
};

std::vector<std::string> found_by(store::SqliteConnection& db, const char* check) {
  return db.list(check, [](const store::Row& row) { return row.string(0); });
}

class DurabilityTest : public StoreUnderTest {
 protected:
  /// Every acknowledged rating is in the store; says how many there are.
  static std::size_t check(const RatingStore& store, const std::vector<std::string>& lines) {
    std::size_t acknowledged = 0;
    for (const std::string& line : lines) {
      std::istringstream in(line);
      std::string user, item;
      float value = 0;
      if (!(in >> user >> item >> value)) continue;  // "ready", "error io"
      ++acknowledged;
      const auto found = store.find_rating(user, item);
      EXPECT_TRUE(found.has_value()) << "lost: " << line;
      EXPECT_EQ(found.value_or(rating("", "", 0)).values[0], value) << line;
    }
    return acknowledged;
  }
  void expect_sound() const {
    if (GetParam() == Place::postgres) return;
    store::SqliteConnection db(where(), store::SqliteConnection::Use::reader);
    EXPECT_THAT(found_by(db, "PRAGMA integrity_check"), ElementsAre("ok"));
    EXPECT_THAT(found_by(db, "PRAGMA foreign_key_check"), ElementsAre());
  }
};
INSTANTIATE_TEST_SUITE_P(In, DurabilityTest, ::testing::Values(Place::sqlite, Place::postgres),
                         place_name);

TEST_P(DurabilityTest, AKilledWriterLosesNothingItAcknowledged) {
  open_with_criteria().reset();
  std::mt19937 random(7);
  std::size_t acknowledged = 0;
  for (int round = 0; round < 12; ++round) {
    Writer writer(where(), "r" + std::to_string(round) + "-", 4, 1'000'000);
    writer.wait_for_lines(20 + random() % 60);
    const std::vector<std::string> lines = writer.finish(SIGKILL);
    const auto store = open();
    acknowledged += check(*store, lines);
    // It can be written at once, by whoever comes next.
    write(*store, {rating("after", "i" + std::to_string(round), 1)});
  }
  EXPECT_GE(acknowledged, 12U * 19U);
  EXPECT_GE(open()->counts().ratings, acknowledged + 12);
  expect_sound();
}

TEST_P(DurabilityTest, TwoProcessesWriteToOneStore) {
  open_with_criteria().reset();
  Writer a(where(), "a", 3, 40);
  Writer b(where(), "b", 3, 40);
  const auto lines_of_a = a.finish();
  const auto lines_of_b = b.finish();
  const auto store = open();
  EXPECT_EQ(check(*store, lines_of_a), 120U);
  EXPECT_EQ(check(*store, lines_of_b), 120U);
  EXPECT_EQ(store->counts().ratings, 240U);
  // 240 users, 240 ratings and 40 items: no number was given twice or left out.
  const auto changes = store->changes_after(store->last_sequence() - 520, 1000);
  ASSERT_TRUE(changes.has_value());
  EXPECT_EQ(changes->size(), 520U);
  expect_sound();
}

TEST(FullDisk, IsSaidClearlyAndLosesNothing) {
  const TemporaryFolder folder;
  const std::string where = (folder / "ratings.db").string();
  open_store(where)->set_criteria(std::vector<Criterion>{{"overall"}, {"taste"}});
  constexpr rlim_t limit = 3'000'000;  // the log beside the file reaches it first
  Writer writer(where, "w", 2, 100'000, limit);
  const std::vector<std::string> lines = writer.finish();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "error io"), 2);
  const auto store = open_store(where);
  std::size_t acknowledged = 0;
  for (const std::string& line : lines) {
    std::istringstream in(line);
    std::string user, item;
    float value = 0;
    if (!(in >> user >> item >> value)) continue;
    ++acknowledged;
    EXPECT_TRUE(store->find_rating(user, item).has_value()) << line;
  }
  EXPECT_GT(acknowledged, 20U);
  // With room again, writing goes on.
  write(*store, {rating("later", "i", 4)});
  store::SqliteConnection db(where, store::SqliteConnection::Use::reader);
  EXPECT_THAT(found_by(db, "PRAGMA integrity_check"), ElementsAre("ok"));
}

class PostgresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::instance();
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = open_store(server_->new_database());
    store_->set_criteria(std::vector<Criterion>{{"overall"}, {"taste"}});
  }
  PostgresServer* server_ = nullptr;
  std::unique_ptr<RatingStore> store_;
};

TEST_F(PostgresTest, AStoreGoesOnAfterTheServerCrashed) {
  write(*store_, {rating("u", "a", 4)});
  static_cast<void>(store_->wait_for_changes(std::chrono::milliseconds(0)));
  EXPECT_EQ(store_->counts().ratings, 1U);
  server_->crash_and_restart();
  EXPECT_TRUE(store_->find_rating("u", "a").has_value());
  server_->crash_and_restart();
  write(*store_, {rating("u", "b", 3)});
  EXPECT_EQ(store_->read_all().ratings.interactions(), 2U);
  // The listener notices, listens anew, and says that something may have happened.
  bool told = false;
  for (int k = 0; k < 20 && !told; ++k) {
    told = store_->wait_for_changes(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(told);
}

TEST_F(PostgresTest, AnErrorIsSaidWhileTheServerIsDownAndAllIsWellAfterwards) {
  write(*store_, {rating("u", "a", 4)});
  server_->stop();
  EXPECT_EQ(thrown_by([&] { static_cast<void>(store_->counts()); }).code(), ErrorCode::io);
  const Error error = thrown_by([&] { write(*store_, {rating("u", "b", 4)}); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.message(), HasSubstr("cannot be reached"));
  EXPECT_FALSE(store_->wait_for_changes(std::chrono::milliseconds(1)));
  server_->start();
  write(*store_, {rating("u", "c", 4)});
  EXPECT_EQ(store_->ratings_of("u").size(), 2U);
}

TEST_F(PostgresTest, WritersDuringACrashEitherSucceedOrFailButNeverLoseAnAnswer) {
  std::mutex mutex;
  std::vector<std::string> acknowledged;
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&, t] {
      for (int k = 0; !stop; ++k) {
        const std::string user = std::to_string(t) + "-" + std::to_string(k);
        try {
          write(*store_, {rating(user, "i", 4)});
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::io) << error.what();
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          continue;
        }
        const std::lock_guard lock(mutex);
        acknowledged.push_back(user);
      }
    });
  }
  for (int crash = 0; crash < 2; ++crash) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    server_->crash_and_restart();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  stop = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_GT(acknowledged.size(), 10U);
  for (const std::string& user : acknowledged) {
    EXPECT_TRUE(store_->find_rating(user, "i").has_value()) << "lost: " << user;
  }
}

}  // namespace
}  // namespace palate::testing
