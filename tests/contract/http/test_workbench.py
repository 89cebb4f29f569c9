"""Uploaded files, fits on request, comparisons, dials, keys: what the explorer's workbench asks for."""
import gzip
import json
import os
import socket
import unittest

from service import PATIENCE, ServiceTest, at_once, beer_rows, quote

BYTES = {"Content-Type": "application/octet-stream"}


def csv_of(rows):
    lines = ["user,beer,overall,taste,aroma,note"]
    for row in rows:
        v = row["values"]
        lines.append(f'{row["user"]},{row["item"]},{v["overall"]},{v["taste"]},{v["aroma"]},good')
    return "\n".join(lines) + "\n"


class Workbench(ServiceTest):
    def ended(self, server, job):
        self.assertEqual(job.status, 202, job.body)
        path = f"/v1/jobs/{job.json['id']}"
        server.until(lambda: server.get(path).json["ended"] is not None, path)
        return server.get(path).json

    def upload(self, server, text, query="", **headers):
        body = text if isinstance(text, bytes) else text.encode()
        return server.post(f"/v1/imports{query}", body, headers={**BYTES, **headers})

    def test_a_file_is_looked_at_then_written(self):
        text = csv_of(beer_rows()) + "u1,i1,bad,3,3,x\n"
        with self.start() as server:
            look = self.upload(server, text, "?preview=true&name=beers.csv").json
            report = look["report"]
            self.assertEqual((report["columns"]["user"], report["columns"]["item"]), ("user", "beer"))
            self.assertEqual(report["columns"]["criteria"], ["overall", "taste", "aroma"])
            self.assertEqual(report["columns"]["ignored"], ["note"])
            self.assertEqual((report["rows"], report["bad_rows"]), (361, 1))
            bad = report["first_bad_rows"][0]
            self.assertEqual((bad["file"], bad["line"], bad["field"]), ("beers.csv", 362, "overall"))
            self.assertEqual(server.get("/v1/criteria").json["criteria"], [])
            self.assertIsNone(look["written"])

            mapped = "?name=b.csv.gz&criteria=aroma&user=user&item=beer&overall=taste"
            done = self.upload(server, gzip.compress(text.encode()), mapped).json
            names = [c["name"] for c in server.get("/v1/criteria").json["criteria"]]
            self.assertEqual(names, ["overall", "aroma"])
            self.assertEqual(done["written"]["new_ratings"], done["data"]["interactions"])
            again = self.upload(server, text, mapped.replace(".gz", "")).json
            self.assertEqual(again["written"]["new_ratings"], 0)
            server.wait_ready()
            self.assertEqual(server.list_for("u1").status, 200)
            other = self.upload(server, "user,beer,smell,taste\nu1,i1,3,3\n",
                                "?name=c.csv&criteria=smell&overall=taste")
            self.assertIn("smell", self.assert_problem(other, 422, "bad_input")["detail"])
            events = server.get("/v1/activity").json["events"]
            self.assertEqual([e["event"] for e in events], ["import", "import"])

    def test_files_are_bounded_and_leave_nothing(self):
        folder = os.path.join(self.folder, "tmp")
        os.mkdir(folder)
        os.environ["TMPDIR"] = folder
        self.addCleanup(os.environ.pop, "TMPDIR")
        with self.start("--max-bulk", "100KiB") as server:
            rows = "user,item,overall\n" + "u,i,3\n" * 40_000
            packed = gzip.compress(rows.encode())
            self.assertLess(len(packed), 50_000)
            for body in [rows, packed]:
                self.assert_problem(self.upload(server, body), 413, "too_large")
            self.assert_problem(self.upload(server, b"PK\3\4" + bytes(99)), 422, "bad_input")
            # Pages of other sites can send text without asking first, but no bytes.
            form = server.post("/v1/imports", "a", headers={"Content-Type": "text/plain"})
            self.assert_problem(form, 415, "unsupported_media_type")
            server.until(lambda: os.listdir(folder) == [], "the uploads being gone")

    def test_what_a_killed_server_left_of_an_upload_is_gone_after_the_next_start(self):
        folder = os.path.join(self.folder, "tmp")
        os.makedirs(os.path.join(folder, "palate-upload-of-mine"))
        os.environ["TMPDIR"] = folder
        self.addCleanup(os.environ.pop, "TMPDIR")

        def uploads():
            return {name for name in os.listdir(folder) if len(name) == len("palate-upload-XXXXXX")}
        head = (b"POST /v1/imports?name=a.csv HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                b"application/octet-stream\r\nContent-Length: 1000000\r\n\r\nuser,item,overall\n")
        server = self.start("--body-timeout", "3600", wait=False)
        with socket.create_connection((server.host, server.port), PATIENCE) as client:
            client.sendall(head + b"u,i,3\n" * 50_000)
            server.until(uploads, "the upload")
            first = uploads()
            # What another server writes is none of this one's business.
            self.store = os.path.join(self.folder, "other.db")
            with self.start(wait=False):
                self.assertEqual(uploads(), first)
            server.kill()
        self.assertEqual(uploads(), first)
        with self.start(wait=False):
            self.assertEqual(os.listdir(folder), ["palate-upload-of-mine"])

    def test_another_method_is_fitted_served_and_kept(self):
        with self.beers() as server:
            self.assertEqual(server.get("/v1/methods").json["served"], "ca-gf:filters=linear")
            job = self.ended(server, server.post("/v1/fits", {"method": "ease:lambda=30"}))
            self.assertEqual((job["state"], job["error"]), ("done", None), job)
            self.assertEqual(job["result"]["settings"]["lambda"], 30)
            self.assertEqual(server.get("/v1/model").json["method"], "ease")
            wrong = self.ended(server, server.post("/v1/fits", {"method": "ca-gf:preset=ym"}))
            self.assertEqual(wrong["state"], "failed")
            self.assertTrue(wrong["error"]["detail"])
            self.assertEqual(server.get("/v1/model").json["method"], "ease")
            self.assertEqual(server.get("/v1/methods").json["served"], "ease:lambda=30")
            server.rate("u1", "i29", overall=1)
            self.assertEqual(server.list_for("u1").status, 200)
        with self.start("--filters", "linear") as server:
            self.assertEqual(server.get("/v1/model").json["method"], "ease")
        with self.start("--method", "item-knn") as server:
            self.assertEqual(server.get("/v1/model").json["method"], "item-knn")

    def test_methods_beside_each_other(self):
        with self.beers() as server:
            job = self.ended(server, server.post(
                "/v1/comparisons", {"methods": ["popularity", "ca-gf:filters=linear", "ease"],
                                    "at": 5}))
            self.assertEqual(job["state"], "done", job)
            result = job["result"]
            self.assertEqual(result["users"], 40)
            means = [m["metrics"]["ndcg@5"] for m in result["methods"]]
            for mean in means:
                self.assertLess(mean["low"], mean["high"])
                self.assertTrue(mean["low"] <= mean["mean"] <= mean["high"])
            one = [d for d in result["differences"] if d["metric"] == "ndcg@5"]
            self.assertEqual([d["method"] for d in one], ["ca-gf:filters=linear", "ease"])
            for d, mean in zip(one, means[1:]):
                self.assertAlmostEqual(d["difference"], mean["mean"] - means[0]["mean"], 6)
            users, totals = [f"u{u}" for u in range(40)], [0.0] * 3
            for user in users:
                lists = server.get(f"/v1/jobs/{job['id']}/lists/{user}").json
                held = {row["item"] for row in lists["held_back"] if row["liked"]}
                for k, one in enumerate(lists["lists"]):
                    items = [row["item"] for row in one["items"]]
                    self.assertEqual(len(items), 5)
                    self.assertEqual([row["liked"] for row in one["items"]],
                                     [item in held for item in items])
                    totals[k] += one["metrics"].get("ndcg@5", 0)
            for total, mean in zip(totals, means):
                self.assertAlmostEqual(total / result["users"], mean["mean"], 5)
            none = server.get(f"/v1/jobs/{job['id']}/lists/{quote('nobody/x')}")
            self.assert_problem(none, 404, "not_found")
            # Settings that do not suit the ratings leave the others standing.
            job = self.ended(server, server.post(
                "/v1/comparisons", {"methods": ["popularity", "ca-gf:preset=ym"]}))
            self.assertEqual([m["left_out"] is None for m in job["result"]["methods"]],
                             [True, False])
            self.assertEqual(job["result"]["differences"], [])
            jobs = server.get("/v1/jobs").json["jobs"]
            self.assertEqual([j["has_result"] for j in jobs], [True, False])

    def test_dials_are_measured(self):
        with self.beers() as server:
            job = self.ended(server, server.post("/v1/dials", {}))
            self.assertEqual(job["state"], "done", job)
            effects = job["result"]["effects"]
            self.assertEqual({e["criterion"] for e in effects}, {"overall", "taste", "aroma"})
            self.assertEqual(sorted({e["weight"] for e in effects}), [.25, .5, 1, 2, 4])

    def test_one_job_at_a_time_and_few_wait(self):
        with self.start("--filters", "linear") as server:
            server.bulk(beer_rows(users=300, items=200, each=60))
            server.wait_ready()
            # Far more than can be done before they are cancelled.
            asked = {"methods": [f"adaptive:rating_power={k}" for k in range(8)]}
            jobs = [server.post("/v1/comparisons", asked) for _ in range(3)]
            server.until(lambda: server.get("/v1/jobs").json["jobs"][-1]["state"] == "running",
                         "the first job")
            answers = at_once([lambda: server.post("/v1/dials", {}) for _ in range(6)])
            self.assertIn(503, [a.status for a in answers])
            self.assert_problem(next(a for a in answers if a.status == 503), 503, "overloaded")
            states = [j["state"] for j in server.get("/v1/jobs").json["jobs"]]
            self.assertLessEqual(states.count("running"), 1)
            for job in server.get("/v1/jobs").json["jobs"]:
                self.assertIn(server.delete(f"/v1/jobs/{job['id']}").status, (202, 409))
            for job in jobs:
                self.assertEqual(self.ended(server, job)["state"], "cancelled")
            gone = server.delete(f"/v1/jobs/{jobs[0].json['id']}")
            self.assert_problem(gone, 409, "conflict")

    def test_a_server_with_jobs_ends_at_once(self):
        server = self.beers()
        for _ in range(3):
            server.post("/v1/fits", {"method": "adaptive"})
        self.assertEqual(server.stop(), 0)

    def test_too_few_people_are_an_error_that_says_so(self):
        with self.start() as server:
            server.bulk(beer_rows(users=3))
            server.wait_ready()
            for path in ["/v1/comparisons", "/v1/dials"]:
                job = self.ended(server, server.post(path, {}))
                self.assertEqual(job["state"], "failed")
                self.assertIn("too few to measure", job["error"]["detail"])

    def test_keys_over_http(self):
        with self.beers() as server:
            first = server.post("/v1/keys", {"name": "me", "role": "admin"})
            self.assertEqual(first.status, 201)
            me = {"Authorization": f"Bearer {first.json['secret']}"}
            self.assert_problem(server.get("/v1/keys"), 401, "unauthorized")

            def post(path, body, key):
                return server.request("POST", path, json.dumps(body),
                                      {"Content-Type": "application/json", **key})
            keys = {}
            for role in ["read", "write"]:
                secret = post("/v1/keys", {"name": role, "role": role}, me).json["secret"]
                keys[role] = {"Authorization": f"Bearer {secret}"}
            listed = server.get("/v1/keys", headers=me).json["keys"]
            self.assertEqual([(k["name"], k["role"], k["own"]) for k in listed],
                             [("me", "admin", True), ("read", "read", False),
                              ("write", "write", False)])
            self.assert_problem(post("/v1/keys", {"name": "read"}, me), 409, "conflict")
            self.assert_problem(server.delete("/v1/keys/me", headers=me), 409, "conflict")
            fit = {"method": "popularity"}
            for path, body, least in [("/v1/comparisons", {"methods": ["magic"]}, "write"),
                                      ("/v1/fits", fit, "admin"), ("/v1/keys", {}, "admin")]:
                for role in ["read", "write"]:
                    answer = post(path, body, keys[role])
                    if role == least:
                        self.assert_problem(answer, 400, "usage")
                    else:
                        self.assert_problem(answer, 403, "forbidden")
            self.assert_problem(self.upload(server, "a", **keys["read"]), 403, "forbidden")
            job = post("/v1/fits", fit, me)
            self.assertEqual(job.json["by"], "me")
            stopped = server.delete(f"/v1/jobs/{job.json['id']}", headers=keys["write"])
            self.assert_problem(stopped, 403, "forbidden")
            self.assertEqual(server.delete("/v1/keys/write", headers=me).status, 204)
            self.assert_problem(server.get("/v1/users", headers=keys["write"]), 401, "unauthorized")
            events = server.get("/v1/activity", headers=me).json["events"]
            self.assertIn(("key removed", "me"), [(e["event"], e["by"]) for e in events])
            self.assertNotIn(first.json["secret"], json.dumps(events))


if __name__ == "__main__":
    unittest.main()
