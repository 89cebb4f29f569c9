"""Lists of people and items: searched, sorted, filtered, paged; and ids that nobody has."""
import unittest

from service import ServiceTest, quote

BEERS = [{"id": "i1", "title": "Zebra", "attributes": {"style": "ale", "tags": ["dark", "old"]}},
         {"id": "i2", "title": "apple", "attributes": {"style": "stout", "strong": True}},
         {"id": "i3", "title": "Mango", "attributes": {"style": "ale", "": "x"}},
         {"id": "unrated", "title": "Nobody knows", "attributes": {"style": None, "": "x"}}]


def walk(server, path, name):
    """All rows, three at a time."""
    rows, after = [], None
    while True:
        joint = "&" if "?" in path else "?"
        page = server.get(f"{path}{joint}limit=3" + (f"&after={quote(after)}" if after else ""))
        assert page.status == 200, page.body
        rows += page.json[name]
        after = page.json["next"]
        if after is None:
            return rows


class UnknownPeople(ServiceTest):
    def suggestions(self, answer):
        body = self.assert_problem(answer, 404, "not_found")
        self.assertEqual(body["field"], "user")
        self.assertTrue(body["hint"])
        return body["suggestions"]

    def test_near_ids_are_suggested_wherever_a_person_is_asked_for(self):
        with self.beers() as server:
            for user in ["ann.smith", "Bob", "日本"]:
                server.put(f"/v1/users/{quote(user)}", {})
            near = lambda user: self.suggestions(server.list_for(user))
            self.assertEqual(near("ann.smiht")[0], "ann.smith")  # swapped
            self.assertEqual(near("ANN.SMITH"), ["ann.smith"])   # case
            self.assertEqual(near("smith"), ["ann.smith"])       # a part of it
            self.assertEqual(near("bob")[0], "Bob")
            self.assertEqual(near("日木"), ["日本"])
            self.assertEqual(near("nothing-like-that"), [])
            self.assertEqual(len(near("u")), 5)
            for answer in [server.get("/v1/users/bbo"), server.get("/v1/users/bbo/ratings"),
                           server.get("/v1/users/bbo/explanations/i1"),
                           server.post("/v1/recommendations", {"user": "bbo"}),
                           server.post("/v1/recommendations",
                                       {"user": "bbo", "filter": {"style": "none"}}),
                           server.post("/v1/explanations", {"user": "bbo", "item": "i1"})]:
                self.assertEqual(self.suggestions(answer)[0], "Bob")
            body = self.assert_problem(server.get("/v1/users/u1/explanations/none"), 404,
                                       "not_found")
            self.assertNotIn("suggestions", body)

    def test_long_ids_are_compared_too(self):
        with self.beers() as server:
            for k in range(50):
                server.put("/v1/users/" + "x" * 1000 + str(k), {})
            self.assertEqual(len(self.suggestions(server.list_for("x" * 1001 + "7"))), 5)


class People(ServiceTest):
    def test_lists_count_what_each_rated(self):
        with self.beers() as server:
            server.put("/v1/users/newcomer", {"attributes": {"city": "Rome"}})
            server.rate("u1", "one more", overall=3)
            everyone = walk(server, "/v1/users", "users")
            self.assertEqual([user["id"] for user in everyone],
                             sorted(user["id"] for user in everyone))
            for user in everyone:
                alone = server.get(f"/v1/users/{quote(user['id'])}").json
                self.assertEqual(user, alone)
            found = server.get("/v1/users?q=NEW").json["users"]
            self.assertEqual(found, [{"id": "newcomer", "attributes": {"city": "Rome"},
                                      "ratings": 0}])


class Items(ServiceTest):
    def catalogue(self):
        server = self.beers()
        self.assertEqual(server.bulk(BEERS, "/v1/items").json["refused"], 0)
        return server

    def test_any_order_lists_each_item_once(self):
        with self.catalogue() as server:
            ids = {item["id"] for item in walk(server, "/v1/items", "items")}
            for sort in ["id", "title", "raters", "mean:overall", "mean:taste"]:
                for sign in ["", "-"]:
                    with self.subTest(sort=sign + sort):
                        rows = walk(server, f"/v1/items?sort={sign}{sort}", "items")
                        self.assertEqual({row["id"] for row in rows}, ids)
                        self.assertEqual(len(rows), len(ids))

                        def key(row):
                            if sort == "title":
                                return (row["title"] or row["id"]).lower()
                            if sort.startswith("mean:"):
                                return row["means"][sort[5:]]
                            return row[sort]
                        keys = [key(row) for row in rows if key(row) is not None]
                        self.assertEqual(keys, sorted(keys, reverse=sign == "-"))
                        if sort.startswith("mean:"):
                            self.assertEqual(rows[-1]["id"], "unrated")

    def test_a_page_begins_where_the_last_ended_even_if_that_item_is_gone(self):
        with self.catalogue() as server:
            first = server.get("/v1/items?sort=-raters&limit=2").json
            rest = walk(server, "/v1/items?sort=-raters", "items")[2:]
            self.assertEqual(server.delete(f"/v1/items/{first['items'][1]['id']}").status, 204)
            second = server.get(f"/v1/items?sort=-raters&limit=1000&after={first['next']}").json
            self.assertEqual([i["id"] for i in second["items"]], [i["id"] for i in rest])

    def test_search_and_filters_narrow_any_order(self):
        with self.catalogue() as server:
            ids = lambda query: [i["id"] for i in server.get("/v1/items" + query).json["items"]]
            self.assertEqual(ids("?sort=title&filter=style:ale"), ["i3", "i1"])
            self.assertEqual(ids("?filter=style:ale&filter=style:stout&sort=title"),
                             ["i2", "i3", "i1"])
            self.assertEqual(ids("?filter=style:ale&filter=tags:old"), ["i1"])
            self.assertEqual(ids("?filter=strong:true&q=APP"), ["i2"])
            self.assertEqual(ids("?filter=style:none"), [])
            for wrong in ["?sort=-", "?sort=mean:", "?sort=mean:smell", "?filter=style",
                          "?sort=title&after=!", "?sort=title&after=W10"]:
                with self.subTest(query=wrong):
                    self.assert_problem(server.get("/v1/items" + wrong), 400, "usage")

    def test_attributes_are_counted_and_follow_changes(self):
        with self.catalogue() as server:
            read = lambda: {a["name"]: a for a in server.get("/v1/attributes").json["attributes"]}
            self.assertEqual(read()["style"], {
                "name": "style", "items": 3, "distinct": 2,
                "values": [{"value": "ale", "items": 2}, {"value": "stout", "items": 1}]})
            self.assertEqual((read()["tags"]["items"], read()["tags"]["distinct"]), (1, 2))
            self.assertEqual(read()[""]["items"], 2)
            server.put("/v1/items/i2", {"attributes": {"style": "ale"}})
            self.assertEqual(read()["style"]["values"], [{"value": "ale", "items": 3}])
            self.assertNotIn("strong", read())

    def test_no_more_values_are_given_than_a_page_can_show(self):
        with self.catalogue() as server:
            rows = [{"id": f"n{k}", "attributes": {"code": f"c{k}"}} for k in range(150)]
            server.bulk(rows, "/v1/items")
            code = next(a for a in server.get("/v1/attributes").json["attributes"]
                        if a["name"] == "code")
            self.assertEqual((code["distinct"], len(code["values"])), (150, 100))


if __name__ == "__main__":
    unittest.main()
