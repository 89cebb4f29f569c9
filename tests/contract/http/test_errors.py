"""Every code of problem a client may meet, and what HTTP asks of a server."""
import unittest

from service import ServiceTest, tool


def status_line(data):
    return int(data.split(b" ", 2)[1])


class Errors(ServiceTest):
    def test_wrong_requests(self):
        with self.beers() as server:
            for query in ["?top=0", "?top=x", "?top=1001", "?top=1&top=2", "?nonsense=1",
                          "?weights=taste", "?weights=taste:x", "?filter=style", "?cursor=!",
                          "?cursor=AAAA", "?attributions=maybe", "?weights=%FF:1", "?%zz=1"]:
                with self.subTest(query=query):
                    self.assert_problem(server.list_for("u1", query), 400, "usage")
            answer = server.list_for("u1", "?weights=smell:1")
            self.assertEqual(self.assert_problem(answer, 422, "bad_input")["field"], "smell")

    def test_wrong_bodies(self):
        with self.beers() as server:
            path = "/v1/recommendations"
            for body, code in [("{", "usage"), ("\xff\xfe", "usage"), ("[" * 100_000, "usage"),
                               ('{"user":1e999}', "usage"), ("[]", "bad_input"), ("{}", "bad_input"),
                               ('{"user":"u1","profile":[]}', "bad_input"),
                               ('{"user":"u1","top":-1}', "bad_input"),
                               ('{"user":"u1","top":1.5}', "bad_input"),
                               ('{"user":"u1","weights":{"taste":-1}}', "bad_input"),
                               ('{"user":"u1","allow":"i1"}', "bad_input"),
                               ('{"user":"u1\\u0000"}', "bad_input"),
                               ('{"user":"u1","filter":{"a":{}}}', "bad_input"),
                               ('{"user":"u1","more":1}', "bad_input"),
                               ('{"profile":[{"item":"i1","values":{}}]}', "bad_input")]:
                with self.subTest(body=body[:60]):
                    answer = server.post(path, body, headers={"Content-Type": "application/json"})
                    self.assert_problem(answer, 400 if code == "usage" else 422, code)

    def test_wrong_settings_are_refused_before_it_listens(self):
        for wrong in [["--filters", "nonsense"], ["--preset", "xx"], ["--method", "none"],
                      ["--filter", "overall=?"], ["--header-timeout", "0"], ["--cache", "much"],
                      ["--listen", "nowhere"], ["--rate-limit", "x"], ["--refit-share", "0"]]:
            arguments = wrong if "--listen" in wrong else ["--listen", "127.0.0.1:0", *wrong]
            done = tool("serve", "--store", self.store, *arguments, status=2)
            self.assertEqual(done.stdout, b"", wrong)
            self.assertTrue(done.stderr.startswith(b"palate: "), done.stderr)

    def test_unknown_things(self):
        with self.beers() as server:
            for path in ["/v1", "/v1/", "/v1/nothing", "/v1/users/u1/nothing", "/v1/users/none",
                         "/v1/users/none/recommendations", "/v1/users/none/ratings",
                         "/v1/items/none/similar", "/v1/users/u1/explanations/none",
                         "/missing.js", "/../etc/passwd.txt", "/%2e%2e/%2e%2e/etc/passwd.d"]:
                with self.subTest(path=path):
                    self.assert_problem(server.get(path), 404, "not_found")

    def test_methods(self):
        with self.beers() as server:
            answer = server.request("PATCH", "/v1/users/u1")
            self.assert_problem(answer, 405, "method_not_allowed")
            allow = "GET, HEAD, PUT, DELETE, OPTIONS"
            self.assertEqual(answer.headers["Allow"], allow)
            options = server.request("OPTIONS", "/v1/users/u1")
            self.assertEqual((options.status, options.headers["Allow"]), (204, allow))
            self.assert_problem(server.delete("/"), 405, "method_not_allowed")
            self.assert_problem(server.request("BREW", "/v1/users"), 405, "method_not_allowed")
            got = server.get("/v1/users/u1")
            head = server.request("HEAD", "/v1/users/u1")
            self.assertEqual((head.status, head.body), (200, b""))
            self.assertEqual(head.headers["Content-Length"], got.headers["Content-Length"])
            self.assertEqual(server.request("HEAD", "/v1/users/none").status, 404)

    def test_media_types(self):
        with self.beers() as server:
            for kind in ["text/plain", "application/x-www-form-urlencoded", ""]:
                answer = server.post("/v1/recommendations", b'{"user":"u1"}',
                                     headers={"Content-Type": kind})
                self.assert_problem(answer, 415, "unsupported_media_type")
            packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
            self.assert_problem(server.post("/v1/recommendations", b"x", headers=packed), 415,
                                "unsupported_media_type")
            fine = {"Content-Type": "Application/JSON; charset=utf-8"}
            self.assertEqual(server.post("/v1/recommendations", b'{"user":"u1"}',
                                         headers=fine).status, 200)

    def test_too_large(self):
        with self.beers("--max-body", "10KB", "--max-bulk", "1MB") as server:
            answer = server.put("/v1/users/u1", {"attributes": {"a": "x" * 20_000}})
            self.assert_problem(answer, 413, "too_large")
            chunked = (b"PUT /v1/users/u1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                       b"application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
            chunked += b"4000\r\n" + b" " * 0x4000 + b"\r\n0\r\n\r\n"
            self.assertEqual(status_line(server.raw(chunked)), 413)
            answer = server.bulk(["x" * 2_000_000])
            self.assert_problem(answer, 413, "too_large")
            answer = server.get("/v1/users/u1", headers={"X-Long": "x" * 20_000})
            self.assert_problem(answer, 431, "header_too_large")
            self.assert_problem(server.get("/v1/users/u1?" + "x" * 20_000), 431,
                                "header_too_large")

    def test_not_http(self):
        with self.beers() as server:
            for data in [b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x00\xff" * 9,
                         b"GET /health HTTP/1.1\r\n\r\n",
                         b"GET /health HTTP/1.1\r\nHost: localhost\r\nBad Header: 1\r\n\r\n",
                         b"POST /v1/ratings HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                         b"POST /v1/ratings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"]:
                with self.subTest(data=data[:40]):
                    answer = server.raw(data)
                    self.assertEqual(status_line(answer), 400, answer)
                    self.assertIn(b"Connection: close", answer)
            self.assertEqual(server.get("/health").status, 200)

    def test_slow_requests_end_with_408(self):
        with self.beers("--header-timeout", "0.3", "--body-timeout", "0.3") as server:
            self.assertEqual(status_line(server.raw(b"GET /health HT")), 408)
            half = (b"PUT /v1/users/u1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                    b"application/json\r\nContent-Length: 20\r\n\r\n{")
            self.assertEqual(status_line(server.raw(half)), 408)

    def test_rate_limit(self):
        with self.start("--rate-limit", "1", wait=False) as server:
            answers = [server.get("/health") for _ in range(6)]
            refused = [answer for answer in answers if answer.status == 429]
            self.assertTrue(refused)
            self.assert_problem(refused[0], 429, "rate_limited")
            self.assertGreaterEqual(int(refused[0].headers["Retry-After"]), 1)

    def test_foreign_host_is_refused_without_keys(self):
        with self.beers("--host", "beer.example") as server:
            answer = server.get("/v1/users", headers={"Host": "evil.example"})
            self.assert_problem(answer, 421, "wrong_host")
            for host in ["localhost", "127.0.0.1:9", "LOCALHOST:80", "[::1]:8", "beer.example:443"]:
                self.assertEqual(server.get("/health", headers={"Host": host}).status, 200, host)

    def test_pipelined_requests_are_answered_in_order(self):
        with self.beers() as server:
            one = b"GET /v1/users/u%d HTTP/1.1\r\nHost: localhost\r\n\r\n"
            last = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            out = server.raw(b"".join(one % k for k in range(20)) + last)
            places = [out.index(b'"id":"u%d"' % k) for k in range(20)]
            self.assertEqual(places, sorted(places))
            self.assertEqual(out.count(b"HTTP/1.1 200 OK"), 21)

    def test_expect_continue_and_http_1_0(self):
        with self.beers() as server:
            data = (b"PUT /v1/users/u1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                    b"\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
            out = server.raw(data)
            self.assertTrue(out.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), out)
            out = server.raw(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
            self.assertIn(b" 200 OK", out)

    def test_etags(self):
        with self.beers() as server:
            for path in ["/v1/openapi.json", "/v1/model", "/v1/users/u1/recommendations", "/"]:
                first = server.get(path)
                tag = first.headers["ETag"]
                again = server.get(path, headers={"If-None-Match": tag})
                self.assertEqual((again.status, again.body), (304, b""), path)
                other = server.get(path, headers={"If-None-Match": '"other"'})
                self.assertEqual((other.status, other.body), (200, first.body), path)

    def test_headers_for_safety(self):
        with self.beers() as server:
            for path in ["/", "/v1/users", "/v1/nothing", "/service", "/some/page"]:
                answer = server.get(path, headers={"Origin": "https://evil.example"})
                self.assertRegex(answer.headers["Date"], "^[A-Z][a-z]{2}, [0-9]{2} .* GMT$")
                self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff", path)
                policy = answer.headers["Content-Security-Policy"]
                self.assertIn("default-src 'none'", policy)
                self.assertNotIn("unsafe", policy)
                self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])
            page = server.get("/service")
            self.assertEqual(page.status, 200)
            self.assertIn("text/html", page.headers["Content-Type"])
            # A page there could not load what stands beside it.
            self.assert_problem(server.get("/some/page"), 404, "not_found")

    def test_cors_only_for_those_allowed(self):
        with self.beers("--cors", "https://shop.example") as server:
            fine = server.request("OPTIONS", "/v1/recommendations", headers={
                "Origin": "https://shop.example", "Access-Control-Request-Method": "POST"})
            self.assertEqual(fine.headers["Access-Control-Allow-Origin"], "https://shop.example")
            self.assertIn("Authorization", fine.headers["Access-Control-Allow-Headers"])
            other = server.get("/v1/users", headers={"Origin": "https://shop.example.evil"})
            self.assertIsNone(other.headers["Access-Control-Allow-Origin"])

    def test_request_ids_and_logs(self):
        with self.beers() as server:
            mine = server.get("/v1/users/u1", headers={"X-Request-Id": "abc-1"})
            self.assertEqual(mine.headers["X-Request-Id"], "abc-1")
            made = server.get("/v1/users/u1", headers={"X-Request-Id": "no good\""})
            self.assertRegex(made.headers["X-Request-Id"], "^[0-9a-f]{16}$")
            server.until(lambda: any(e["request_id"] == "abc-1" for e in server.events("request")),
                         "a line in the log")
            line = [e for e in server.events("request") if e["request_id"] == "abc-1"][0]
            self.assertEqual((line["route"], line["status"], line["method"]), ("getUser", 200, "GET"))
            self.assertIn("abc-2", server.get("/v1/none", headers={"X-Request-Id": "abc-2"}).json
                          ["request_id"])

    def test_metrics(self):
        with self.beers() as server:
            for _ in range(3):
                server.list_for("u1")
            text = server.get("/metrics").body.decode()
            self.assertIn('palate_request_seconds_count{route="recommend"} 3', text)
            self.assertIn('palate_requests_total{route="bulkRatings",status="2xx"} 1', text)
            self.assertIn("\npalate_ready 1\n", text)


if __name__ == "__main__":
    unittest.main()
