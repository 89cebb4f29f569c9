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

}  // namespace
}  // namespace palate::cli_test
