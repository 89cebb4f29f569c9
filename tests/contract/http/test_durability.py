"""What was acknowledged is there, whatever happens to the process."""
import json
import os
import random
import threading
import time
import unittest

from postgres import Postgres, binaries
from service import ServiceTest, beer_rows

KILLS = int(os.environ.get("PALATE_KILLS", "8"))


class Kills:
    """Over any store; `self.store` says which."""

    def test_kill_9_under_write_load_loses_nothing_acknowledged(self):
        with self.beers():
            pass
        chance = random.Random(7)
        acknowledged = {}  # (user, item) -> value; None: deleted
        unsure = set()     # asked for, but killed before the answer
        for life in range(KILLS):
            server = self.start("--filters", "linear", "--log", "warn")
            # What the last life wrote; at the end, everything.
            for (user, item), value in acknowledged.items():
                if (user, item) in unsure or not item.startswith(f"j{life - 1}-"):
                    continue
                answer = server.get(f"/v1/ratings/{user}/{item}")
                found = answer.json["values"]["overall"] if answer.status == 200 else None
                self.assertEqual(found, value, f"{user} {item} in life {life}")
            self.assertEqual(server.list_for("u1").status, 200)
            lock = threading.Lock()
            answered = []

            def write(number):
                connection = server.connect()
                k = 0
                try:
                    while True:
                        k += 1
                        pair = (f"w{number}", f"j{life}-{k % 40}")
                        path = "/v1/ratings/%s/%s" % pair
                        with lock:
                            unsure.add(pair)
                        if k % 7 == 0:
                            answer = server.request("DELETE", path, connection=connection)
                            value = None
                        else:
                            value = k % 6
                            answer = server.request("PUT", path, {"values": {"overall": value}},
                                                    connection=connection)
                        with lock:
                            answered.append(pair)
                            if answer.status in (200, 201, 204):
                                acknowledged[pair] = value
                            if answer.status < 500:
                                unsure.discard(pair)
                except OSError:
                    return  # killed
                except Exception as error:
                    if "Remote" not in repr(error) and "Incomplete" not in repr(error) and \
                            "BadStatus" not in repr(error):
                        raise
                finally:
                    connection.close()

            writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
            for thread in writers:
                thread.start()
            # At a moment that a slow machine reaches too: in the middle of a write, or between two.
            enough = chance.randint(1, 100)
            server.until(lambda: len(answered) >= enough, f"{enough} answers")
            time.sleep(chance.uniform(0, 0.02))
            server.kill()
            for thread in writers:
                thread.join()
        self.assertGreater(len(acknowledged), KILLS)
        with self.start("--filters", "linear") as server:
            for (user, item), value in acknowledged.items():
                if (user, item) not in unsure:
                    answer = server.get(f"/v1/ratings/{user}/{item}")
                    found = answer.json["values"]["overall"] if answer.status == 200 else None
                    self.assertEqual(found, value)
            counts = server.get("/v1/service").json["store"]
            everyone = server.get("/v1/users?limit=1000").json["users"]
            total = sum(len(server.get(f"/v1/users/{user['id']}/ratings").json["ratings"])
                        for user in everyone)
            self.assertEqual(counts["ratings"], total)


@unittest.skipUnless(binaries(), "PostgreSQL is not installed (Debian: postgresql)")
class DurabilityOverPostgres(Kills, ServiceTest):
    def setUp(self):
        super().setUp()
        postgres = Postgres()
        self.addCleanup(postgres.stop)
        self.store = postgres.database("palate")


class Durability(Kills, ServiceTest):
    def test_restart_takes_the_kept_model_and_what_came_after_it(self):
        with self.beers() as server:
            before = server.list_for("u1").json["items"]
        server = self.start("--filters", "linear")
        server.wait_for_event("model loaded")
        self.assertEqual(server.list_for("u1").json["items"], before)
        server.rate("u1", before[0]["item"], overall=5)
        server.wait_for_graph()
        after = server.list_for("u1").json["items"]
        server.kill()
        server = self.start("--filters", "linear")
        server.wait_for_event("model loaded")
        self.assertEqual(server.list_for("u1").json["items"], after)
        self.assertEqual(server.stop(), 0)

    def test_other_settings_or_a_damaged_model_mean_a_new_fit(self):
        with self.beers() as server:
            before = server.list_for("u1").json["items"]
        model = self.store + ".palate"
        with self.start("--filters", "outward") as server:
            server.wait_for_event("model fitted")
            self.assertFalse(server.events("model loaded"))
            self.assertEqual(server.get("/v1/model").json["filters"][0]["filter"], "outward")
        with open(model, "r+b") as file:
            file.seek(1000)
            file.write(b"nonsense" * 10)
        with self.start("--filters", "outward") as server:
            server.wait_for_event("model fitted")
            self.assertFalse(server.events("model loaded"))
            self.assertEqual(server.list_for("u1").status, 200)
        with self.start("--filters", "linear", "--model", "none") as server:
            self.assertEqual([i["item"] for i in server.list_for("u1").json["items"]],
                             [i["item"] for i in before])

    def test_stopping_finishes_requests_under_way(self):
        server = self.beers()
        connection = server.connect()
        connection.putrequest("POST", "/v1/ratings")
        connection.putheader("Content-Type", "application/x-ndjson")
        body = "".join(json.dumps(row) + "\n" for row in beer_rows(users=200))
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        connection.send(body[:1000].encode())
        server.until(lambda: server.get("/v1/service").json["connections"] >= 2, "the upload")
        server.process.terminate()
        connection.send(body[1000:].encode())
        report = json.loads(connection.getresponse().read())
        connection.close()
        self.assertEqual(report["accepted"], 200 * 9)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
