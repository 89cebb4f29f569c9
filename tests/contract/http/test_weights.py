"""Methods whose weights between items follow by fits alone: what counts at once, and what later."""
import json
import time
import unittest

from service import PATIENCE, ServiceTest, beer_rows, tool

ADAPTIVE = ("--method", "adaptive")
NO_REFITS = ("--refit-share", "0.000001")  # after the first refit, none for a long time


def ids(answer):
    return [item["item"] for item in answer.json["items"]]


def graph(server):
    return server.get("/v1/service").json["graph"]


class Weights(ServiceTest):
    def resting(self, *arguments):
        """A server whose weights stay as they are, with the beers in them."""
        server = self.start(*ADAPTIVE, *NO_REFITS, *arguments)
        report = server.bulk(beer_rows())
        self.assertEqual(report.status, 200, report.body)
        server.until(lambda: self.kept().get("choice"),
                     lambda: f"settings; kept: {self.kept()}; graph: {graph(server)}")
        server.wait_for_graph()
        self.assertEqual(server.get("/v1/model").json["method"], "adaptive")
        return server

    def kept(self):
        """What the service wrote beside its model; empty before it has."""
        try:
            with open(self.store + ".palate.json", encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def test_own_ratings_count_at_once_and_behind_says_what_does_not(self):
        with self.resting() as server:
            self.assertEqual((graph(server)["behind"], graph(server)["behind_seconds"]), (0, 0))
            mine, other = server.list_for("u1").json["items"], server.list_for("u2").json["items"]
            server.rate("u1", mine[0]["item"], overall=5, taste=5)
            after = server.list_for("u1")
            self.assertNotIn(mine[0]["item"], ids(after))
            self.assertNotEqual([i["score"] for i in after.json["items"]],
                                [i["score"] for i in mine[1:]])
            self.assertEqual(server.list_for("u2").json["items"], other)
            self.assertEqual(graph(server)["behind"], 1)
            server.bulk([{"user": "u3", "item": f"i{k}", "values": {"overall": 1.5}} for k in range(4)])
            now = graph(server)
            self.assertEqual(now["behind"], 5)
            self.assertGreater(now["behind_seconds"], 0)
            self.assertGreaterEqual(graph(server)["behind_seconds"], now["behind_seconds"])
            self.assertIn("\npalate_graph_behind 5\n", server.get("/metrics").body.decode())

    def test_a_newcomer_gets_what_a_profile_of_the_same_ratings_gets(self):
        with self.resting() as server:
            values = {"overall": 5, "taste": 4}
            for item in ("i0", "i2"):
                server.rate("ann", item, **values)
            profile = [{"item": item, "values": values} for item in ("i0", "i2")]
            posted = server.post("/v1/recommendations", {"profile": profile})
            self.assertEqual(server.list_for("ann").json["items"], posted.json["items"])
            self.assertEqual(posted.json["basis"], "ratings")

    def test_new_and_deleted_items_and_people(self):
        with self.resting() as server:
            listed = ids(server.list_for("u1"))
            server.put("/v1/users/quiet", {})
            popular = server.list_for("quiet").json
            self.assertEqual(popular["basis"], "popularity")
            for user in range(40):
                server.rate(f"u{user}", "fresh", overall=5)
            self.assertEqual(ids(server.list_for("quiet"))[0], "fresh", "popular as of now")
            self.assertEqual(server.get("/v1/items/fresh/similar").json["items"], [])
            one = server.post("/v1/recommendations", {"user": "ann2", "allow": ["fresh"]})
            self.assert_problem(one, 404, "not_found")
            server.rate("ann2", "i0", overall=5)
            one = server.post("/v1/recommendations", {"user": "ann2", "allow": ["fresh"]}).json
            self.assertEqual([(i["item"], i["score"], i["linked"]) for i in one["items"]],
                             [("fresh", 0, False)])
            server.rate("ann3", "fresh", overall=5)
            self.assertEqual(server.list_for("ann3").json["basis"], "popularity")

            alike = [i["item"] for i in server.get("/v1/items/i2/similar").json["items"]]
            self.assertEqual(server.delete(f"/v1/items/{alike[0]}").status, 204)
            self.assertNotIn(alike[0], [i["item"] for i in
                                        server.get("/v1/items/i2/similar").json["items"]])
            self.assertEqual(server.delete(f"/v1/items/{listed[0]}").status, 204)
            for user in ("u1", "quiet", "ann2"):
                self.assertNotIn(listed[0], ids(server.list_for(user, "?top=1000")))
            self.assertEqual(server.delete("/v1/users/u1").status, 204)
            self.assert_problem(server.list_for("u1"), 404, "not_found")

    def test_after_a_refit_lists_are_those_of_a_model_fitted_anew(self):
        fixed = (*ADAPTIVE, "--set", "settings=fixed", "--model", "none")
        with self.start(*fixed, "--refit-share", "1") as server:
            server.bulk(beer_rows())
            server.wait_for_graph()
            for user in range(0, 40, 3):
                server.rate(f"u{user}", "fresh", overall=4, taste=5)
            server.delete("/v1/items/i4")
            server.delete("/v1/users/u9")
            server.wait_for_graph()
            self.assertEqual(graph(server)["behind_seconds"], 0)
            self.assertTrue(server.get("/v1/items/fresh/similar").json["items"])
            mine = [server.list_for(f"u{user}").json["items"] for user in (1, 2, 3)]
        with self.start(*fixed) as server:
            self.assertEqual([server.list_for(f"u{user}").json["items"] for user in (1, 2, 3)],
                             mine)

    def test_refits_rest(self):
        with self.resting() as server:
            server.rate("u1", "i2", overall=1)
            time.sleep(2.5)  # the server looks every second
            self.assertEqual(graph(server)["behind"], 1)

    def test_restart_takes_the_kept_model_and_what_came_after_it(self):
        with self.resting() as server:
            for k in range(150):
                server.rate(f"u{k % 40}", f"i{k % 30}", overall=1 + k % 5)
            server.rate("ann", "i0", overall=5)
            server.delete("/v1/items/i7")
            before = [ids(server.list_for(user)) for user in ("u1", "ann")]
            fitted = self.kept()["sequence"]
        self.assertEqual(self.kept()["sequence"], fitted, "nothing is fitted at the end")
        with self.start(*ADAPTIVE, *NO_REFITS) as server:
            server.wait_for_event("ready")
            server.wait_for_event("model loaded")
            self.assertFalse(server.events("the kept model is not used"), server.log)
            self.assertEqual(server.events("model loaded")[0]["sequence"], fitted)
            after = [ids(server.list_for(user)) for user in ("u1", "ann")]
            if not server.events("model fitted"):
                self.assertEqual(after, before)
                self.assertGreater(graph(server)["behind"], 0)
            self.assertNotIn("i7", ids(server.list_for("u1", "?top=1000")))
            server.wait_for_graph()  # the first refit needs no rest
            self.assertEqual(server.list_for("ann").json["basis"], "ratings")

    def test_what_was_chosen_outlives_the_kept_model(self):
        with self.resting() as server:
            chosen = server.get("/v1/model").json["choice"]
            server.delete("/v1/users/u7")
        with open(self.store + ".palate", "r+b") as file:
            file.write(b"damaged")
        with self.start(*ADAPTIVE, *NO_REFITS) as server:
            server.wait_for_event("model fitted")
            self.assertEqual(server.get("/v1/model").json["choice"], chosen)

    def test_other_methods_are_served_too(self):
        for method in ("popularity", "item-knn", "ease"):
            with self.subTest(method=method), \
                    self.start("--method", method, "--model", "none") as server:
                server.bulk(beer_rows())
                server.wait_for_graph()
                before = ids(server.list_for("u1"))
                server.rate("u1", before[0], overall=5)
                self.assertNotIn(before[0], ids(server.list_for("u1")))
                if method == "popularity":
                    for user in range(40):
                        server.rate(f"u{user}", "i29", overall=3)
                    server.rate("someone", "i3", overall=3)
                    self.assertEqual(ids(server.list_for("someone"))[0], "i29")
                    self.assertEqual(graph(server)["behind"], 0)

    def test_stop_is_quick_while_weights_are_fitted(self):
        tool("synth", "--users", "3000", "--items", "6000", "--out", self.folder + "/many.csv")
        tool("import", "--store", self.store, self.folder + "/many.csv")
        server = self.start(*ADAPTIVE, "--model", "none", "--threads", "1", wait=False)
        self.assertEqual(graph(server)["state"], "fitting")
        start = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - start, PATIENCE / 4)


if __name__ == "__main__":
    unittest.main()
