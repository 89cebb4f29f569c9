#!/usr/bin/env python3
"""Throws made-up requests at a running server, after its OpenAPI document, and complains about 5xx,
broken HTTP, undocumented statuses and a server that is gone.

  fuzz.py --count 3000 [--seed 1] [--url http://127.0.0.1:8080]

Without --url a server is started (PALATE_TOOL) and has to end with 0 at the end. 503 with the code
not_ready or overloaded is no error. Standard library only.
"""
import argparse
import http.client
import json
import os
import random
import shutil
import sys
import tempfile
import urllib.parse

from service import Server, beer_rows

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "server",
                      "openapi.json")
WORDS = ["", " ", "u1", "i1", "i2", "overall", "taste", "a/b", "..", "%", "%00", "%FF", "\u0000", "é", "日本",
         "🍺", "\ud800", "null", "true", "0", "-1", "1e999", "NaN", "'", "\"", "\\", "; DROP TABLE",
         "x" * 300, "x" * 2000, "{}", "[]", "\r\n", "\t", "a:b", "taste:2", "taste:-1", "style:ale", "*"]
NUMBERS = [0, 1, 2, 3, 5, -1, 10, 1000, 1001, 2**31, 2**63, 2**64, -2**63, 0.5, 1e-300, 1e30, 1e31,
           1e308, -0.0]


class Generator:
    def __init__(self, document, seed):
        self.document = document
        self.chance = random.Random(seed)
        self.operations = [(path, method.upper(), operation)
                           for path, methods in document["paths"].items()
                           for method, operation in methods.items()]

    def odds(self, share):
        return self.chance.random() < share

    def text(self):
        if self.odds(0.7):
            return self.chance.choice(WORDS)
        if self.odds(0.5):
            return "".join(self.chance.choice(WORDS) for _ in range(3))
        return "".join(chr(self.chance.choice([self.chance.randrange(128),
                                               self.chance.randrange(0x3000)]))
                       for _ in range(self.chance.randrange(12)))

    def anything(self, depth=0):
        pick = self.chance.randrange(8 if depth < 4 else 5)
        if pick == 0:
            return None
        if pick == 1:
            return self.odds(0.5)
        if pick in (2, 3):
            return self.chance.choice(NUMBERS)
        if pick == 4:
            return self.text()
        if pick == 5:
            return [self.anything(depth + 1) for _ in range(self.chance.randrange(4))]
        return {self.text(): self.anything(depth + 1) for _ in range(self.chance.randrange(4))}

    def resolve(self, schema):
        while "$ref" in schema:
            target = self.document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            schema = target
        return schema

    def value(self, schema, depth=0):
        """Mostly what the schema says, sometimes anything."""
        if self.odds(0.08):
            return self.anything(depth)
        schema = self.resolve(schema)
        if "anyOf" in schema:
            return self.value(self.chance.choice(schema["anyOf"]), depth + 1)
        kind = schema.get("type", "object")
        if isinstance(kind, list):
            kind = self.chance.choice(kind)
        if kind == "null":
            return None
        if kind == "boolean":
            return self.odds(0.5)
        if kind == "integer":
            low, high = schema.get("minimum", -3), schema.get("maximum", 20)
            return self.chance.choice([low, high, self.chance.randint(int(low), int(min(high, 50)))])
        if kind == "number":
            return self.chance.choice([0, 1, 2.5, 4, 5, self.chance.choice(NUMBERS)])
        if kind == "string":
            return self.chance.choice(["u1", "u2", "i1", "i2", "i3", "overall", self.text()])
        if kind == "array":
            return [self.value(schema.get("items", {}), depth + 1)
                    for _ in range(self.chance.randrange(4))]
        out = {}
        for name, inner in schema.get("properties", {}).items():
            if name in schema.get("required", []) or self.odds(0.4):
                if not self.odds(0.03):
                    out[name] = self.value(inner, depth + 1)
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            for _ in range(self.chance.randrange(4)):
                name = self.chance.choice(["overall", "taste", "aroma", "style", self.text()])
                out[name] = self.value(more, depth + 1)
        elif self.odds(0.03):
            out[self.text()] = self.anything()
        return out

    def encode(self, text):
        raw = text.encode("utf-8", "surrogatepass")
        return urllib.parse.quote_from_bytes(raw, safe="")

    def id(self):
        return self.chance.choice(["u1", "u2", "u3", "i1", "i2", "i3", "new", self.text()]) or "x"

    def mutate(self, data):
        data = bytearray(data)
        for _ in range(self.chance.randrange(1, 4)):
            place = self.chance.randrange(len(data) + 1)
            if self.odds(0.5) and data:
                del data[place:place + self.chance.randrange(1, 5)]
            else:
                data[place:place] = bytes([self.chance.randrange(256)])
        return bytes(data)

    def body(self, operation):
        content = operation.get("requestBody", {}).get("content")
        if content is None:
            return (b"{}", "application/json") if self.odds(0.03) else (None, None)
        kind = next(iter(content))
        if kind == "application/x-ndjson":
            name = content[kind]["schema"]["description"].split()[1]
            schema = self.document["components"]["schemas"][name]
            lines = [self.dump(self.value(schema)) for _ in range(self.chance.randrange(6))]
            data = b"\n".join(lines)
        else:
            data = self.dump(self.value(content[kind]["schema"]))
        if self.odds(0.05):
            data = self.mutate(data)
        if self.odds(0.02):
            data = self.chance.choice([b"", b"[" * 5000, b"{\"a\":" * 3000, b"\xff\xfe", b"\x00"])
        if self.odds(0.03):
            kind = self.chance.choice(["text/plain", "", "application/json; x=1", "a/b/c", "*"])
        return data, kind

    @staticmethod
    def dump(value):
        return json.dumps(value, ensure_ascii=True).encode()

    def request(self):
        path, method, operation = self.chance.choice(self.operations)
        while "{" in path:
            begin = path.index("{")
            path = path[:begin] + self.encode(self.id()) + path[path.index("}", begin) + 1:]
        pairs = []
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query" and self.odds(0.4):
                value = self.value(parameter["schema"])
                for one in value if isinstance(value, list) else [value]:
                    text = one if isinstance(one, str) else json.dumps(one)
                    pairs.append(parameter["name"] + "=" + self.encode(text))
        if self.odds(0.03):
            pairs.append(self.encode(self.text()) + "=" + self.encode(self.text()))
        target = path + ("?" + "&".join(pairs) if pairs else "")
        if self.odds(0.02):
            target = "/" + self.mutate(target.encode()).decode("latin-1")
            target = "".join(c for c in target if 0x21 <= ord(c) < 0x7F)
        if self.odds(0.02):
            method = self.chance.choice(["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH",
                                         "TRACE", "X"])
            operation = {}
        data, kind = self.body(operation)
        headers = {} if kind is None else {"Content-Type": kind}
        if self.odds(0.05):
            name = self.chance.choice(["X-Request-Id", "If-None-Match", "Authorization", "Origin",
                                       "Accept-Encoding", "X-Forwarded-For", "Expect", "Cookie"])
            headers[name] = "".join(c for c in self.text() if c.isprintable() and ord(c) < 256)
        return method, target, data, headers, operation


