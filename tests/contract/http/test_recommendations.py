"""Lists, weights, filters, paging, similar items, explanations."""
import unittest

from service import ServiceTest, beer_rows, quote


def ids(answer):
    return [item["item"] for item in answer.json["items"]]


class Recommendations(ServiceTest):
    def test_weights_change_scores_and_attributions_add_up(self):
        with self.beers() as server:
            plain = server.list_for("u2", "?top=20&attributions=true").json
            heavy = server.list_for("u2", "?top=20&attributions=true&weights=aroma:9,taste:0").json
            for item in plain["items"] + heavy["items"]:
                total = sum(item["by_criterion"].values()) + item.get("dialled", 0)
                self.assertAlmostEqual(total, item["score"], delta=1e-4 * abs(item["score"]) + 1e-9)
            self.assertNotEqual([i["score"] for i in plain["items"]],
                                [i["score"] for i in heavy["items"]])

    def test_matches_and_predicted_ratings_are_those_of_explanations_and_their_error_is_told(self):
        with self.beers() as server:
            errors = server.get("/v1/model").json["prediction"]
            for error in (errors or {}).values():
                self.assertLess(error["mae"], error["trivial_mae"])
            items = server.list_for("u2", "?top=1000").json["items"]
            matches = [item["match"] for item in items]
            self.assertEqual(matches, sorted(matches, reverse=True))
            self.assertTrue(all(0 <= match <= 100 for match in matches))
            for item in items[:3]:
                why = server.get(f"/v1/users/u2/explanations/{item['item']}").json
                self.assertAlmostEqual(why["match"], item["match"], delta=101 / len(items))
                self.assertEqual(why["predicted"], item["predicted"])
                self.assertEqual(set(why["predicted"] or {}), set(errors or {}))
                self.assertIsInstance(why["notes"], list)
            # Some items alone keep the match that they have among all.
            some = server.post("/v1/recommendations",
                               {"user": "u2", "allow": [item["item"] for item in items[5:7]]}).json
            for item, same in zip(some["items"], items[5:7]):
                self.assertAlmostEqual(item["match"], same["match"], delta=101 / len(items))

    def test_posted_user_and_path_give_the_same(self):
        with self.beers() as server:
            def same():
                one = server.list_for("u2", "?top=5&weights=taste:2")
                other = server.post("/v1/recommendations",
                                    {"user": "u2", "top": 5, "weights": {"taste": 2}})
                self.assertEqual((one.status, other.status), (200, 200))
                return one.json == other.json
            server.until(same, "the same list, with no fit between")

    def test_profile_needs_no_user(self):
        with self.beers() as server:
            profile = [{"item": "i0", "values": {"overall": 5, "taste": 5}},
                       {"item": "i2", "values": {"overall": 5}}]
            listed = server.post("/v1/recommendations", {"profile": profile, "top": 5}).json
            self.assertIsNone(listed["user"])
            self.assertEqual(len(listed["items"]), 5)
            self.assertFalse({"i0", "i2"} & {item["item"] for item in listed["items"]})
            best = listed["items"][0]
            why = server.post("/v1/explanations", {"profile": profile, "item": best["item"]}).json
            total = sum(part["value"] for part in why["parts"]) + why["baseline"] + why["rest"]
            self.assertAlmostEqual(total, why["score"], delta=1e-6 * abs(why["score"]))
            self.assertAlmostEqual(why["score"], best["score"], delta=1e-4 * abs(best["score"]))
            unknown = [{"item": "nothing", "values": {"overall": 5}}]
            self.assert_problem(server.post("/v1/recommendations", {"profile": unknown}), 404,
                                "not_found")

    def test_allow_deny_and_attributes(self):
        with self.beers() as server:
            rows = [{"id": f"i{k}", "title": f"Beer {k}",
                     "attributes": {"style": "stout" if k % 3 == 0 else "ale",
                                    "tags": ["dark", k] if k % 2 else [], "abv": 5.5}}
                    for k in range(30)]
            self.assertEqual(server.bulk(rows, "/v1/items").json["accepted"], 30)
            everything = ids(server.list_for("u4", "?top=1000"))
            stouts = ids(server.list_for("u4", "?top=1000&filter=style:stout"))
            self.assertEqual(stouts, [i for i in everything if int(i[1:]) % 3 == 0])
            both = ids(server.list_for("u4", "?top=1000&filter=style:ale&filter=tags:dark"))
            self.assertEqual(both, [i for i in everything if int(i[1:]) % 3 and int(i[1:]) % 2])
            either = server.post("/v1/recommendations",
                                 {"user": "u4", "top": 99, "filter": {"style": ["ale", "stout"],
                                                                      "abv": 5.5}})
            self.assertEqual(ids(either), everything)
            none = server.list_for("u4", "?filter=style:cider")
            self.assertEqual((none.status, none.json["items"]), (200, []))
            some = server.post("/v1/recommendations", {"user": "u4", "allow": everything[3:6],
                                                       "deny": everything[4:5]})
            self.assertEqual(ids(some), [everything[3], everything[5]])

    def test_pages_never_repeat_an_item_while_ratings_arrive(self):
        with self.beers() as server:
            rated = {r["item"] for r in server.get("/v1/users/u6/ratings").json["ratings"]}
            seen, cursor, page = [], "", 0
            while cursor is not None:
                answer = server.list_for("u6", f"?top=4&cursor={cursor}" if cursor else "?top=4").json
                self.assertEqual([item["rank"] for item in answer["items"]],
                                 list(range(len(seen) + 1, len(seen) + 1 + len(answer["items"]))))
                seen += [item["item"] for item in answer["items"]]
                cursor = answer["cursor"]
                # Somebody else's taste turns the order around, and an item is new.
                for k in range(5):
                    server.rate(f"x{page}", f"i{(page * 5 + k * 3) % 30}", overall=5, aroma=5)
                server.rate(f"x{page}", f"fresh{page}", overall=5)
                page += 1
                self.assertLess(page, 40)
            self.assertEqual(len(seen), len(set(seen)))
            self.assertLessEqual({f"i{k}" for k in range(30)} - rated, set(seen))

    def test_someone_without_ratings_gets_what_most_people_rate(self):
        with self.beers() as server:
            server.put("/v1/users/fresh", {})
            answer = server.list_for("fresh").json
            self.assertEqual((answer["basis"], len(answer["items"])), ("popularity", 10))

    def test_explanation_parts_can_be_cut(self):
        with self.beers() as server:
            best = ids(server.list_for("u1"))[0]
            full = server.get(f"/v1/users/u1/explanations/{best}").json
            cut = server.get(f"/v1/users/u1/explanations/{best}?parts=3").json
            self.assertEqual(full["rest"], 0)
            self.assertEqual(cut["parts"], full["parts"][:3])
            self.assertAlmostEqual(cut["rest"] + sum(p["value"] for p in cut["parts"]),
                                   full["score"] - full["baseline"], places=9)
            self.assertEqual(sorted(full["by_criterion"]), sorted(full["criteria"]))

    def test_similar_items(self):
        with self.beers() as server:
            like = server.get("/v1/items/i4/similar?top=5").json
            self.assertEqual(len(like["items"]), 5)
            self.assertNotIn("i4", [item["item"] for item in like["items"]])
            scores = [item["score"] for item in like["items"]]
            self.assertEqual(scores, sorted(scores, reverse=True))

    def test_cached_answers_follow_ratings(self):
        with self.beers() as server:
            def asked_twice():  # a graph or a fit may come between the two
                one, again = server.list_for("u9"), server.list_for("u9")
                hits = server.get("/v1/service").json["cache"]["hits"]
                return one.body == again.body and hits > 0
            server.until(asked_twice, "an answer from the cache")
            one = server.list_for("u9")
            server.rate("u9", ids(one)[0], overall=1)
            self.assertNotEqual(server.list_for("u9").body, one.body)

    def test_graph_follows_and_cached_lists_with_it(self):
        with self.beers() as server:
            def similar():
                return {i["item"]: i["score"] for i in server.get("/v1/items/i0/similar").json["items"]}

            before, mine = similar(), server.list_for("u9").json["items"]
            for k in range(12):
                server.rate(f"u{k}", "i0", overall=5, taste=5)
                server.rate(f"u{k}", "i7", overall=5, taste=5)
            server.wait_for_graph()
            self.assertGreater(similar()["i7"], before.get("i7", 0))
            self.assertNotEqual(server.list_for("u9").json["items"], mine)

    def test_filters_are_chosen_once_there_is_enough(self):
        with self.start("--method", "ca-gf") as server:
            server.bulk(beer_rows(users=60, each=10))
            server.until(lambda: server.get("/v1/model").json["choice"], "a choice")
            model = server.get("/v1/model").json
            self.assertEqual([f["criterion"] for f in model["filters"]], ["overall", "taste", "aroma"])
            self.assertTrue(model["choice"]["steps"])
            self.assertEqual(model["choice"]["seed"], 1)
            against = {one["tried"]: one for one in model["choice"]["against"]}
            self.assertGreaterEqual(against["plain linear filters"]["gain"], 0)
            self.assertIn("preference", {setting["name"] for setting in model["settings"]})
            self.assertEqual(server.list_for("u1").status, 200)

    def test_a_restart_keeps_what_was_chosen(self):
        with self.start() as server:
            server.bulk(beer_rows(users=60, each=10))
            server.until(lambda: server.get("/v1/model").json["choice"], "a choice")
            before = server.get("/v1/model").json["choice"]
        with self.start() as server:
            server.wait_for_event("model loaded")
            model = server.get("/v1/model").json
            self.assertEqual(model["choice"], before)
            self.assertEqual(model["method"], before["settings"]["method"])


if __name__ == "__main__":
    unittest.main()
