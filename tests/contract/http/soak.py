#!/usr/bin/env python3
"""Mixed load on one server for a while, with people and items that come and go, and bounds on what
it may cost.

  soak.py --minutes 10 [--data FILE_OR_FOLDER] [--method METHOD]... [--threads 4]

Without --data, ratings are made up. After a sixth of the time (five minutes at most) memory counts:
at most 2.5 times the kept model and 200 MB, and no more than a tenth above what it was then. At all
times: no 5xx, nothing that was acknowledged and is lost, no lag above --lag seconds, no more file
descriptors than connections and 100. Prints figures; ends with 1 if a bound was broken. PALATE_TOOL
names the tool. Standard library only.
"""
import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time

from service import Server, quote, tool

MB = 1 << 20


class Load:
    """One client: asks mostly, rates, and has people and items come and go."""

    def __init__(self, server, number, users, items, criteria):
        self.server, self.number = server, number
        self.users, self.items, self.criteria = users, items, criteria
        self.chance = random.Random(number)
        self.mine = {}  # (user, item) -> value acknowledged last
        self.requests, self.errors, self.seconds = 0, [], []

    def ask(self, connection, method, path, body=None):
        began = time.monotonic()
        answer = self.server.request(method, path, body, connection=connection)
        self.seconds.append(time.monotonic() - began)
        self.requests += 1
        if answer.status >= 500:
            self.errors.append(f"{method} {path}: {answer.status} {answer.body[:200]}")
        return answer

    def step(self, connection, k):
        dice = self.chance.random()
        user = self.chance.choice(self.users)
        if dice < 0.6:
            self.ask(connection, "GET", f"/v1/users/{quote(user)}/recommendations?top=10")
        elif dice < 0.9:
            item = self.chance.choice(self.items)
            if self.chance.random() < 0.1:
                item = f"new-{self.number}-{k}"
            who = f"guest-{self.number}-{k % 200}" if self.chance.random() < 0.5 else user
            value = self.chance.randint(1, 5)
            answer = self.ask(connection, "PUT", f"/v1/ratings/{quote(who)}/{quote(item)}",
                              {"values": {self.criteria[0]: value}})
            if answer.status in (200, 201) and who.startswith("guest"):
                self.mine[who, item] = value
        elif dice < 0.95:
            self.ask(connection, "GET", "/v1/items?limit=20")
        elif dice < 0.98:
            who = f"guest-{self.number}-{self.chance.randrange(200)}"
            if self.ask(connection, "DELETE", f"/v1/users/{who}").status in (204, 404):
                self.mine = {pair: v for pair, v in self.mine.items() if pair[0] != who}
        else:
            item = f"new-{self.number}-{self.chance.randrange(max(1, k))}"
            if self.ask(connection, "DELETE", f"/v1/items/{item}").status in (204, 404):
                self.mine = {pair: v for pair, v in self.mine.items() if pair[1] != item}

    def run(self, end):
        connection = self.server.connect()
        k = 0
        while time.monotonic() < end:
            k += 1
            self.step(connection, k)
        for (user, item), value in self.mine.items():
            answer = self.server.get(f"/v1/ratings/{quote(user)}/{quote(item)}")
            found = answer.json["values"].get(self.criteria[0]) if answer.status == 200 else None
            if found != value:
                self.errors.append(f"{user} {item} is {found}, {value} was acknowledged")
        connection.close()


def resident(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--data")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--lag", type=float, default=2)
    parser.add_argument("settings", nargs="*", help="of palate serve, after --")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="palate-soak-")
    try:
        sys.exit(soak(options, folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def soak(options, folder):
    store = os.path.join(folder, "ratings.db")
    data = options.data or os.path.join(folder, "made.csv")
    if not options.data:
        tool("synth", "--out", data, "--users", "5000", "--items", "1500", "--quiet")
    tool("import", "--store", store, data, "--quiet")
    exact = any(word in ("ca-gf", "--preset", "--filters") for word in options.settings)
    broken, worst = [], {"memory": 0, "lag": 0.0, "descriptors": 0}
    with Server(store, "--log", "warn", "--rate", "1000000", *options.settings) as server:
        users = [one["id"] for one in server.get("/v1/users?limit=1000").json["users"]]
        items = [one["id"] for one in server.get("/v1/items?limit=1000").json["items"]]
        criteria = [one["name"] for one in server.get("/v1/criteria").json["criteria"]]
        began = time.monotonic()
        end = began + 60 * options.minutes
        settled = began + min(300, 10 * options.minutes)
        loads = [Load(server, n, users, items, criteria) for n in range(options.threads)]
        threads = [threading.Thread(target=load.run, args=(end,)) for load in loads]
        for thread in threads:
            thread.start()
        first = None
        while time.monotonic() < end:
            time.sleep(1)
            memory = resident(server.process)
            worst["descriptors"] = max(worst["descriptors"],
                                       len(os.listdir(f"/proc/{server.process.pid}/fd")))
            if exact:
                lag = server.get("/v1/service").json["graph"].get("behind_seconds") or 0
                worst["lag"] = max(worst["lag"], lag)
            if time.monotonic() > settled:
                first = first or memory
                worst["memory"] = max(worst["memory"], memory)
        for thread in threads:
            thread.join()
        model = os.path.getsize(store + ".palate")
        rows = [load for load in loads if load.errors]
        seconds = sorted(second for load in loads for second in load.seconds)
    if worst["memory"] > 2.5 * model + 200 * MB:
        broken.append("memory is more than 2.5 times the model and 200 MB")
    if first and worst["memory"] > 1.1 * first + 32 * MB:
        broken.append("memory grows")
    if worst["lag"] > options.lag:
        broken.append("the graph lags behind")
    if worst["descriptors"] > options.threads + 100:
        broken.append("file descriptors leak")
    broken += [error for load in rows for error in load.errors[:3]]
    print(json.dumps({"minutes": options.minutes, "requests": len(seconds),
                      "p50_ms": round(1000 * seconds[len(seconds) // 2], 2),
                      "p99_ms": round(1000 * seconds[len(seconds) * 99 // 100], 2),
                      "model_mb": round(model / MB), "settled_mb": round((first or 0) / MB),
                      "most_mb": round(worst["memory"] / MB),
                      "worst_lag_seconds": round(worst["lag"], 2),
                      "descriptors": worst["descriptors"], "broken": broken}, indent=1))
    return 1 if broken else 0


if __name__ == "__main__":
    main()
