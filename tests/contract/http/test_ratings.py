"""Ratings, users and items: what is written is there, and counts at once."""
import json
import unittest

from service import ServiceTest, beer_rows, quote

IDS = ["plain", "with space", "a/b", "a//b/", "..", ".", "50%", "%2F", "?q=1&x", "#hash", "ünï©ödé",
       "日本酒", "🍺🍻", "'; DROP TABLE ratings; --", "\"quoted\"", "a\\b", "new\nline", "tab\t",
       "+plus+", "a:b,c", "e\u0301", "\u202eleft", "x" * 1000, "null", "0", "-1", "{}", "[]"]


class Ratings(ServiceTest):
    def test_from_nothing_to_an_explained_recommendation(self):
        with self.start() as server:
            self.assertEqual(server.get("/ready").json["status"], "empty")
            self.assert_problem(server.list_for("u1"), 503, "not_ready")
            report = server.bulk(beer_rows()).json
            self.assertEqual(report["criteria_set"], ["overall", "taste", "aroma"])
            self.assertEqual(server.get("/ready").json["status"], "ready")
            best = server.list_for("u1").json["items"][0]
            why = server.get(f"/v1/users/u1/explanations/{best['item']}").json
            self.assertAlmostEqual(why["score"], best["score"], delta=1e-4 * best["score"])

    def test_first_single_rating_makes_lists_possible(self):
        with self.start() as server:
            self.assert_problem(server.rate("ann", "stout", overall=5), 409, "conflict")
            named = server.put("/v1/criteria", {"criteria": ["overall", {"name": "taste", "max": 5}]})
            self.assertEqual(named.status, 200)
            self.assertEqual(server.rate("ann", "stout", overall=5, taste=4).status, 201)
            self.assertEqual(server.rate("ben", "stout", overall=4).status, 201)
            self.assertEqual(server.rate("ben", "porter", overall=5).status, 201)
            items = server.list_for("ann").json["items"]
            self.assertEqual([item["item"] for item in items], ["porter"])

    def test_rating_counts_in_the_next_list(self):
        with self.beers() as server:
            first = [item["item"] for item in server.list_for("u3").json["items"]]
            self.assertEqual(server.rate("u3", first[0], overall=5).status, 201)
            second = [item["item"] for item in server.list_for("u3").json["items"]]
            self.assertNotIn(first[0], second)
            self.assertEqual(server.delete(f"/v1/ratings/u3/{first[0]}").status, 204)
            server.wait_for_graph()
            self.assertEqual([item["item"] for item in server.list_for("u3").json["items"]], first)

    def test_put_get_change_delete(self):
        with self.beers() as server:
            path = "/v1/ratings/new%20one/i1"
            self.assert_problem(server.get(path), 404, "not_found")
            made = server.put(path, {"values": {"overall": 4.5, "taste": None}, "time": 12})
            self.assertEqual(made.status, 201)
            expected = {"user": "new one", "item": "i1", "values": {"overall": 4.5}, "time": 12}
            self.assertEqual(made.json, expected)
            self.assertEqual(server.get(path).json, expected)
            self.assertEqual(server.put(path, {"values": {"overall": 1}}).status, 200)
            self.assertEqual(server.get(path).json["values"], {"overall": 1})
            self.assertEqual(server.delete(path).status, 204)
            self.assert_problem(server.delete(path), 404, "not_found")
            self.assertEqual(server.get("/v1/users/new%20one/ratings").json["ratings"], [])

    def test_of_many_who_put_the_same_one_is_told_that_it_is_new(self):
        with self.beers() as server:
            self.assert_one_makes_it([server])

    def test_any_id_works(self):
        with self.beers() as server:
            for name in IDS:
                with self.subTest(name=name):
                    self.assertEqual(server.rate(name, name, overall=5, taste=3).status, 201)
                    self.assertEqual(server.rate(name, "i1", overall=4).status, 201)
                    rated = server.get(f"/v1/ratings/{quote(name)}/{quote(name)}").json
                    self.assertEqual((rated["user"], rated["item"]), (name, name))
                    listed = server.list_for(name)
                    self.assertEqual((listed.status, listed.json["user"]), (200, name))
                    self.assertEqual(server.get(f"/v1/items/{quote(name)}").json["id"], name)
                    like = server.get(f"/v1/items/{quote(name)}/similar?top=3").json
                    self.assertEqual(like["item"], name)
            listed = server.get("/v1/users?limit=1000").json["users"]
            self.assertLessEqual(set(IDS), {user["id"] for user in listed})
            for name in IDS:
                self.assertEqual(server.delete(f"/v1/users/{quote(name)}").status, 204)
                self.assertEqual(server.delete(f"/v1/items/{quote(name)}").status, 204)

    def test_ids_that_are_none(self):
        with self.beers() as server:
            for path in ["/v1/users/%FF", "/v1/users/%C3", "/v1/users/%00", "/v1/users/%ED%A0%80",
                         "/v1/users/%zz", "/v1/users/%4", "/v1/users/" + "x" * 1025]:
                self.assert_problem(server.get(path), 400, "usage")
            self.assert_problem(server.get("/v1/users/nobody"), 404, "not_found")

    def test_bulk_keeps_good_rows_and_reports_bad_ones(self):
        rows = ['{"user":"a","item":"i1","values":{"overall":4}}',
                "not json",
                '{"user":"a","values":{"overall":4}}',
                "",
                '{"user":"a","item":"i2","values":{"overall":-1}}',
                '{"user":"a","item":"i2","values":{"smell":1}}',
                '{"user":"","item":"i2","values":{"overall":1}}',
                '{"user":"a","item":"i2","values":{}}',
                '{"user":"a","item":"i2","values":{"overall":1},"extra":1}',
                "[1,2]",
                '{"user":"b","item":"i3","values":{"overall":5,"taste":2},"time":7}',
                '{"user":"u1","item":"i1","delete":true}']
        with self.beers() as server:
            report = server.bulk(rows).json
            self.assertEqual((report["lines"], report["accepted"], report["refused"]), (11, 3, 8))
            self.assertEqual([error["line"] for error in report["errors"]],
                             [2, 3, 5, 6, 7, 8, 9, 10])
            self.assertEqual(report["errors"][3]["field"], "smell")
            self.assertEqual(server.get("/v1/ratings/b/i3").json["time"], 7)
            self.assertEqual(server.get("/v1/ratings/a/i1").json["values"], {"overall": 4})
            body = self.assert_problem(server.bulk(["nonsense"]), 422, "bad_input")
            self.assertEqual((body["line"], body["report"]["refused"]), (1, 1))

    def test_bulk_is_read_as_it_arrives(self):
        with self.beers() as server:
            connection = server.connect()
            connection.putrequest("POST", "/v1/ratings")
            connection.putheader("Content-Type", "application/x-ndjson")
            connection.putheader("Transfer-Encoding", "chunked")
            connection.endheaders()

            def send(text):
                connection.send(f"{len(text):x}\r\n{text}\r\n".encode())

            rows = [json.dumps({"user": f"c{k}", "item": "i1", "values": {"overall": k % 5}}) + "\n"
                    for k in range(5000)]
            send("".join(rows[:4000]))
            # The first rows are stored before the last ones are sent.
            server.until(lambda: server.get("/v1/ratings/c0/i1").status == 200, "the first row")
            send("".join(rows[4000:])[:-1])
            connection.send(b"0\r\n\r\n")
            report = json.loads(connection.getresponse().read())
            connection.close()
            self.assertEqual((report["accepted"], report["refused"]), (5000, 0))
            self.assertEqual(server.get("/v1/users/c4999").json["ratings"], 1)
            server.until(lambda: server.get("/v1/users?q=C4999").json["users"], "a new user")
            server.until(lambda: server.list_for("c4999").status == 200, "a list for them")

    def test_deleting_a_user_leaves_no_trace(self):
        with self.beers() as server:
            before = server.list_for("u5").json["items"]
            counts = server.get("/v1/data").json
            server.put("/v1/users/secret-person", {"attributes": {"mail": "x"}})
            for k in range(8):
                server.rate("secret-person", f"i{k}", overall=5, taste=5)
            server.rate("secret-person", "secret-item", overall=5)
            server.wait_for_graph()
            self.assertNotEqual(server.list_for("u5").json["items"], before)
            self.assertEqual(server.delete("/v1/users/secret-person").status, 204)
            self.assertEqual(server.delete("/v1/items/secret-item").status, 204)
            for path in ["/v1/users/secret-person", "/v1/users/secret-person/ratings",
                         "/v1/users/secret-person/recommendations", "/v1/ratings/secret-person/i1",
                         "/v1/items/secret-item"]:
                self.assert_problem(server.get(path), 404, "not_found")
            self.assertEqual(server.get("/v1/users?q=secret").json["users"], [])
            server.wait_for_graph()
            after = server.list_for("u5").json["items"]
            self.assertEqual([item["item"] for item in after], [item["item"] for item in before])
            for one, other in zip(after, before):
                self.assertAlmostEqual(one["score"], other["score"], delta=1e-4 * other["score"])
            now = server.get("/v1/data").json
            self.assertEqual([now[key] for key in ("users", "items", "ratings")],
                             [counts[key] for key in ("users", "items", "ratings")])

    def test_users_and_items_are_listed_by_cursor_and_found_by_text(self):
        with self.beers() as server:
            server.put("/v1/items/i7", {"title": "Ölbier Große ΣΑΣ", "attributes": {"style": "ale"}})
            seen, after = [], ""
            while after is not None:
                page = server.get(f"/v1/users?limit=7&after={quote(after)}").json
                seen += [user["id"] for user in page["users"]]
                after = page["next"]
            self.assertEqual(seen, sorted(seen))
            self.assertEqual(len(seen), 40)
            for text in ["ölBIER", "große", "σασ", "I7"]:
                found = server.get(f"/v1/items?q={quote(text)}").json["items"]
                self.assertEqual([item["id"] for item in found], ["i7"], text)
            found = server.get("/v1/items?q=i7").json["items"][0]
            self.assertEqual(found["attributes"], {"style": "ale"})
            self.assertGreater(found["raters"], 0)
            self.assertEqual(set(found["means"]), {"overall", "taste", "aroma"})

    def test_criteria_stay_once_there_are_ratings(self):
        with self.beers() as server:
            same = server.get("/v1/criteria").json
            self.assertEqual(server.put("/v1/criteria", same).status, 200)
            other = {"criteria": ["overall", "colour"]}
            self.assert_problem(server.put("/v1/criteria", other), 409, "conflict")


if __name__ == "__main__":
    unittest.main()
