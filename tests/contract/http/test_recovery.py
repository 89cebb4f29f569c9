"""The store and the kept model when files are lost, cut, exchanged, or people left meanwhile."""
import json
import os
import unittest

from service import Server, ServiceTest, beer_rows

EXACT = ("--filters", "linear")


class Recovery(ServiceTest):
    def other(self, store, *arguments):
        """A server on another store."""
        server = Server(store, *arguments)
        self.addCleanup(lambda: server.process.poll() is None and server.kill())
        return server

    def lists(self, server, users):
        return {user: server.list_for(user).json["items"] for user in users}

    def test_a_removed_store_takes_no_writes_and_says_so(self):
        server = self.beers()
        os.rename(self.store, self.store + ".away")
        answer = server.rate("u1", "i1", overall=5)
        self.assertGreaterEqual(answer.status, 500, answer.body)
        server.until(lambda: server.get("/ready").status == 503, "not ready")
        said = server.get("/ready").json
        self.assertEqual(said["status"], "store")
        self.assertIn("removed", said["detail"])
        self.assertEqual(server.list_for("u1").status, 200)
        os.rename(self.store + ".away", self.store)
        server.wait_ready()
        self.assertEqual(server.rate("u1", "i1", overall=5).status // 100, 2)
        self.assertEqual(server.stop(), 0)

    def test_a_kept_model_that_is_cut_while_in_use_ends_nothing(self):
        with self.beers():
            pass
        with self.start(*EXACT) as server:
            server.wait_for_event("model loaded")
            users = [f"u{k}" for k in range(40)]
            before = self.lists(server, users)
            os.truncate(self.store + ".palate", 0)
            self.assertEqual(self.lists(server, users), before)

    def test_a_model_of_another_store_with_the_same_counts_is_not_used(self):
        with self.beers():
            pass
        other = os.path.join(self.folder, "other.db")
        rows = [{**row, "user": "x" + row["user"]} for row in beer_rows()]
        with self.other(other, *EXACT) as server:
            self.assertEqual(server.bulk(rows).json["refused"], 0)
            server.wait_for_graph()
            counts = server.get("/v1/service").json["store"]
        with self.start(*EXACT) as server:
            self.assertEqual(server.get("/v1/service").json["store"], counts)
        for end in ("", ".json"):
            os.replace(self.store + ".palate" + end, other + ".palate" + end)
        with self.other(other, *EXACT) as server:
            server.wait_for_event("the kept model is not used")
            self.assertIn("another store", server.events("the kept model is not used")[0]["why"])
            self.assertEqual(server.list_for("u1").status, 404)
            self.assertEqual(server.list_for("xu1").status, 200)

    def test_who_left_or_came_back_while_no_model_knew_them_is_followed(self):
        with self.beers():
            pass
        server = self.start(*EXACT)
        server.wait_for_event("model loaded")
        self.assertEqual(server.delete("/v1/users/u3").status, 204)
        self.assertEqual(server.delete("/v1/users/u4").status, 204)
        self.assertEqual(server.rate("u4", "i2", overall=5).status, 201)
        server.put("/v1/users/u4", {"attributes": {"back": True}})
        server.kill()
        with self.start(*EXACT) as server:
            server.wait_for_event("model loaded")
            self.assertFalse(server.events("model fitted"))
            self.assertEqual(server.list_for("u3").status, 404)
            server.wait_for_graph()
            users = [f"u{k}" for k in range(40) if k != 3]
            followed = self.lists(server, users)
            self.assertEqual(server.get("/v1/users/u4/ratings").json["ratings"][0]["item"], "i2")
        with self.start(*EXACT, "--model", "none") as server:
            fitted = self.lists(server, users)
        for user in users:
            self.assertEqual([one["item"] for one in followed[user]],
                             [one["item"] for one in fitted[user]], user)

    def test_a_chosen_setting_outlives_deletions(self):
        with self.start() as server:
            server.bulk(beer_rows(users=60))
            server.until(lambda: server.get("/v1/model").json["choice"], "a choice")
        with open(self.store + ".palate.json", encoding="utf-8") as file:
            chosen = json.load(file)["choice"]
        server = self.start()
        server.delete("/v1/users/u3")
        server.kill()
        with self.start() as server:
            server.wait_for_event("model loaded")
            self.assertEqual([e["choosing_seconds"] for e in server.events("model fitted")], [])
        with open(self.store + ".palate.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["choice"], chosen)

    def test_a_bulk_after_a_start_is_followed_where_a_fit_is_known_to_take_longer(self):
        with self.beers():
            pass
        with open(self.store + ".palate.json", encoding="utf-8") as file:
            kept = json.load(file)
        with open(self.store + ".palate.json", "w", encoding="utf-8") as file:
            json.dump({**kept, "fit_seconds": 1000}, file)
        with self.start(*EXACT) as server:
            server.wait_for_event("model loaded")
            server.bulk(beer_rows(users=400))
            server.wait_for_graph()
            self.assertEqual(server.events("model fitted"), [])

    def test_what_a_killed_server_left_of_a_model_is_gone_after_the_next_start(self):
        with self.beers():
            pass
        for name in (".palate.palate-writes-aB3dE9", ".palate.json.palate-writes-0000zz"):
            with open(self.store + name, "wb") as file:
                file.write(b"half a model")
        with self.start(*EXACT):
            left = [name for name in os.listdir(self.folder) if "writes" in name]
            self.assertEqual(left, [])

    def test_settings_that_could_not_be_chosen_are_chosen_with_more_ratings(self):
        one = [{"user": "first", "item": f"i{k}", "values": {"overall": 1 + k % 5}}
               for k in range(300)]
        with self.start() as server:
            server.bulk(one)
            server.until(lambda: len(server.events("model fitted")) >= 2, "a choice that fails")
            server.bulk([{**row, "values": {"overall": row["values"]["overall"]}}
                         for row in beer_rows(users=30)])
            server.until(lambda: server.get("/v1/model").json["choice"], "a choice")


if __name__ == "__main__":
    unittest.main()
