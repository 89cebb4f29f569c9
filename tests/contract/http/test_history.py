"""Several servers on one PostgreSQL database, whose connections break and whose processes die: what
they told their clients could have been told by one store that never fails.

PALATE_HISTORY=300 goes on for so many seconds.
"""
import contextlib
import http.client
import os
import random
import threading
import time
import unittest

import history
from history import Call, History, Listed
from postgres import Postgres, Proxy, binaries
from service import PATIENCE, ServiceTest

SECONDS = float(os.environ.get("PALATE_HISTORY", "6"))
SEED = int(os.environ.get("PALATE_SEED", "17"))
SERVERS = 3
CLIENTS = 6
ITEMS = [f"i{k}" for k in range(10)]
PEOPLE = 5        # at a time
ROUND = 8         # seconds, then there are others: a register's calls stay few
ENOUGH = 100      # writes that were acknowledged


def put(value, begin, end, new, life=1, user="u", item="i"):
    return Call("put", user, item, value, begin, end, new, life)


def get(value, begin, end):
    return Call("get", "u", "i", None, begin, end, value)


def delete(begin, end, there):
    return Call("delete", "u", "i", None, begin, end, there)


class Checker(unittest.TestCase):
    """What the checks of a history find."""

    def assert_possible(self, *calls):
        self.assertIsNotNone(history.order_of(calls))

    def assert_impossible(self, *calls):
        self.assertIsNone(history.order_of(calls))

    def test_what_one_store_would_answer_is_possible(self):
        self.assert_possible(get(None, 0, 1), put(1, 1, 2, True), get(1, 2, 3), put(2, 3, 4, False),
                             delete(4, 5, True), get(None, 5, 6), delete(6, 7, False))
        # At the same time either may be first.
        self.assert_possible(put(1, 0, 9, False), put(2, 0, 9, True), get(1, 10, 11))
        self.assert_possible(put(1, 0, 9, True), get(1, 1, 2), get(1, 3, 4))

    def test_a_lost_write_is_found(self):
        self.assert_impossible(put(1, 0, 1, True), get(None, 2, 3))
        self.assert_impossible(put(1, 0, 1, True), put(2, 2, 3, False), get(1, 4, 5))
        self.assert_impossible(put(1, 0, 1, True), delete(2, 3, True), get(1, 4, 5))

    def test_a_doubled_effect_is_found(self):
        self.assert_impossible(put(1, 0, 1, True), put(2, 0, 1, True))
        self.assert_impossible(put(1, 0, 1, True), delete(2, 3, True), delete(2, 3, True))
        # The first comes again after the second.
        self.assert_impossible(put(1, 0, 1, True), put(2, 2, 3, False), get(2, 4, 5), get(1, 6, 7))

    def test_reordered_effects_are_found(self):
        self.assert_impossible(put(1, 0, 9, True), put(2, 0, 9, False), get(2, 1, 2), get(1, 3, 4),
                               get(2, 5, 6))
        self.assert_impossible(put(1, 0, 1, False), put(2, 2, 3, True))

    def test_what_was_not_answered_may_have_happened_or_not_but_once(self):
        unsure = put(7, 1, None, None)
        self.assert_possible(put(1, 0, 1, True), unsure, get(1, 2, 3), get(7, 4, 5))
        self.assert_possible(put(1, 0, 1, True), unsure, get(1, 2, 3), delete(4, 5, True))
        self.assert_impossible(put(1, 0, 1, True), unsure, get(7, 2, 3), get(1, 4, 5))
        self.assert_impossible(put(1, 2, 3, True), get(7, 0, 0.5), unsure)
        self.assert_impossible(unsure, get(7, 2, 3), delete(4, 5, True), get(7, 6, 7))

    def test_a_write_that_its_own_server_does_not_show_is_found(self):
        past = History(calls=[put(1, 0, 1, True)], begun={1: 0, 2: 0, 3: 5})
        for life, begin, found in [(1, 0.5, 0), (1, 2, 1), (2, 2, 0), (3, 6, 1)]:
            past.lists = [Listed("u", {"i", "j"}, 1, begin, begin + 1, life)]
            self.assertEqual(len(history.unseen(past)[0]), found, (life, begin))
        past.lists = [Listed("u", {"i"}, 1, 6, 7, 1)]
        past.calls.append(delete(5, None, None))
        self.assertEqual(history.unseen(past)[0], [])
        past.calls[0].end = past.calls[0].begin + 5  # more than was promised
        self.assertEqual(history.unseen(past), ([], 0))

    def test_a_server_that_goes_back_is_found(self):
        one = Listed("u", set(), 5, 0, 1, 1)
        self.assertTrue(history.backwards(History(lists=[one, Listed("u", set(), 4, 2, 3, 1)])))
        self.assertFalse(history.backwards(History(lists=[one, Listed("u", set(), 4, 2, 3, 2)])))
        self.assertFalse(history.backwards(History(lists=[one, Listed("u", set(), 5, 2, 3, 1)])))

    def test_changes_are_counted(self):
        past = History(calls=[put(1, 0, 1, True), delete(1, 2, True), delete(3, 4, False),
                              put(2, 5, None, None), get(1, 6, 7)])
        self.assertEqual(history.changes(past), (2, 3))


