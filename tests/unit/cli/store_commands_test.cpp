#include <ctime>

#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class StoreCommands : public Workshop {};

TEST_F(StoreCommands, ImportFillsAStoreAndASecondTimeChangesNothing) {
  write_beers();
  const Result first = run({"import", "--store", "s.db", "beers.csv", "--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.json()["changed"], true);
  EXPECT_EQ(first.json()["ratings"], first.json()["new_ratings"]);
  const Json info = run({"info", "beers.csv", "--json"}).json();
  EXPECT_EQ(first.json()["ratings"], info["data"]["interactions"]);
  const Result second = run({"import", "--store", "s.db", "beers.csv", "--json"});
  EXPECT_EQ(second.json()["changed"], false);
  EXPECT_EQ(second.json()["sequence"], first.json()["sequence"]);
  EXPECT_THAT(run({"import", "--store", "s.db", "beers.csv"}).out, HasSubstr("nothing new"));
}

TEST_F(StoreCommands, ImportTakesSeveralFilesAndListsRefusedRows) {
  write("a.csv", "user,item,overall,taste\na,x,4,5\nb,x,3,2\n");
  write("b.csv", "user,item,overall\na,x,2\nc,x,bad\nc,y,9\n");
  const Result result = run({"import", "a.csv", "b.csv", "--store", "s.db"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("3 new ratings"));
  EXPECT_THAT(result.err, HasSubstr("b.csv, line 3, column 3"));
  ASSERT_EQ(run({"dump", "--store", "s.db", "--output", "d"}).status, 0);
  // The later file replaces the pair as a whole, and widens the scale.
  EXPECT_THAT(read("d"), HasSubstr(R"({"user":"a","item":"x","values":[2,null]})"));
  EXPECT_THAT(read("d"), HasSubstr(R"("max":9.0)"));
}

TEST_F(StoreCommands, ImportRefusesWhatDoesNotFitTheStore) {
  write("a.csv", "user,item,overall,taste\na,x,4,5\nb,x,3,2\n");
  write("b.csv", "user,item,overall,smell\na,x,2,3\nb,y,4,4\n");
  ASSERT_EQ(run({"import", "--store", "s.db", "a.csv"}).status, 0);
  const Result other = run({"import", "--store", "s.db", "b.csv"});
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("no criterion 'smell', only overall, taste"));
  EXPECT_EQ(run({"import", "a.csv", "b.csv"}).status, 2);
  EXPECT_EQ(run({"import", "a.csv", "--store", "s.db", "--out", "o.csv"}).status, 2);
  const Result none = run({"import", "--store", "a.csv", "b.csv"});
  EXPECT_EQ(none.status, 6);
  EXPECT_THAT(none.err, HasSubstr("not a store"));
}

TEST_F(StoreCommands, DumpAndRestoreBringBackTheSame) {
  write_beers();
  ASSERT_EQ(run({"import", "--store", "s.db", "beers.csv", "--quiet"}).status, 0);
  const Result dump = run({"dump", "--store", "s.db", "--output", "all.ndjson.gz", "--json"});
  ASSERT_EQ(dump.status, 0) << dump.err;
  EXPECT_GT(dump.json()["ratings"], 0);
  ASSERT_EQ(run({"restore", "--store", "t.db", "all.ndjson.gz"}).status, 0);
  ASSERT_EQ(run({"dump", "--store", "t.db", "-o", "again.ndjson"}).status, 0);
  EXPECT_EQ(shell("zcat all.ndjson.gz | tail -n +2 | cmp - <(tail -n +2 again.ndjson)").status, 0);
  const Result full = run({"restore", "--store", "t.db", "all.ndjson.gz"});
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.err, HasSubstr("--force"));
  EXPECT_EQ(run({"restore", "--store", "t.db", "all.ndjson.gz", "--force"}).status, 0);
  EXPECT_EQ(run({"restore", "--store", "u.db", "beers.csv"}).status, 3);
  EXPECT_NE(shell("ls u.db*").status, 0) << "an empty store has stayed";
  write("empty.csv", "user,item,overall\n");
  EXPECT_NE(run({"import", "--store", "v.db", "empty.csv"}).status, 0);
  EXPECT_NE(shell("ls v.db*").status, 0);
}

TEST_F(StoreCommands, ABackupIsAStoreWithTheSameRatingsAndKeys) {
  write_beers();
  ASSERT_EQ(run({"import", "--store", "s.db", "beers.csv", "--quiet"}).status, 0);
  ASSERT_EQ(run({"keys", "add", "site", "--store", "s.db"}).status, 0);
  const Result backup = run({"backup", "--store", "s.db", "--output", "copy.db", "--json"});
  ASSERT_EQ(backup.status, 0) << backup.err;
  EXPECT_GT(backup.json()["ratings"], 0);
  EXPECT_EQ(shell("stat -c %a copy.db").out, "600\n");
  EXPECT_EQ(shell("ls copy.db*").out, "copy.db\n");
  EXPECT_EQ(run({"keys", "list", "--store", "copy.db"}).out,
            run({"keys", "list", "--store", "s.db"}).out);
  for (const std::string store : {"s", "copy"}) {
    ASSERT_EQ(run({"dump", "--store", store + ".db", "-o", store + ".ndjson"}).status, 0);
  }
  EXPECT_EQ(shell("cmp <(tail -n +2 s.ndjson) <(tail -n +2 copy.ndjson)").status, 0);
  EXPECT_EQ(run({"backup", "--store", "postgresql://x/y", "-o", "c.db"}).status, 7);
}

TEST_F(StoreCommands, AMistypedStoreIsNotMade) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"backup", "--store", "none.db", "--output", "x"},
        std::vector<std::string>{"dump", "--store", "none.db", "--output", "x"},
        std::vector<std::string>{"keys", "list", "--store", "none.db"},
        std::vector<std::string>{"keys", "remove", "k", "--store", "none.db"}}) {
    const Result result = run(words);
    EXPECT_EQ(result.status, 5) << result.err;
    EXPECT_THAT(result.err, HasSubstr("none.db: there is no such file"));
  }
  EXPECT_FALSE(exists("none.db"));
}

