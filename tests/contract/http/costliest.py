#!/usr/bin/env python3
"""Searches the OpenAPI document for the request that costs the server most processor time.

  costliest.py [--count 200] [--seed 1] [--items 3000 | --data FILE_OR_FOLDER] [--hostile SECONDS]

Makes requests up within the documented limits, keeps those that cost most and changes them, and
prints the costliest. Ends with 1 if one costs more than a second, or twenty times what it takes to
read the largest body, whichever is more: no request may cost more than in proportion to what it
carries and asks for. With --hostile, one key then sends the costliest as fast as it can, and the
latencies of another key's lists and of /health are printed. With --data the ratings are those, and
the one who rated most is asked about most. Standard library only.
"""
import argparse
import glob
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time

from fuzz import SOURCE, Generator
from service import Server, quote, tool
from test_keys import add_key

BODY = 1 << 20  # bytes that a body may have


def processor_seconds(server):
    """Of all threads that are there, to the nanosecond."""
    total = 0
    for path in glob.glob(f"/proc/{server.process.pid}/task/*/schedstat"):
        try:
            with open(path, encoding="ascii") as file:
                total += int(file.read().split()[0])
        except OSError:
            continue
    return total / 1e9


class Large(Generator):
    """Requests that are as large as the document allows, of things that are there."""

    def __init__(self, document, seed, words):
        super().__init__(document, seed)
        self.words = words
        self.room = 0  # bytes that the body may still grow by

    def count(self, low, most):
        return self.chance.choice([low, min(most, 10), most // 10 or 1, most, most])

    # Of what kind a text is by the member that it stands in, and the names of members likewise.
    KINDS = {"user": ["users"], "item": ["items"], "allow": ["items", "items", "names"],
             "deny": ["items", "items", "names"], "filter": ["values"], "id": ["items", "users"],
             "weights": ["criteria"], "values": ["criteria"]}

    def value(self, schema, depth=0, of="names"):
        schema = self.resolve(schema)
        if "anyOf" in schema:
            return self.value(self.chance.choice(schema["anyOf"]), depth + 1, of)
        kind = schema.get("type", "object")
        kind = self.chance.choice(kind) if isinstance(kind, list) else kind
        self.room -= 8
        if kind == "string":
            word = self.chance.choice(self.words[self.chance.choice(self.KINDS.get(of, ["names"]))])
            if self.odds(0.01):
                word = word * (min(schema.get("maxLength", 200), max(self.room, 1)) // len(word) + 1)
                word = word[:schema.get("maxLength", 200)]
            self.room -= len(word)
            return word
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", 0), min(schema.get("maximum", 5), 1e6)
            if of == "values":
                return self.chance.randint(1, 5)
            return self.chance.choice([low, high, high, self.chance.randint(1, 5)])
        if kind == "boolean":
            return self.odds(0.7) and of != "delete"
        if kind == "null":
            return None
        if kind == "array":
            most = schema.get("maxItems", 100)
            out = []
            for _ in range(self.count(schema.get("minItems", 0), most)):
                if self.room <= 0:
                    break
                out.append(self.value(schema.get("items", {}), depth + 1, of))
            if of == "profile":
                out = list({one["item"]: one for one in out}.values())
            return out
        out = {}
        names = list(schema.get("properties", {}).items())
        self.chance.shuffle(names)
        for name, inner in names:
            if name in schema.get("required", []) or (self.odds(0.5) and name != "cursor"):
                out[name] = self.value(inner, depth + 1, name)
        more = schema.get("additionalProperties")
        if more:
            names = {"weights": "criteria", "values": "criteria", "filter": "attributes"}
            for _ in range(self.count(1, schema.get("maxProperties", 20)) if depth < 4 else 1):
                if self.room <= 0:
                    break
                inner = more if isinstance(more, dict) else {"type": "string"}
                name = self.chance.choice(self.words[names.get(of, "names")])
                out[name] = self.value(inner, depth + 1, of)
        return out

    def body_of(self, operation):
        content = operation.get("requestBody", {}).get("content")
        if content is None:
            return None, None
        kind = next(iter(content))
        schema = content[kind]["schema"]
        if kind == "application/x-ndjson":
            # As many lines as wanted may come; what one of them costs is what counts.
            name = schema["description"].split()[1]
            schema = self.document["components"]["schemas"][name]
        self.room = BODY - 200
        value = self.value(schema)
        if isinstance(value, dict) and "user" in value and "profile" in value:
            del value[self.chance.choice(["user", "profile"])]
        if isinstance(value, dict) and "criteria" in value:
            value["criteria"] = self.words["criteria"]
        data = json.dumps(value).encode()
        return (data if len(data) < BODY else data[:BODY]), kind

    def large(self, operations):
        path, method, operation = self.chance.choice(operations)
        while "{" in path:
            begin = path.index("{")
            name = path[begin + 1:path.index("}", begin)]
            of = "items" if name == "item" or path.startswith("/v1/items") else "users"
            of = "names" if method == "DELETE" else of  # what is there is still to be asked for
            path = path[:begin] + self.encode(self.chance.choice(self.words[of])) + \
                path[path.index("}", begin) + 1:]
        pairs = []
        for parameter in operation.get("parameters", []):
            if parameter["in"] != "query" or self.odds(0.3):
                continue
            name = parameter["name"]
            self.room = 4000
            if name == "weights":
                texts = [",".join(f"{c}:{self.chance.randint(0, 9)}"
                                  for c in self.words["criteria"])]
            elif name == "filter":
                texts = [f"{self.chance.choice(self.words['attributes'])}:"
                         f"{self.chance.choice(self.words['values'])}"
                         for _ in range(self.count(1, 300))]
            elif name == "sort":
                texts = [self.chance.choice(["-", ""]) + self.chance.choice(
                    ["title", "raters", "mean:overall", "mean:taste"])]
            elif name in ("cursor", "after"):
                continue
            else:
                value = self.value(parameter["schema"])
                texts = [value if isinstance(value, str) else json.dumps(value)]
            pairs += [f"{name}={self.encode(text)}" for text in texts]
        data, kind = self.body_of(operation)
        query = "&".join(pairs)[:15000]
        target = path + ("?" + query.rsplit("&", 1)[0] if query else "")
        return method, target, data, {} if kind is None else {"Content-Type": kind}


def fill(server, items, chance):
    """A store with attributes, and one user who rated a third of it."""
    rows = [{"id": f"i{i}", "title": f"Item {i} " + "x" * (i % 50),
             "attributes": {"style": f"s{i % 90}", "year": i % 40,
                            "tags": [f"t{(i * k) % 200}" for k in range(1, 9)]}}
            for i in range(items)]
    assert server.bulk(rows, "/v1/items").status == 200
    rows = []
    for u in range(300):
        for i in chance.sample(range(items), items // 3 if u == 0 else 25):
            rows.append({"user": f"u{u}", "item": f"i{i}", "time": 1_600_000_000 + i,
                         "values": {"overall": chance.randint(1, 5), "taste": chance.randint(1, 5),
                                    "aroma": chance.randint(1, 5)}})
    assert server.bulk(rows).status == 200
    server.wait_for_graph()
    return {"users": ["u0"] + [f"u{k}" for k in range(300)],
            "items": [f"i{k}" for k in range(items)],
            "criteria": ["overall", "taste", "aroma"],
            "attributes": ["style", "year", "tags"],
            "values": [f"s{k}" for k in range(90)] + [f"t{k}" for k in range(200)],
            "names": [f"n{k:05}" for k in range(50_000)]}


def pages(server, path, name):
    after = ""
    while after is not None:
        answer = server.get(f"{path}?limit=1000&after={quote(after)}").json
        yield from answer[name]
        after = answer["next"]


def words_of(server):
    """The same of ratings that are there: attributes are added to the items."""
    users = sorted(pages(server, "/v1/users", "users"), key=lambda user: -user["ratings"])
    items = [item["id"] for item in pages(server, "/v1/items", "items")]
    rows = [{"id": item, "attributes": {"style": f"s{k % 90}", "year": k % 40,
                                        "tags": [f"t{(k * n) % 200}" for n in range(1, 9)]}}
            for k, item in enumerate(items)]
    assert server.bulk(rows, "/v1/items").status == 200
    return {"users": [users[0]["id"]] + [user["id"] for user in users[:300]],
            "items": items,
            "criteria": [one["name"] for one in server.get("/v1/criteria").json["criteria"]],
            "attributes": ["style", "year", "tags"],
            "values": [f"s{k}" for k in range(90)] + [f"t{k}" for k in range(200)],
            "names": [f"n{k:05}" for k in range(50_000)]}


def cost(server, request, connection):
    method, target, data, headers = request
    before = processor_seconds(server)
    answer = server.request(method, target, data, headers=headers, connection=connection)
    return max(0.0, processor_seconds(server) - before), answer.status


def search(server, generator, count):
    """The costliest requests, most first: (seconds, status, request)."""
    connection = server.connect()
    found = []
    readers = [one for one in generator.operations if one[1] == "GET" or "ecommend" in one[0]
               or "explanations" in one[0]]
    for number in range(count):
        # Half of the time those are tried whose like have cost most so far.
        operations = readers if number % 2 else generator.operations
        if number % 2 and found and generator.odds(0.7):
            name = generator.chance.choice(found[:5])[3]
            operations = [one for one in generator.operations if one[2].get("operationId") == name]
        request = generator.large(operations)
        path = request[1].split("?")[0]
        seconds, status = cost(server, request, connection)
        name = next((one[2].get("operationId") for one in operations
                     if one[1] == request[0] and matches(one[0], path)), "")
        found.append((seconds, status, request, name))
        found.sort(key=lambda one: -one[0])
        del found[20:]
    # What else was going on meanwhile is not theirs: the least of three counts.
    again = [(min([one[0]] + [cost(server, one[2], connection)[0] for _ in range(2)]), *one[1:])
             for one in found[:8]]
    connection.close()
    return sorted(again, key=lambda one: -one[0])


def matches(pattern, path):
    wanted, given = pattern.split("/"), path.split("/")
    return len(wanted) == len(given) and all(
        a.startswith("{") or a == b for a, b in zip(wanted, given))


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


def with_a_hostile_key(server, request, users, seconds):
    """Latencies of another key while one sends `request` on eight connections."""
    method, target, data, headers = request
    hostile, victim = [{"Authorization": "Bearer " + add_key(server.store, name, "admin")}
                       for name in ("hostile", "victim")]
    server.until(lambda: server.get("/v1/users").status == 401, "keys")
    stop = threading.Event()

    def attack():
        connection = server.connect()
        while not stop.is_set():
            server.request(method, target, data, headers={**headers, **hostile},
                           connection=connection)
        connection.close()

    attackers = [threading.Thread(target=attack) for _ in range(8)]
    for attacker in attackers:
        attacker.start()
    connection = server.connect()
    lists, healths = [], []
    end = time.monotonic() + seconds
    k = 0
    while time.monotonic() < end:
        k += 1
        user = quote(users[k % len(users)])
        for path, into in ((f"/v1/users/{user}/recommendations?top={k % 900 + 1}", lists),
                           ("/health", healths)):
            start = time.perf_counter()
            server.get(path, headers=victim, connection=connection)
            into.append((time.perf_counter() - start) * 1e3)
    stop.set()
    for attacker in attackers:
        attacker.join()
    for name, values in (("lists", sorted(lists)), ("/health", sorted(healths))):
        print(f"{name} beside it: {len(values)}, p50 {percentile(values, 0.5):.1f} ms, "
              f"p99 {percentile(values, 0.99):.1f} ms, max {values[-1]:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--items", type=int, default=3000)
    parser.add_argument("--data")
    parser.add_argument("--hostile", type=float, default=0)
    options = parser.parse_args()
    with open(SOURCE, encoding="utf-8") as file:
        document = json.load(file)
    folder = tempfile.mkdtemp(prefix="palate-cost-")
    store = os.path.join(folder, "cost.db")
    if options.data:
        tool("import", "--store", store, options.data, "--quiet")
    server = Server(store, "--filters", "linear", "--log", "warn")
    try:
        words = (words_of(server) if options.data
                 else fill(server, options.items, random.Random(options.seed)))
        generator = Large(document, options.seed, words)
        largest = ("POST", "/v1/recommendations",
                   json.dumps({"user": words["users"][1], "deny": words["names"] * 2}).encode(),
                   {"Content-Type": "application/json"})
        connection = server.connect()
        unit = min(cost(server, largest, connection)[0] for _ in range(3))
        connection.close()
        found = search(server, generator, options.count)
        for seconds, status, (method, target, data, _), _ in found:
            print(f"{seconds * 1e3:8.1f} ms  {status}  {method} {target[:60]}  "
                  f"{len(data or b'')} bytes {(data or b'')[:60]!r}")
        bound = max(1.0, 20 * unit)
        print(f"the costliest of {options.count}: {found[0][0] * 1e3:.1f} ms; to read the largest "
              f"body: {unit * 1e3:.1f} ms; bound {bound * 1e3:.0f} ms")
        if options.hostile:
            with_a_hostile_key(server, found[0][2], words["users"][1:], options.hostile)
        ended = server.stop()
    finally:
        if server.process.poll() is None:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if found[0][0] > bound or ended != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
