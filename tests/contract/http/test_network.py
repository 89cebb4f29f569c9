"""What the service holds to on a network where some mean it harm: keys, framing, memory, shares."""
import contextlib
import json
import os
import socket
import stat
import threading
import unittest
import unittest.mock

import service
from postgres import Postgres, binaries
from service import PATIENCE, ServiceTest, beer_rows, tool
from test_errors import status_line
from test_keys import add_key


def resident(server):
    """Megabytes."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


class Network(ServiceTest):
    def key(self, name, role="read"):
        return {"Authorization": "Bearer " + add_key(self.store, name, role)}

    def statuses(self, out):
        """Of all answers in what came back."""
        return [int(part[:3]) for part in out.split(b"HTTP/1.1 ")[1:]]

    def test_without_its_last_key_a_server_refuses_everybody(self):
        for more in [{"listen": "0.0.0.0:0"}, {}]:
            with self.subTest(more=more):
                first = self.key("first")
                with self.start("--behind-proxy", wait=False, **more) as server:
                    path = "/v1/users"
                    server.until(lambda: server.get(path, headers=first).status == 200, "the key")
                    tool("keys", "remove", "first", "--store", self.store)
                    server.wait_for_event("no key is left")
                    self.assert_problem(server.get(path), 401, "unauthorized")
                    # What was right is believed for a second.
                    server.until(lambda: server.get(path, headers=first).status == 401, "the end")
                    self.assertEqual(server.get("/health").status, 200)
                    second = self.key("second")
                    self.assertEqual(server.get(path, headers=second).status, 200)
                    tool("keys", "remove", "second", "--store", self.store)

    def test_a_key_once_needed_stays_needed_on_this_machine_too(self):
        with self.start(wait=False) as server:
            self.assertEqual(server.get("/v1/users").status, 200)
            self.key("only")
            server.until(lambda: server.get("/v1/users").status == 401, "the key being needed")
            tool("keys", "remove", "only", "--store", self.store)
            server.wait_for_event("no key is left")
            self.assert_problem(server.get("/v1/users"), 401, "unauthorized")

    def test_behind_a_proxy_only_with_a_key(self):
        done = tool("serve", "--store", self.store, "--listen", "127.0.0.1:0", "--behind-proxy",
                    status=2)
        self.assertIn(b"keys add", done.stderr)

    def test_who_has_no_key_is_refused_before_the_body(self):
        self.key("shop", "write")
        with self.start(wait=False) as server:
            for path, kind in [("/v1/ratings", "application/x-ndjson"),
                               ("/v1/recommendations", "application/json")]:
                for secret in [b"", b"Authorization: Bearer nonsense\r\n"]:
                    head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
                            "Expect: 100-continue\r\nContent-Length: 100000\r\n").encode()
                    self.assertEqual(self.statuses(server.raw(head + secret + b"\r\n")), [401])

    def test_what_is_around_chunks_is_bounded(self):
        with self.start(wait=False) as server:
            head = (b"POST /v1/ratings HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                    b"application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
            before = resident(server)
            for start in [b"1;", b"0\r\nX: "]:
                with socket.create_connection((server.host, server.port), PATIENCE) as client:
                    client.sendall(head + start)
                    sent = 0
                    with contextlib.suppress(ConnectionError):
                        while sent < 64 << 20:
                            client.sendall(b"x" * (1 << 20))
                            sent += 1 << 20
                    self.assertLess(resident(server) - before, 30)

    def test_bodies_that_wait_have_room_for_so_much(self):
        """Half sent bodies count together; who comes too late is told, and the rest still works."""
        with self.start("--max-body", "64MiB", "--body-timeout", "3600", wait=False) as server, \
                contextlib.ExitStack() as stack:
            refused = []
            for _ in range(6):
                client = socket.create_connection((server.host, server.port), PATIENCE)
                stack.callback(client.close)
                client.sendall(b"PUT /v1/users/u1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               b"application/json\r\nContent-Length: 67108864\r\n\r\n")
                client.setblocking(False)
                left = 63 << 20
                while left > 0:
                    with contextlib.suppress(BlockingIOError):
                        refused.append(client.recv(4096))
                        break
                    try:
                        left -= client.send(b" " * min(left, 1 << 20))
                    except BlockingIOError:
                        server.until(lambda: True, "")
                    except ConnectionError:
                        break
            self.assertTrue(refused, "no one was refused")
            self.assertEqual(status_line(refused[0]), 503)
            self.assertLess(resident(server), 600)
            self.assertEqual(server.get("/health").status, 200)

    def test_framing_that_two_programs_may_read_in_two_ways(self):
        hidden = b"GET /v1/users HTTP/1.1\r\nHost: localhost\r\n\r\n"
        chunk = b"0\r\n\r\n"
        with self.start(wait=False) as server:
            for wrong in ["Transfer-Encoding: xchunked", "Transfer-Encoding: gzip",
                          "Transfer-Encoding: identity", "Transfer-Encoding: chunked, identity",
                          "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked",
                          "Transfer-Encoding:", "Transfer-Encoding: \"chunked\"",
                          "Transfer-Encoding: chunked;q=1",
                          "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
                          "Transfer-Encoding: chunked\r\nContent-Length: 5",
                          "Transfer-Encoding: xchunked\r\nContent-Length: 5",
                          "Content-Length: 5\r\nTransfer-Encoding: chunked",
                          "Transfer-Encoding : chunked", "Transfer-Encoding:\x0bchunked",
                          "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5",
                          "Content-Length: +5", "Content-Length: -5", "Content-Length: 0x5",
                          "Content-Length:", "Content-Length: 5 5",
                          "Host: elsewhere", "Host: localhost", "\x00: x", "X: \x00"]:
                with self.subTest(wrong=wrong):
                    data = (b"PUT /v1/users/u1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                            b"application/json\r\n" + wrong.encode() + b"\r\n\r\n")
                    out = server.raw(data + chunk + hidden, shutdown=True)
                    self.assertEqual(self.statuses(out), [400], out)
                    self.assertIn(b"Connection: close", out)
            old = (b"PUT /v1/users/u1 HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json"
                   b"\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n")
            self.assertEqual(self.statuses(server.raw(old + chunk + hidden, shutdown=True)), [400])
            for host in [b"a b", b"a,b", b"a/b", b"user@a", b""]:
                data = b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
                self.assertEqual(self.statuses(server.raw(data, shutdown=True)), [400], host)
            two = b"GET /health HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nAuthorization: y\r\n\r\n"
            self.assertEqual(self.statuses(server.raw(two, shutdown=True)), [400])
            many = b"GET /health HTTP/1.1\r\nHost: a\r\n" + b"a:\r\n" * 1000 + b"\r\n"
            self.assertEqual(self.statuses(server.raw(many, shutdown=True)), [431])
            fine = (b"PUT /v1/users/u1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                    b"\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
            self.assertEqual(self.statuses(server.raw(fine)), [201])

    def test_the_proxys_word_counts_not_the_clients(self):
        key = self.key("shop")
        with self.start("--behind-proxy", "--rate-limit", "1", wait=False) as server:
            made_up = 0

            def ask(observed):
                """A client that makes up an address of its own each time; the proxy adds a line."""
                nonlocal made_up
                made_up += 1
                data = (f"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.1.1."
                        f"{made_up}\r\nX-Forwarded-For: {observed}\r\nConnection: close\r\n\r\n")
                return status_line(server.raw(data.encode()))
            self.assertIn(429, [ask("10.2.2.2") for _ in range(8)])
            # Who has one address of an IPv6 network has 2^64; a port is no address either.
            self.assertIn(429, [ask(f"2001:db8:1:2::{k:x}") for k in range(8)])
            self.assertIn(429, [ask(f"10.3.3.3:{4000 + k}") for k in range(8)])
            self.assertEqual(ask("10.4.4.4"), 200)
            self.assertEqual(server.get("/v1/users", headers=key).status, 200)

    def test_connections_that_ask_nothing_make_room(self):
        with self.start("--max-connections", "5", wait=False) as server, \
                contextlib.ExitStack() as stack:
            for k in range(40):
                client = socket.create_connection((server.host, server.port), PATIENCE)
                stack.callback(client.close)
                client.sendall(b"GET /health HT"[:k % 3 * 5])
            self.assertEqual(server.get("/health").status, 200)

    def test_who_waits_too_long_is_told(self):
        with self.start("--queue-timeout", "0.000000001", wait=False) as server:
            answer = server.get("/v1/users")
            self.assert_problem(answer, 503, "overloaded")
            self.assertEqual(answer.headers["Retry-After"], "1")

    def test_a_bulk_has_a_body(self):
        with self.start(wait=False) as server:
            for path in ["/v1/ratings", "/v1/users", "/v1/items"]:
                lines = {"Content-Type": "application/x-ndjson"}
                for body, headers in [(None, {}), (None, lines), (b"", lines), (b"\n \n", lines)]:
                    answer = server.request("POST", path, body, headers=headers)
                    self.assert_problem(answer, 400, "usage")

    def test_a_store_is_its_owners_alone(self):
        before = os.umask(0o022)
        try:
            with self.beers() as server:
                server.list_for("u1")
        finally:
            os.umask(before)
        for name in os.listdir(self.folder):
            mode = os.stat(os.path.join(self.folder, name)).st_mode
            self.assertEqual(stat.S_IMODE(mode) & 0o077, 0, (name, oct(mode)))

    def test_ratings_are_on_the_scale_of_their_criterion(self):
        with self.beers() as server:
            # Overall everybody gave the same, which tells no scale.
            self.assertEqual([(c["min"], c["max"]) for c in server.get("/v1/criteria").json
                              ["criteria"]], [(0, 0), (1, 5), (1, 5)])
            for wrong in [9e29, 5.1, 0.5, 0, 6]:
                answer = server.rate("u1", "i1", overall=4, taste=wrong)
                body = self.assert_problem(answer, 422, "bad_input")
                self.assertEqual(body["field"], "taste")
                self.assertIn("from 1 to 5", body["detail"])
                self.assertIn("/v1/criteria", body["hint"])
                row = {"user": "u1", "item": "i1", "values": {"taste": wrong}}
                self.assertEqual(server.bulk([row, {**row, "values": {"taste": 5}}]).json["refused"],
                                 1)
                answer = server.post("/v1/recommendations",
                                     {"profile": [{"item": "i1", "values": {"taste": wrong}}]})
                self.assert_problem(answer, 422, "bad_input")
                file = f"user,item,overall,taste\nu1,i1,4,{wrong}\n"
                # In files 0 stands for what was not rated.
                for query in ["", "&preview=true"] if wrong else []:
                    answer = server.post("/v1/imports?name=a.csv&criteria=taste" + query, file,
                                         headers={"Content-Type": "application/octet-stream"})
                    self.assertEqual(self.assert_problem(answer, 422, "bad_input")["field"], "taste")
            self.assertEqual(server.get("/v1/criteria").json["criteria"][1]["max"], 5)
            wider = [{"name": name, "min": 0, "max": 10} for name in ("overall", "taste", "aroma")]
            self.assertEqual(server.put("/v1/criteria", {"criteria": wider}).status, 200)
            self.assertLess(server.rate("u1", "i1", taste=9).status, 300)
            self.assert_problem(server.rate("u1", "i1", taste=11), 422, "bad_input")

    def test_a_few_ratings_are_no_scale_but_what_outweighs_all_is_refused(self):
        with self.start(wait=False) as server:
            rows = [{"user": "a", "item": f"i{k}", "values": {"overall": 4 - k}} for k in range(2)]
            self.assertEqual(server.bulk(rows).json["accepted"], 2)
            self.assertLess(server.rate("b", "i1", overall=90).status, 300)
            self.assert_problem(server.rate("b", "i1", overall=9e29), 422, "bad_input")
            answer = server.post("/v1/imports?name=a.csv", "user,item,overall\nb,i1,9e29\n",
                                 headers={"Content-Type": "application/octet-stream"})
            self.assert_problem(answer, 422, "bad_input")

    def test_lists_and_objects_have_limits(self):
        many = [f"v{k}" for k in range(100_000)]
        with self.beers() as server:
            path = "/v1/recommendations"
            for body, status in [({"user": "u1", "filter": {"style": many}}, 422),
                                 ({"user": "u1", "filter": {"style": many[:1001]}}, 422),
                                 ({"user": "u1", "filter": dict.fromkeys(many[:21], "x")}, 422),
                                 ({"user": "u1", "filter": dict.fromkeys(many[:50_000], 1)}, 400),
                                 ({"user": "u1", "weights": dict.fromkeys(many[:50_000], 1)}, 400),
                                 ({"user": "u1", "allow": ["v"] * 100_001}, 422)]:
                answer = server.post(path, body)
                self.assertEqual(answer.status, status, answer.body[:300])
            answer = server.post(path, {"user": "u1", "filter": {"style": many[:1000]}})
            self.assertEqual((answer.status, answer.json["items"]), (200, []))
            for path in ["/v1/users/u1", "/v1/items/i1"]:
                some = many[:50_000]
                self.assertEqual(server.put(path, {"attributes": dict.fromkeys(some, 1)}).status, 400)
                self.assertEqual(server.put(path, {"attributes": {"a": some}}).status, 422)
                self.assertEqual(server.put(path, {"attributes": {"a": many[:1000]}}).status, 200)

    def test_pages_end_before_they_are_too_long(self):
        with self.start(wait=False) as server:
            rows = [{"id": f"x{k:02}", "attributes": {"a": "x" * 900_000}} for k in range(12)]
            for path, name in [("/v1/users", "users"), ("/v1/items", "items")]:
                self.assertEqual(server.bulk(rows, path).json["accepted"], 12)
                server.until(lambda: server.get(f"{path}?q=x11").json[name], "the last of them")
                for query in ["limit=1000", "limit=1000&q=x"]:
                    seen, after = [], ""
                    while after is not None:
                        answer = server.get(f"{path}?{query}&after={after}")
                        self.assertLess(len(answer.body), 8 << 20)
                        seen += [row["id"] for row in answer.json[name]]
                        after = answer.json["next"]
                    self.assertEqual(seen, [row["id"] for row in rows], (path, query))

    def test_one_key_leaves_room_for_others(self):
        """While one asks for much on many connections, another waits for few of its requests."""
        hostile, victim = self.key("hostile"), self.key("victim")
        write = self.key("write", "write")
        with self.start("--filters", "linear", "--threads", "2") as server:
            self.assertEqual(server.bulk(beer_rows(), **write).status, 200)
            server.until(lambda: server.get("/v1/users/u1/recommendations",
                                            headers=victim).status == 200, "lists")
            body = {"user": "u1", "deny": [f"n{k}" for k in range(50_000)]}
            done, stop = [], threading.Event()

            def attack():
                connection = server.connect()
                while not stop.is_set():
                    answer = server.request("POST", "/v1/recommendations", body, headers=hostile,
                                            connection=connection)
                    done.append(answer.status)
                connection.close()
            attackers = [threading.Thread(target=attack) for _ in range(16)]
            for attacker in attackers:
                attacker.start()
            try:
                server.until(lambda: len(done) > 16, "the attack")
                begun = len(done)
                for k in range(12):
                    answer = server.get(f"/v1/users/u{k}/recommendations?top={k + 1}", headers=victim)
                    self.assertEqual(answer.status, 200)
                    self.assertEqual(server.get("/health").status, 200)
                # In one line with them it would have been 16 for each.
                self.assertLess(len(done) - begun, 12 * 8)
            finally:
                stop.set()
                for attacker in attackers:
                    attacker.join()
            self.assertEqual(set(done), {200})

    def test_a_full_disk_is_told_with_its_reason(self):
        wrapper = os.path.join(self.folder, "palate-on-a-small-disk")
        with open(wrapper, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\ntrap '' XFSZ\nulimit -f 1000\nexec {service.TOOL} \"$@\"\n")
        os.chmod(wrapper, 0o755)
        with unittest.mock.patch.object(service, "TOOL", wrapper), \
                self.start("--model", "none", wait=False) as server:
            rows = [{"id": f"u{k}", "attributes": {"a": "x" * 10_000}} for k in range(100)]
            answer = server.bulk(rows, "/v1/users")
            self.assert_problem(answer, 503, "io")
            answer = server.put("/v1/users/u1", {"attributes": {"a": "x" * 900_000}})
            body = self.assert_problem(answer, 503, "io")
            self.assertIn("nothing of this write was stored", body["detail"])
            self.assertNotIn(self.folder, json.dumps(body))
            self.assertEqual(answer.headers["Retry-After"], "5")
            self.assertEqual(server.get("/v1/users").status, 200)
    def test_bulk_bodies_at_once_are_few(self):
        with self.start(wait=False) as server, contextlib.ExitStack() as stack:
            head = (b"POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson"
                    b"\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n")
            answers = []
            for _ in range(40):
                client = socket.create_connection((server.host, server.port), PATIENCE)
                stack.callback(client.close)
                client.sendall(head)
                answers.append(status_line(client.recv(100)))
            self.assertEqual(answers, [100] * 32 + [503] * 8)

    @unittest.skipUnless(binaries(), "PostgreSQL is not installed (Debian: postgresql)")
    def test_a_database_that_is_gone_is_told_with_its_reason(self):
        postgres = Postgres()
        try:
            self.store = postgres.database("gone")
            server = self.beers()
        finally:
            postgres.stop()
        with server:
            for answer in [server.rate("u1", "i1", overall=4), server.get("/v1/users"),
                           server.get("/v1/users/u1/ratings"), server.bulk(beer_rows())]:
                body = self.assert_problem(answer, 503, "io")
                self.assertIn("the database", body["detail"])
                self.assertNotIn("palate-pg", json.dumps(body))
                self.assertEqual(answer.headers["Retry-After"], "5")
            for path in ["/health", "/metrics", "/v1/users/u1/recommendations"]:
                self.assertEqual(server.get(path).status, 200, path)


if __name__ == "__main__":
    unittest.main()
