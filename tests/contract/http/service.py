"""Starts the real tool as a server on a free port and talks to it. Standard library only.

The tool is named by the environment variable PALATE_TOOL.
"""
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

TOOL = os.environ.get("PALATE_TOOL", "palate")
PATIENCE = 120  # seconds until something counts as hung; nothing here measures speed


def quote(text):
    return urllib.parse.quote(text, safe="")


def at_once(calls):
    """Makes all calls at the same time, each in a thread of its own; what they gave, in order."""
    answers = [None] * len(calls)
    together = threading.Barrier(len(calls))

    def run(k):
        together.wait(PATIENCE)
        answers[k] = calls[k]()

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json["code"]


class Server:
    """One process. Use as a context manager: it ends by SIGTERM and has to end with 0."""

    def __init__(self, store, *arguments, wait=True, listen="127.0.0.1:0"):
        self.store = str(store)
        command = [TOOL, "serve", "--store", self.store, "--listen", listen, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.log = []
        line = self.process.stdout.readline().decode()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        if not line.startswith("listening on http://"):
            self.process.wait(PATIENCE)
            self._reader.join()
            self.process.stdout.close()
            raise RuntimeError(f"no server: {line!r} {self.log}")
        self.url = line.split()[-1]
        self.host, port = self.url.removeprefix("http://").rsplit(":", 1)
        self.port = int(port)
        if wait:
            self.wait_ready()

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace"))
        self.process.stderr.close()

    def events(self, name):
        lines = [json.loads(line) for line in self.log if line.startswith("{")]
        return [line for line in lines if line["event"] == name]

    def wait_for_event(self, name):
        """What the server logs arrives a moment after it has answered."""
        self.until(lambda: self.events(name), f"event {name!r}")

    def wait_ready(self):
        self.until(lambda: self.get("/ready").status == 200, "ready")

    def until(self, condition, what):
        """`what`: in words, or a function that says it when it is too late."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                said = what() if callable(what) else what
                ended = self.process.poll()
                raise AssertionError(f"waited in vain: {said}\nserver's status: {ended}; "
                                     f"its log, {len(self.log)} lines:\n{''.join(self.log)[-4000:]}")
            time.sleep(0.02)

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def request(self, method, path, body=None, headers=None, connection=None):
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        elif isinstance(body, str):
            body = body.encode()
        own = connection or self.connect()
        try:
            own.request(method, path, body=body, headers=headers)
            response = own.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            if connection is None:
                own.close()

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def put(self, path, body, **more):
        return self.request("PUT", path, body, **more)

    def post(self, path, body, **more):
        return self.request("POST", path, body, **more)

    def delete(self, path, **more):
        return self.request("DELETE", path, **more)

    def wait_for_graph(self):
        """Until the graph counts every rating that the store has."""
        def level():
            service = self.get("/v1/service").json
            return service["graph"]["behind"] == 0 and \
                service["graph"]["version"] == service["store"]["sequence"]
        self.until(level, "the graph")

    def rate(self, user, item, **values):
        return self.put(f"/v1/ratings/{quote(user)}/{quote(item)}", {"values": values})

    def bulk(self, rows, path="/v1/ratings", **more):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        return self.post(path, "\n".join(lines) + "\n",
                         headers={"Content-Type": "application/x-ndjson", **more})

    def list_for(self, user, query=""):
        return self.get(f"/v1/users/{quote(user)}/recommendations{query}")

    def raw(self, data, shutdown=False):
        """Sends bytes as they are; everything that comes back until the server closes."""
        with socket.create_connection((self.host, self.port), timeout=PATIENCE) as client:
            client.sendall(data)
            if shutdown:
                client.shutdown(socket.SHUT_WR)
            out = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := client.recv(65536):
                    out += piece
            return out

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self.process.stdout.close()
        return status

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        status = self.stop()
        if kind is None and status != 0:
            raise AssertionError(f"the server ended with {status}: {''.join(self.log)[-4000:]}")


def tool(*arguments, status=0):
    """Runs another command of the tool."""
    done = subprocess.run([TOOL, *arguments], capture_output=True, timeout=PATIENCE, check=False)
    if status is not None and done.returncode != status:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr.decode()}")
    return done


CRITERIA = ["overall", "taste", "aroma"]


def beer_rows(users=40, items=30, each=9):
    """Two tastes: users with even numbers like items with even numbers."""
    rows = []
    for u in range(users):
        for k in range(each):
            i = (u * 7 + k * 11 + k * k) % items
            like = 5 if (u + i) % 2 == 0 else 2
            rows.append({"user": f"u{u}", "item": f"i{i}", "time": 1_600_000_000 + u * 100 + k,
                         "values": {"overall": like, "taste": max(1, like - k % 2),
                                    "aroma": 1 + (u + k) % 5}})
    return rows


class ServiceTest(unittest.TestCase):
    """A folder and, by `start`, servers of its own."""

    def assert_one_makes_it(self, servers, rounds=8, clients=12):
        """Of many clients that put or delete the same thing at once, one is told that it did."""
        for round in range(rounds):
            for path, body in [(f"/v1/ratings/race{round}/i1", {"values": {"overall": 4}, "time": 1}),
                               (f"/v1/users/run{round}", {"attributes": {}}),
                               (f"/v1/items/new{round}", {"title": "New"})]:
                everyone = [servers[k % len(servers)] for k in range(clients)]
                put = at_once([lambda s=s: s.put(path, body).status for s in everyone])
                self.assertEqual(sorted(put), [200] * (clients - 1) + [201], path)
                gone = at_once([lambda s=s: s.delete(path).status for s in everyone])
                self.assertEqual(sorted(gone), [204] + [404] * (clients - 1), path)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="palate-http-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.store = os.path.join(self.folder, "ratings.db")

    def start(self, *arguments, **more):
        server = Server(self.store, *arguments, **more)
        self.addCleanup(lambda: server.process.poll() is None and server.kill())
        return server

    def beers(self, *arguments):
        server = self.start("--filters", "linear", *arguments)
        report = server.bulk(beer_rows())
        self.assertEqual(report.status, 200, report.body)
        self.assertEqual(report.json["refused"], 0)
        server.wait_for_graph()
        return server

    def assert_problem(self, answer, status, code):
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        body = answer.json
        self.assertEqual((body["status"], body["code"]), (status, code), body)
        self.assertEqual(body["type"], f"urn:palate:problem:{code}")
        self.assertTrue(body["title"] and body["detail"], body)
        return body
