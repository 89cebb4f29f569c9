#!/usr/bin/env python3
"""How fast is the service? Starts `palate serve` on BA data, and asks it for lists of ten.

  serve.py --build build [--data ../shared/data/BA] [--seconds 15] [--json FILE]

Server and load generator share the machine. Requests are spread evenly over all users. With the
cache, a list is computed once per user and state of the model, so the rows without it say what a
computed list costs. "stolen" is the share of its cores that a virtual machine did not get meanwhile.
"""
import argparse
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

SCENARIOS = {
    "500/s": {"rate": 500},
    "closed loop, 16 connections": {"connections": 16},
    "500/s beside 1000 idle and slow clients": {"rate": 500, "nuisance": 1000},
    "500/s while 200 ratings/s are written": {"rate": 500, "writes": 200},
}

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Server:
    def __init__(self, tool, store, *arguments):
        command = [tool, "serve", "--store", store, "--listen", "127.0.0.1:0", "--preset", "ba",
                   "--log", "warn", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        if not line.startswith("listening on "):
            raise SystemExit("palate serve did not start")
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])
        began = time.monotonic()
        while self.status("/ready") != 200:
            time.sleep(0.05)
        self.ready_after = time.monotonic() - began

    def status(self, path):
        try:
            with urllib.request.urlopen(self.url + path) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as answer:
            return json.load(answer)

    def ids(self, kind):
        out, after = [], ""
        while after is not None:
            page = self.get(f"/v1/{kind}?limit=1000&after={urllib.parse.quote(after, safe='')}")
            out += [urllib.parse.quote(one["id"], safe="") for one in page[kind]]
            after = page["next"]
        return out

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait() != 0 and kind is None:
            raise SystemExit("palate serve did not end well")


class Nuisance:
    """Connections that say nothing, and as many that send a byte now and then."""

    def __init__(self, port, count):
        self.port, self.done = port, threading.Event()
        self.idle = [self.open() for _ in range(count // 2)]
        self.slow = [self.open() for _ in range(count - count // 2)]
        self.thread = threading.Thread(target=self.drip)
        self.thread.start()

    def open(self):
        return socket.create_connection(("127.0.0.1", self.port))

    def drip(self):
        text = b"GET /v1/users HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * 10_000
        place = 0
        while not self.done.wait(1.0):
            place += 1
            for k, client in enumerate(self.slow):
                try:
                    client.send(text[place % len(text):][:1])
                except OSError:
                    client.close()
                    self.slow[k] = self.open()

    def stop(self):
        self.done.set()
        self.thread.join()
        for client in self.idle + self.slow:
            client.close()


def load(build, server, lists, **options):
    command = [os.path.join(build, "bench/bench_serve"), str(server.port), *lists]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def show(name, result):
    reads = result["reads"]
    text = (f"{name:46} p50 {reads['p50_ms']:7.2f}  p99 {reads['p99_ms']:7.2f}  "
            f"max {reads['max_ms']:7.1f} ms {reads['per_second']:8.0f}/s  errors {result['errors']}")
    if "writes" in result:
        text += f"  (writes p50 {result['writes']['p50_ms']:.1f} p99 {result['writes']['p99_ms']:.1f})"
    if "hit_share" in result:
        text += f"  from cache {100 * result['hit_share']:.0f} %"
    if "stolen_share" in result:
        text += f"  stolen {100 * result['stolen_share']:.1f} %"
    print(text, flush=True)


def stolen_share(before, after):
    """What the machine's owner gave to others meanwhile: latencies are then not the server's alone."""
    spent = [b - a for a, b in zip(before, after)]
    return spent[7] / sum(spent) if sum(spent) else 0


def cpu_times():
    with open("/proc/stat", encoding="ascii") as file:
        return [int(word) for word in file.readline().split()[1:9]]


def cache_counts(server):
    return server.get("/v1/service")["cache"]


def scenario(build, server, lists, results, name, nuisance=0, **options):
    with contextlib.ExitStack() as stack:
        if nuisance:
            crowd = Nuisance(server.port, nuisance)
            stack.callback(crowd.stop)
        before, times = cache_counts(server), cpu_times()
        result = load(build, server, lists, **options)
        after, times_after = cache_counts(server), cpu_times()
    asked = sum(after[k] - before[k] for k in ("hits", "misses"))
    result["hit_share"] = (after["hits"] - before["hits"]) / asked if asked else 0
    result["stolen_share"] = stolen_share(times, times_after)
    results[name] = result
    show(name, result)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--data", default=os.path.join(ROOT, "../shared/data/BA"))
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--json")
    options = parser.parse_args()
    if not os.path.isdir(options.data):
        print(f"serve.py: there is no {options.data}; nothing was measured")
        return 0
    tool = os.path.join(options.build, "palate")
    folder = tempfile.mkdtemp(prefix="palate-bench-")
    results = {}
    try:
        store = os.path.join(folder, "ba.db")
        subprocess.run([tool, "import", options.data, "--store", store], check=True,
                       stdout=subprocess.DEVNULL)
        lists = [os.path.join(folder, name) for name in ("users", "items")]
        with Server(tool, store) as server:
            for kind, path in zip(("users", "items"), lists):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("\n".join(server.ids(kind)) + "\n")
        for name, arguments in (("", []), (", no cache", ["--cache", "none"])):
            with Server(tool, store, *arguments) as server:
                results["restart_seconds" + name] = server.ready_after
                print(f"ready {server.ready_after:.2f} s after the start{name}")
                load(options.build, server, lists, rate=200, seconds=3)
                for title, wish in SCENARIOS.items():
                    scenario(options.build, server, lists, results, title + name,
                             seconds=options.seconds, **wish)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
