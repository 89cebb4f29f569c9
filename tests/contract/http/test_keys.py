"""API keys: who may do what; and that the world is not let in without them."""
import json
import os
import subprocess
import unittest

from service import TOOL, ServiceTest, tool


def add_key(store, name, role):
    done = tool("keys", "add", name, "--role", role, "--store", store, "--json")
    return json.loads(done.stdout)["secret"]


class Keys(ServiceTest):
    def bearer(self, role):
        secret = add_key(self.store, role, role)
        return {"Authorization": f"Bearer {secret}"}

    def test_roles(self):
        with self.beers() as server:
            read, write, admin = [self.bearer(role) for role in ("read", "write", "admin")]
            server.until(lambda: server.get("/v1/users").status == 401, "keys being needed")
            answer = server.get("/v1/users")
            self.assert_problem(answer, 401, "unauthorized")
            self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
            for header in ["Bearer nonsense", "Basic eDp5", "Bearer", ""]:
                wrong = server.get("/v1/users", headers={"Authorization": header})
                self.assert_problem(wrong, 401, "unauthorized")
            for path in ["/health", "/ready", "/", "/v1/openapi.json"]:
                self.assertEqual(server.get(path).status, 200, path)
            rating = {"values": {"overall": 3}}
            calls = [("GET", "/v1/users/u1", None, 0), ("GET", "/metrics", None, 0),
                     ("POST", "/v1/recommendations", {"user": "u1"}, 0),
                     ("PUT", "/v1/ratings/u1/i1", rating, 1),
                     ("DELETE", "/v1/ratings/u1/i1", None, 1),
                     ("PUT", "/v1/criteria", server.get("/v1/criteria", headers=read).json, 2)]
            for method, path, body, needed in calls:
                for rank, key in enumerate([read, write, admin]):
                    answer = server.request(method, path, body, headers=key)
                    if rank < needed:
                        self.assert_problem(answer, 403, "forbidden")
                    else:
                        self.assertIn(answer.status, (200, 201, 204, 404), (method, path, rank))
            row = '{"user":"u1","item":"i1","values":{"overall":1}}'
            self.assert_problem(server.bulk([row]), 401, "unauthorized")
            self.assert_problem(server.bulk([row], **read), 403, "forbidden")
            self.assertEqual(server.bulk([row], **write).status, 200)
            self.assertEqual(server.get("/v1/users", headers={**read, "Host": "any.example"}).status,
                             200)
            tool("keys", "remove", "read", "--store", self.store)
            server.until(lambda: server.get("/v1/users", headers=read).status == 401,
                         "the key being refused")
        secret = read["Authorization"].split()[1]
        self.assertNotIn(secret, "".join(server.log))
        for name in os.listdir(self.folder):
            with open(os.path.join(self.folder, name), "rb") as file:
                self.assertNotIn(secret.encode(), file.read(), name)

    def test_other_machines_only_with_a_key(self):
        command = [TOOL, "serve", "--store", self.store, "--listen", "0.0.0.0:0"]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"keys add", done.stderr)
        self.bearer("admin")
        server = self.start(listen="0.0.0.0:0", wait=False)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
