"""Keys that end, are renewed and are limited; who did what; traces; stores that newer programs changed."""
import json
import re
import sqlite3
import time
import unittest

from service import ServiceTest, tool
from test_keys import add_key


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


class Administration(ServiceTest):
    def with_keys(self, *arguments):
        """A server and the header of its administrator."""
        admin = bearer(add_key(self.store, "root", "admin"))
        return self.start("--filters", "linear", *arguments), admin

    def test_a_key_ends_at_its_time(self):
        server, admin = self.with_keys()
        with server:
            end = int(time.time()) + 3
            made = server.post("/v1/keys", {"name": "brief", "expires": end}, headers=admin)
            self.assertEqual((made.status, made.json["expires"]), (201, end))
            brief = bearer(made.json["secret"])
            server.until(lambda: server.get("/v1/users", headers=brief).status == 401, "its end")
            self.assertGreaterEqual(time.time(), end)
            for expires in [1, int(time.time()) - 1, "soon", 1.5, 10**12, 10**19]:
                wrong = server.post("/v1/keys", {"name": "x", "expires": expires}, headers=admin)
                self.assert_problem(wrong, 422, "bad_input")
            again = server.post("/v1/keys/brief/secrets", {}, headers=admin)
            self.assert_problem(again, 400, "usage")
            again = server.post("/v1/keys/brief/secrets", {"expires": end + 1000}, headers=admin)
            self.assertEqual(again.status, 201, again.body)
            renewed = bearer(again.json["secret"])
            self.assertEqual(server.get("/v1/users", headers=renewed).status, 200)

    def test_when_all_keys_have_expired_nobody_is_let_in(self):
        done = tool("keys", "add", "last", "--role", "admin", "--expires", "2s", "--store", self.store,
                    "--json")
        last = bearer(json.loads(done.stdout)["secret"])
        with self.start() as server:
            server.until(lambda: server.get("/v1/users", headers=last).status == 401, "its end")
            self.assert_problem(server.get("/v1/users"), 401, "unauthorized")
            server.wait_for_event("no key is left")
        with self.start() as server:  # nor by a restart
            self.assert_problem(server.get("/v1/users"), 401, "unauthorized")

    def test_rotation_leaves_no_gap(self):
        server, admin = self.with_keys()
        with server:
            first = bearer(add_key(self.store, "shop", "read"))
            done = tool("keys", "rotate", "shop", "--overlap", "1h", "--store", self.store, "--json")
            second = bearer(json.loads(done.stdout)["secret"])
            for key in (first, second, first):
                self.assertEqual(server.get("/v1/users", headers=key).status, 200)
            made = server.post("/v1/keys/shop/secrets", {"overlap_seconds": 0}, headers=admin)
            self.assertEqual(made.status, 201, made.body)
            third = bearer(made.json["secret"])
            self.assertEqual(server.get("/v1/users", headers=third).status, 200)
            for key in (first, second):
                self.assert_problem(server.get("/v1/users", headers=key), 401, "unauthorized")
            missing = server.post("/v1/keys/nobody/secrets", {}, headers=admin)
            self.assert_problem(missing, 404, "not_found")
            self.assert_problem(server.post("/v1/keys/shop/secrets", {}, headers=third), 403,
                                "forbidden")

    def test_a_key_may_come_so_often(self):
        server, admin = self.with_keys()
        with server:
            made = server.post("/v1/keys", {"name": "slow", "rate": 0.01}, headers=admin)
            self.assertEqual(made.json["rate"], 0.01)
            slow = bearer(made.json["secret"])
            self.assertEqual(server.get("/v1/users", headers=slow).status, 200)
            refused = server.get("/v1/users", headers=slow)
            self.assert_problem(refused, 429, "rate_limited")
            self.assertGreater(int(refused.headers["Retry-After"]), 50)
            for _ in range(5):
                self.assertEqual(server.get("/v1/users", headers=admin).status, 200)
            for rate in [0, -1, "much", 1e10]:
                wrong = server.post("/v1/keys", {"name": "x", "rate": rate}, headers=admin)
                self.assert_problem(wrong, 422, "bad_input")

    def test_what_was_done_outlives_the_server(self):
        server, admin = self.with_keys()
        with server:
            made = server.post("/v1/keys", {"name": "shop", "role": "write"}, headers=admin)
            shop = bearer(made.json["secret"])
            server.put("/v1/criteria", {"criteria": ["overall", "taste"]}, headers=admin)
            upload = {"Content-Type": "application/octet-stream", **shop}
            data = "user,item,overall,taste\nann,x,4,5\nann,y,3,3\n"
            self.assertEqual(server.post("/v1/imports?name=b.csv", data, headers=upload).status, 200)
            server.post("/v1/keys/shop/secrets", {}, headers=admin)
            server.delete("/v1/keys/shop", headers=admin)
            self.assert_problem(server.get("/v1/activity", headers=shop), 401, "unauthorized")
        dumped = f"{self.folder}/all.ndjson"
        tool("dump", "--store", self.store, "--output", dumped)
        tool("restore", "--store", self.store, "--force", dumped)
        with self.start() as server:
            events = server.get("/v1/activity", headers=admin).json["events"]
            self.assertEqual([event["event"] for event in events],
                             ["restore", "key removed", "key rotated", "import", "criteria set",
                              "key added", "key added"])
            by = [(event["by"], event["from"]) for event in events]
            self.assertEqual(by[1:6], [("root", "127.0.0.1"), ("root", "127.0.0.1"),
                                       ("shop", "127.0.0.1"), ("root", "127.0.0.1"),
                                       ("root", "127.0.0.1")])
            self.assertEqual([way for _, way in (by[0], by[6])], ["palate restore", "palate keys"])
            self.assertEqual(events[3]["detail"]["new_ratings"], 2)
            first = server.get("/v1/activity?limit=4", headers=admin).json
            rest = server.get(f"/v1/activity?before={first['next']}", headers=admin).json
            self.assertEqual(first["events"] + rest["events"], events)
            self.assertIsNone(rest["next"])
        done = tool("activity", "--store", self.store, "--limit", "2", "--json")
        self.assertEqual([event["event"] for event in json.loads(done.stdout)["events"]],
                         ["restore", "key removed"])

    def test_lines_of_the_log_carry_the_trace(self):
        with self.beers() as server:
            trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
            given = {"traceparent": f"00-{trace}-{parent}-01", "X-Request-Id": "traced"}
            self.assertEqual(server.list_for("u1").status, 200)
            self.assertEqual(server.get("/v1/users", headers=given).status, 200)
            broken = {"traceparent": f"00-{trace}-{parent}", "X-Request-Id": "untraced"}
            self.assertEqual(server.get("/v1/users", headers=broken).status, 200)
            server.raw(b"nonsense\r\n\r\n")

            def lines():
                return {line["request_id"]: line for line in server.events("request")}
            server.until(lambda: {"traced", "untraced"} <= lines().keys(), "the lines")
            server.until(lambda: any(line["status"] == 400 for line in lines().values()), "a refusal")
            traced = lines()["traced"]
            self.assertEqual((traced["trace_id"], traced["parent_span_id"]), (trace, parent))
            for line in lines().values():
                self.assertRegex(line["trace_id"], re.compile("^[0-9a-f]{32}$"))
                self.assertRegex(line["span_id"], re.compile("^[0-9a-f]{16}$"))
                if line is not traced and line["request_id"] != "traced":
                    self.assertNotEqual(line["trace_id"], trace)
                    self.assertNotIn("parent_span_id", line)
            spans = [line["span_id"] for line in lines().values()]
            self.assertEqual(len(spans), len(set(spans)))

    def test_a_store_that_a_newer_program_changed_takes_no_write(self):
        with self.beers() as server:
            database = sqlite3.connect(self.store, timeout=60)
            database.execute("UPDATE meta SET schema = schema + 1")
            database.commit()
            answer = server.rate("u1", "i1", overall=3)
            body = self.assert_problem(answer, 503, "io")
            self.assertIn("schema version", body["detail"])
            self.assertIn("Retry-After", answer.headers)
            server.until(lambda: server.get("/ready").status == 503, "/ready telling it")
            self.assertIn("schema version", server.get("/ready").json["detail"])
            self.assertEqual(server.list_for("u2").status, 200)
            refused = tool("keys", "list", "--store", self.store, status=6)
            self.assertIn(b"schema version", refused.stderr)
            database.execute("UPDATE meta SET schema = schema - 1")
            database.commit()
            database.close()
            server.wait_ready()
            self.assertIn(server.rate("u1", "i1", overall=3).status, (200, 201))


if __name__ == "__main__":
    unittest.main()
