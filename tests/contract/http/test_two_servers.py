"""Several servers on one PostgreSQL database follow each other."""
import threading
import unittest

from postgres import Postgres, binaries
from service import ServiceTest, beer_rows


@unittest.skipUnless(binaries(), "PostgreSQL is not installed (Debian: postgresql)")
class TwoServers(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.postgres = Postgres()
        cls.number = 0

    @classmethod
    def tearDownClass(cls):
        cls.postgres.stop()

    def setUp(self):
        super().setUp()
        type(self).number += 1
        self.store = self.postgres.database(f"palate{self.number}")

    def pair(self):
        return self.start("--filters", "linear"), self.start("--filters", "linear")

    def test_each_follows_the_other(self):
        one, two = self.pair()
        with one, two:
            one.bulk(beer_rows())
            two.until(lambda: two.get("/ready").json["status"] == "ready", "the first ratings")
            two.until(lambda: two.get("/v1/service").json["store"]["ratings"] ==
                      one.get("/v1/service").json["store"]["ratings"], "all ratings")
            best = one.list_for("u1").json["items"][0]["item"]
            self.assertEqual(two.rate("u1", best, overall=5).status, 201)
            one.until(lambda: best not in [i["item"] for i in one.list_for("u1").json["items"]],
                      "the other server's rating")
            one.put("/v1/items/i1", {"title": "New title", "attributes": {"style": "ale"}})
            two.until(lambda: two.get("/v1/items?q=new%20title").json["items"], "a title")
            one.delete("/v1/users/u1")
            two.until(lambda: two.list_for("u1").status == 404, "a deletion")

    def test_what_both_put_at_once_is_new_to_one(self):
        one, two = self.pair()
        with one, two:
            one.bulk(beer_rows())
            self.assert_one_makes_it([one, two])

    def test_both_write_and_end_up_the_same(self):
        one, two = self.pair()
        with one, two:
            one.bulk(beer_rows())
            problems = []

            def write(server, name):
                connection = server.connect()
                for k in range(80):
                    path = f"/v1/ratings/shared{k % 4}/i{k % 30}"
                    body = {"values": {"overall": (k * 3 + len(name)) % 6}}
                    answer = server.request("PUT", path, body, connection=connection)
                    if answer.status not in (200, 201):
                        problems.append(answer.body)
                connection.close()

            threads = [threading.Thread(target=write, args=pair)
                       for pair in [(one, "a"), (two, "bb"), (one, "ccc"), (two, "dddd")]]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(problems, [])
            last = max(server.get("/v1/service").json["store"]["sequence"] for server in (one, two))
            for server in (one, two):
                server.until(lambda s=server: s.get("/v1/service").json["store"]["sequence"] >= last,
                             "the last change")
                server.wait_for_graph()
            for user in ["shared0", "shared1", "shared2", "shared3", "u1"]:
                mine, theirs = ({i["item"]: i["score"] for i in server.list_for(user, "?top=30").json["items"]}
                                for server in (one, two))
                self.assertEqual(mine.keys(), theirs.keys())
                for item, score in mine.items():
                    self.assertAlmostEqual(score, theirs[item], delta=1e-4 * abs(score))


if __name__ == "__main__":
    unittest.main()