TEST_F(StoreCommands, KeysAreAddedListedAndRemoved) {
  const Result added = run({"keys", "add", "site", "--role", "write", "--store", "s.db"});
  ASSERT_EQ(added.status, 0) << added.err;
  EXPECT_THAT(added.out, testing::MatchesRegex("palate_[-_A-Za-z0-9]+\n"));
  const Json second = run({"keys", "add", "ops", "--store", "s.db", "--json"}).json();
  EXPECT_EQ(second["role"], "read");
  EXPECT_NE(second["secret"].get<std::string>() + "\n", added.out);
  const Json list = run({"keys", "list", "--store", "s.db", "--json"}).json();
  ASSERT_EQ(list["keys"].size(), 2U);
  EXPECT_EQ(list["keys"][1]["name"], "site");
  EXPECT_EQ(list["keys"][1]["role"], "write");
  EXPECT_THAT(run({"keys", "list", "--store", "s.db"}).out, Not(HasSubstr("palate_")));
  EXPECT_EQ(run({"keys", "add", "site", "--store", "s.db"}).status, 2);
  EXPECT_EQ(run({"keys", "remove", "site", "--store", "s.db"}).status, 0);
  EXPECT_EQ(run({"keys", "remove", "site", "--store", "s.db"}).status, 4);
  EXPECT_EQ(run({"keys", "add", "--store", "s.db"}).status, 2);
  EXPECT_EQ(run({"keys", "list", "--role", "read", "--store", "s.db"}).status, 2);
}

TEST_F(StoreCommands, KeysExpireAndAreRotated) {
  const Json added =
      run({"keys", "add", "site", "--store", "s.db", "--expires", "90d", "--rate", "2.5", "--json"})
          .json();
  EXPECT_NEAR(added["expires"].get<double>(), std::time(nullptr) + 90 * 86'400, 600);
  EXPECT_EQ(added["rate"], 2.5);
  const Json rotated =
      run({"keys", "rotate", "site", "--overlap", "30 min", "--store", "s.db", "--json"}).json();
  EXPECT_NE(rotated["secret"], added["secret"]);
  const Json listed = run({"keys", "list", "--store", "s.db", "--json"}).json()["keys"][0];
  EXPECT_EQ(listed["expires"], added["expires"]);
  EXPECT_EQ(listed["rate"], 2.5);
  EXPECT_NEAR(listed["old_until"].get<double>(), rotated["old_until"].get<double>(), 1);
  EXPECT_THAT(run({"keys", "list", "--store", "s.db"}).out, HasSubstr("2.5/s"));
  EXPECT_EQ(run({"keys", "rotate", "none", "--store", "s.db"}).status, 4);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"add", "x", "--expires", "90"},
        std::vector<std::string>{"add", "x", "--expires", "soon"},
        std::vector<std::string>{"add", "x", "--expires", "0s"},
        std::vector<std::string>{"add", "x", "--expires", "1000000w"},
        std::vector<std::string>{"add", "x", "--rate", "0"},
        std::vector<std::string>{"add", "x", "--overlap", "1h"},
        std::vector<std::string>{"list", "--rate", "1"},
        std::vector<std::string>{"remove", "site", "--expires", "1d"}}) {
    std::vector<std::string> words = {"keys", "--store", "s.db"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(words).status, 2) << wrong.back();
  }
}

TEST_F(StoreCommands, ActivityTellsWhatWasDoneToAStore) {
  write_beers();
  ASSERT_EQ(run({"import", "--store", "s.db", "beers.csv", "--quiet"}).status, 0);
  ASSERT_EQ(run({"import", "--store", "s.db", "beers.csv", "--quiet"}).status, 0);
  ASSERT_EQ(run({"keys", "add", "site", "--store", "s.db"}).status, 0);
  ASSERT_EQ(run({"dump", "--store", "s.db", "-o", "d"}).status, 0);
  ASSERT_EQ(run({"restore", "--store", "s.db", "--force", "d"}).status, 0);
  const Json events = run({"activity", "--store", "s.db", "--json"}).json()["events"];
  ASSERT_EQ(events.size(), 3U);  // the second import changed nothing
  EXPECT_EQ(events[0]["event"], "restore");
  EXPECT_EQ(events[1]["event"], "key added");
  EXPECT_EQ(events[1]["detail"]["name"], "site");
  EXPECT_EQ(events[1]["from"], "palate keys");
  EXPECT_EQ(events[2]["event"], "import");
  EXPECT_EQ(events[2]["detail"]["file"], "beers.csv");
  EXPECT_NE(events[2]["by"], "");
  EXPECT_THAT(run({"activity", "--store", "s.db", "--limit", "1"}).out, HasSubstr("restore"));
  EXPECT_EQ(run({"activity", "--store", "none.db"}).status, 5);
}

}  // namespace
}  // namespace palate::cli_test