@unittest.skipUnless(binaries(), "PostgreSQL is not installed (Debian: postgresql)")
class ManyServers(ServiceTest):
    def setUp(self):
        super().setUp()
        self.chance = random.Random(SEED)
        self.postgres = Postgres()
        self.addCleanup(self.postgres.stop)
        self.postgres.database("palate")
        self.proxies = [Proxy(self.postgres) for _ in range(SERVERS)]
        for proxy in self.proxies:
            self.addCleanup(proxy.stop)
        self.past = History()
        self.problems = []
        self.over = threading.Event()
        self.values = iter(range(1, 10**6))
        self.lives = 0
        self.servers = [None] * SERVERS
        for number in range(SERVERS):
            self.begin(number)
        first = self.servers[0][0]
        first.bulk([{"user": f"other{k}", "item": item, "values": {"overall": 1 + k % 3}}
                    for k in range(4) for item in ITEMS])
        for server, _ in self.servers:
            server.until(lambda s=server: s.get("/ready").json["status"] == "ready", "a model")
            server.wait_for_graph()

    def begin(self, number):
        """A server behind its own proxy; `servers` has it beside its life, which no other has."""
        self.lives += 1
        self.past.begun[self.lives] = time.monotonic()
        self.store = self.postgres.url("palate", self.proxies[number].folder)
        model = os.path.join(self.folder, f"model{number}.palate")
        server = self.start("--filters", "linear", "--model", model, "--log", "warn", wait=False)
        self.servers[number] = (server, self.lives)
        return server

    # ------------------------------------------------------------------------------- clients

    def client(self, number):
        chance = random.Random(SEED * 1000 + number)
        began = time.monotonic()
        try:
            while not self.over.is_set():
                round = int((time.monotonic() - began) / ROUND)
                user = f"w{round}-{chance.randrange(PEOPLE)}"
                server, life = self.servers[chance.randrange(SERVERS)]
                if not self.ask(chance, server, life, user, chance.choice(ITEMS)):
                    time.sleep(chance.uniform(0.05, 0.2))
        except Exception as error:
            self.problems.append(repr(error))
            raise

    def ask(self, chance, server, life, user, item):
        """One call; whether it was answered."""
        kind = chance.choices(["put", "delete", "get", "list"], [5, 2, 4, 3])[0]
        path = f"/v1/ratings/{user}/{item}"
        call = self.past.call(kind=kind, user=user, item=item, life=life)
        body = None
        if kind == "put":
            call.value = next(self.values)
            body = {"values": {"overall": call.value}}
        try:
            if kind == "list":
                answer = server.list_for(user, "?top=1000")
            else:
                answer = server.request(kind.upper(), path, body)
        except ConnectionRefusedError:
            return False  # nobody was there: it did not happen
        except (OSError, http.client.HTTPException):
            answer = None
        end = time.monotonic()
        if answer is None or answer.status >= 500:
            if kind in ("put", "delete"):
                self.past.add(call)
            if answer is not None and answer.status != 503:
                self.problems.append((path, answer.status, answer.body))
            return False
        if kind == "list":
            if answer.status == 200:
                self.past.add(Listed(user, {one["item"] for one in answer.json["items"]},
                                     answer.json["version"], call.begin, end, life))
            return True
        call.end = end
        expected = {"put": (200, 201), "delete": (204, 404), "get": (200, 404)}[kind]
        if answer.status not in expected:
            self.problems.append((path, answer.status, answer.body))
        if kind == "get":
            call.result = answer.json["values"]["overall"] if answer.status == 200 else None
        else:
            call.result = answer.status == {"put": 201, "delete": 204}[kind]
        self.past.add(call)
        return True

    # -------------------------------------------------------------------------------- faults

    def cut(self, number):
        self.proxies[number].cut()

    def hold(self, number):
        self.proxies[number].hold(self.chance.uniform(0.1, 1))

    def lose_answers(self, number):
        self.proxies[number].lose_answers(self.chance.uniform(0.01, 0.3))

    def kill_server(self, number):
        self.servers[number][0].kill()
        self.begin(number)

    def kill_database(self, _):
        self.postgres.kill()
        time.sleep(self.chance.uniform(0, 0.3))
        self.postgres.start()

    # --------------------------------------------------------------------------------- tests

    def test_a_server_waits_for_a_database_that_goes_away_while_it_starts(self):
        ratings = "LOCK TABLE palate_ratings IN ACCESS EXCLUSIVE MODE"
        with self.postgres.doing("palate", ratings):
            proxy = self.proxies[0]
            self.servers[0][0].kill()
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(self.folder, "model0.palate"))
            server = self.begin(0)
            server.until(lambda: self.postgres.waits("palate"), "the first look at the ratings")
            proxy.open_to_all = False
            proxy.cut()
            server.wait_for_event("the store could not be read")
            self.assertEqual(server.get("/ready").status, 503)
        proxy.open_to_all = True
        server.wait_ready()
        self.assertEqual(server.list_for("other1", "?top=5").status, 200)

    def test_what_clients_are_told_is_what_one_store_would_have_told(self):
        before = self.counted()
        clients = [threading.Thread(target=self.client, args=(n,)) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        faults = [self.cut, self.lose_answers, self.hold, self.kill_server, self.lose_answers,
                  self.kill_database]
        end = time.monotonic() + SECONDS
        done = 0
        try:
            while done < len(faults) or time.monotonic() < end or self.too_little(end):
                time.sleep(self.chance.uniform(0.1, 0.8))
                faults[done % len(faults)](self.chance.randrange(SERVERS))
                done += 1
        finally:
            time.sleep(0.5)
            self.over.set()
            for client in clients:
                client.join()
        self.assertEqual(self.problems, [])
        self.settle()
        self.read_everything()
        self.check(before)

    def too_little(self, end):
        """Whether a slow machine has done too little for the test to say something."""
        return history.changes(self.past)[0] < ENOUGH and time.monotonic() < end + PATIENCE

    def counted(self):
        """Changes of ratings so far: whoever is new counts as a change beside the rating."""
        store = self.servers[0][0].get("/v1/service").json["store"]
        return store["sequence"] - store["users"]

    def settle(self):
        """Until every server counts everything that is stored."""
        for server, _ in self.servers:
            self.assertIsNone(server.process.poll(), "".join(server.log)[-4000:])
            server.wait_ready()
        # A last write makes known how far there is to go.
        server, _ = self.servers[0]
        server.until(lambda: server.rate("last", ITEMS[0], overall=1).status in (200, 201), "a write")
        last = max(server.get("/v1/service").json["store"]["sequence"] for server, _ in self.servers)
        for server, _ in self.servers:
            server.until(lambda s=server: s.get("/v1/service").json["store"]["sequence"] >= last,
                         "the last change")
            server.wait_for_graph()

    def read_everything(self):
        """Every server is asked for every register and list: the end of the history."""
        registers = sorted(history.by_register(self.past.calls))
        for number, (user, item) in enumerate(registers):
            server, life = self.servers[number % SERVERS]
            call = self.past.call(kind="get", user=user, item=item, life=life)
            answer = server.get(f"/v1/ratings/{user}/{item}")
            self.assertIn(answer.status, (200, 404))
            call.result = answer.json["values"]["overall"] if answer.status == 200 else None
            call.end = time.monotonic()
            self.past.add(call)
        for user in sorted({user for user, _ in registers}):
            lists = [server.list_for(user, "?top=1000") for server, _ in self.servers]
            stored = self.servers[0][0].get(f"/v1/users/{user}/ratings")
            if stored.status == 404:
                continue
            rated = {one["item"] for one in stored.json["ratings"]}
            for answer in lists:
                shown = {one["item"] for one in answer.json["items"]}
                self.assertEqual(shown & rated, set(), user)
            scores = [{one["item"]: one["score"] for one in answer.json["items"]} for answer in lists]
            for other in scores[1:]:
                self.assertEqual(other.keys(), scores[0].keys(), user)
                for item, score in scores[0].items():
                    self.assertAlmostEqual(other[item], score, delta=1e-4 * abs(score) + 1e-6)

    def check(self, before):
        past = self.past
        wrong = history.impossible(past)
        self.assertEqual(wrong, {}, f"{len(wrong)} registers")
        unseen, looked_at = history.unseen(past)
        self.assertEqual(unseen[:3], [])
        self.assertEqual(history.backwards(past)[:3], [])
        least, most = history.changes(past)
        counted = self.counted() - before
        unsure = sum(call.end is None for call in past.calls)
        print(f"{len(past.calls)} calls, {unsure} of them not answered, {len(past.lists)} lists, "
              f"{looked_at} of writes and lists compared, {counted} changes counted "
              f"({least} to {most})")
        self.assertGreaterEqual(counted, least)
        self.assertLessEqual(counted, most + 1)  # the last write
        self.assertGreater(looked_at, 0)
        self.assertGreaterEqual(least, ENOUGH)


if __name__ == "__main__":
    unittest.main()