def fault(operation, method, status, body):
    """Why this answer is wrong; empty if it is not."""
    code = ""
    if status >= 400 and method != "HEAD" and body:
        try:
            code = json.loads(body).get("code", "")
        except ValueError:
            return "an error that is no problem document"
        if not code and status != 503:
            return "a problem without a code"
    if status >= 500 and code not in ("not_ready", "overloaded"):
        return "a failure of the server"
    documented = set(map(int, operation.get("responses", {})))
    if operation and status not in documented | {304, 400, 404, 405, 409, 415, 204}:
        return "a status that is not documented"
    return ""


def attack(server, generator, count):
    faults = []
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    statuses = {}
    for number in range(count):
        method, target, data, headers, operation = generator.request()
        try:
            connection.request(method, target, body=data, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
        except (http.client.HTTPException, OSError) as error:
            connection.close()
            alive = server.get("/health").status == 200
            faults.append((number, method, target, repr(error), "alive" if alive else "gone"))
            if not alive:
                break
            continue
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        why = fault(operation, method, answer.status, body)
        if why:
            faults.append((number, method, target, data, answer.status, why, body[:300]))
        # Criteria and the people that requests are about come back from time to time.
        if number % 500 == 0:
            server.bulk(beer_rows(users=8))
    connection.close()
    return faults, statuses


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--url")
    options = parser.parse_args()
    with open(SOURCE, encoding="utf-8") as file:
        generator = Generator(json.load(file), options.seed)
    folder = tempfile.mkdtemp(prefix="palate-fuzz-")
    try:
        if options.url:
            server = Server.__new__(Server)
            server.host, port = options.url.removeprefix("http://").rstrip("/").rsplit(":", 1)
            server.port = int(port)
        else:
            server = Server(os.path.join(folder, "fuzz.db"), "--filters", "linear", "--log", "warn")
        server.bulk(beer_rows())
        faults, statuses = attack(server, generator, options.count)
        ended = 0 if options.url else server.stop()
        trouble = "" if options.url else "".join(server.log)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for one in faults[:20]:
        print("fault:", one)
    if ended != 0:
        print(f"the server ended with {ended}: {trouble[-4000:]}")
    print(f"{options.count} requests, statuses {dict(sorted(statuses.items()))}, "
          f"{len(faults)} faults")
    return 1 if faults or ended != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
