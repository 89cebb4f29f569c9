"""Many clients at once: slow ones, readers beside writers."""
import contextlib
import socket
import threading
import unittest

from service import ServiceTest, quote

SLOW = 300


class Load(ServiceTest):
    def test_idle_and_slow_clients_stop_nobody(self):
        with self.beers() as server, contextlib.ExitStack() as stack:
            idle = [stack.enter_context(socket.create_connection((server.host, server.port)))
                    for _ in range(SLOW)]
            drip = [stack.enter_context(socket.create_connection((server.host, server.port)))
                    for _ in range(SLOW)]
            self.assertEqual(len(idle), SLOW)
            request = b"GET /v1/users/u1/recommendations HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for byte in request[:20]:
                for client in drip:
                    client.sendall(bytes([byte]))
                self.assertEqual(server.list_for("u2").status, 200)
            self.assertGreaterEqual(server.get("/v1/service").json["connections"], 2 * SLOW)
            # They are still served when they make up their minds.
            drip[0].sendall(request[20:])
            self.assertTrue(drip[0].recv(64).startswith(b"HTTP/1.1 200 OK"))

    def test_connections_beyond_the_limit_are_turned_away(self):
        with self.beers("--max-connections", "20") as server, contextlib.ExitStack() as stack:
            held = [stack.enter_context(socket.create_connection((server.host, server.port)))
                    for _ in range(20)]
            # With a request under way, each of them; who asks nothing would make room.
            for client in held:
                client.sendall(b"PUT /v1/users/u1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               b"application/json\r\nExpect: 100-continue\r\nContent-Length: 20"
                               b"\r\n\r\n")
                self.assertIn(b" 100 ", client.recv(100))
            server.until(lambda: server.get("/health").status == 503, "the limit")
            answer = server.get("/health")
            self.assert_problem(answer, 503, "overloaded")
            for client in held:
                client.close()
            server.until(lambda: server.get("/health").status == 200, "room again")

    def test_readers_beside_writers(self):
        with self.beers() as server:
            problems, done = [], threading.Event()

            def read(number):
                connection = server.connect()
                try:
                    while not done.is_set():
                        user = f"u{number}"
                        answer = server.request("GET", f"/v1/users/{user}/recommendations?top=30",
                                                connection=connection)
                        items = [item["item"] for item in answer.json["items"]]
                        scores = [item["score"] for item in answer.json["items"]]
                        if answer.status != 200 or len(items) != len(set(items)):
                            problems.append(answer.body)
                        if scores != sorted(scores, reverse=True):
                            problems.append(("order", answer.body))
                except Exception as error:  # a thread's failure has to reach the test
                    problems.append(repr(error))
                finally:
                    connection.close()

            def write(number):
                try:
                    connection = server.connect()
                    for k in range(60):
                        path = f"/v1/ratings/w{number}/{quote(f'i{k % 30}')}"
                        body = {"values": {"overall": k % 6, "taste": 3}}
                        if server.request("PUT", path, body, connection=connection).status > 201:
                            problems.append("put")
                        # What was answered counts: an item rated overall is in no list of theirs.
                        listed = server.request("GET", f"/v1/users/w{number}/recommendations?top=99",
                                                connection=connection).json
                        if f"i{k % 30}" in [item["item"] for item in listed["items"]]:
                            problems.append(f"w{number} was shown i{k % 30} again")
                    connection.close()
                except Exception as error:
                    problems.append(repr(error))

            readers = [threading.Thread(target=read, args=(n,)) for n in range(3)]
            writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
            for thread in readers + writers:
                thread.start()
            for thread in writers:
                thread.join()
            done.set()
            for thread in readers:
                thread.join()
            self.assertEqual(problems, [])
            for number in range(4):
                ratings = server.get(f"/v1/users/w{number}/ratings").json["ratings"]
                self.assertEqual(len(ratings), 30)


if __name__ == "__main__":
    unittest.main()
