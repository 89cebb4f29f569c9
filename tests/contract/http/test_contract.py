"""The server answers as its OpenAPI document says, and the document names all that it answers."""
import json
import os
import unittest

from service import ServiceTest, quote

try:
    import jsonschema
except ImportError:
    jsonschema = None

SOURCE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "server", "openapi.json")
with open(SOURCE, encoding="utf-8") as source_file:
    DOCUMENT = json.load(source_file)

PROFILE = [{"item": "i1", "values": {"overall": 4, "taste": 3}}]
RATING = '{"user":"u1","item":"i1","values":{"overall":4}}\n'

# operationId -> calls: path parts, query, body, expected status.
CALLS = {
    "getRating": [(("u1", "i7"), "", None, 200), (("u1", "none"), "", None, 404)],
    "putRating": [(("u1", "a b"), "", {"values": {"overall": 4}}, 201),
                  (("u1", "a b"), "", {"values": {"overall": 4.5, "taste": None}, "time": 5}, 200),
                  (("u1", "a b"), "", {"values": {"smell": 4}}, 422)],
    "deleteRating": [(("u1", "a b"), "", None, 204), (("u1", "a b"), "", None, 404)],
    "bulkRatings": [((), "", RATING + "bad\n", 200), ((), "", "bad\n", 422)],
    "listUsers": [((), "", None, 200), ((), "?limit=3&after=u1&q=U", None, 200),
                  ((), "?limit=0", None, 400)],
    "bulkUsers": [((), "", '{"id":"b1"}\n{"id":"b2","attributes":{"x":1}}\n', 200)],
    "getUser": [(("u1",), "", None, 200), (("none",), "", None, 404)],
    "putUser": [(("n/1",), "", {"attributes": {"a": [1, {"b": None}]}}, 201),
                (("n/1",), "", None, 200)],
    "deleteUser": [(("n/1",), "", None, 204), (("n/1",), "", None, 404)],
    "listRatings": [(("u1",), "", None, 200), (("none",), "", None, 404)],
    "recommend": [(("u1",), "", None, 200), (("b1",), "", None, 200),
                  (("u1",), "?top=3&weights=taste:2,aroma:0&attributions=true", None, 200),
                  (("u1",), "?filter=style:ale&include_rated=true", None, 200),
                  (("none",), "", None, 404)],
    "explain": [(("u1", "i2"), "?parts=2&weights=taste:2", None, 200),
                (("u1", "none"), "", None, 404)],
    "recommendFor": [((), "", {"user": "u1", "top": 5, "attributions": True}, 200),
                     ((), "", {"profile": PROFILE, "weights": {"taste": 2}, "deny": ["i2"],
                               "filter": {"style": ["ale"]}, "allow": []}, 200),
                     ((), "", {"profile": PROFILE, "attributions": True}, 200),
                     ((), "", {}, 422), ((), "", {"user": "none"}, 404)],
    "explainFor": [((), "", {"profile": PROFILE, "item": "i2"}, 200),
                   ((), "", {"user": "u1", "item": "i2", "parts": 0}, 200),
                   ((), "", {"user": "u1"}, 422)],
    "listItems": [((), "", None, 200), ((), "?q=I1&limit=2", None, 200),
                  ((), "?sort=-mean:taste&filter=style:ale", None, 200),
                  ((), "?sort=smell", None, 400), ((), "?sort=title&after=i1", None, 400)],
    "listAttributes": [((), "", None, 200)],
    "bulkItems": [((), "", '{"id":"i1","title":"One","attributes":{"style":"ale"}}\n', 200)],
    "getItem": [(("i1",), "", None, 200), (("none",), "", None, 404)],
    "putItem": [(("m/1",), "", {"title": "M", "attributes": {}}, 201), (("m/1",), "", {}, 200)],
    "deleteItem": [(("m/1",), "", None, 204), (("m/1",), "", None, 404)],
    "similar": [(("i1",), "?top=3", None, 200), (("none",), "", None, 404)],
    "getCriteria": [((), "", None, 200)],
    "putCriteria": [((), "", {"criteria": ["overall"]}, 409), ((), "", {"criteria": []}, 422),
                    ((), "", {"criteria": ["overall", "taste", {"name": "aroma", "max": 5}]}, 200)],
    "getModel": [((), "", None, 200)],
    "getData": [((), "", None, 200)],
    "importFile": [((), "?preview=true&name=a.csv", "user,item,overall\nu1,i1,4\n", 200),
                   ((), "?name=a.csv&criteria=taste", "user,item,overall,taste\nu1,i2,4,3\n", 200),
                   ((), "", "no table", 422), ((), "?zeros=what", "user,item\n", 400)],
    "listMethods": [((), "", None, 200)],
    "listJobs": [((), "", None, 200)],
    "getJob": [(("1",), "", None, 404), (("x",), "", None, 404)],
    "cancelJob": [(("1",), "", None, 404)],
    "jobLists": [(("1", "u1"), "", None, 404)],
    "startFit": [((), "", {"method": "popularity"}, 202), ((), "", {"method": "magic"}, 400),
                 ((), "", {}, 422)],
    "startComparison": [((), "", {"methods": ["popularity", "item-knn"], "at": 5}, 202),
                        ((), "", {"methods": ["popularity", "popularity"]}, 400),
                        ((), "", {"test": 2}, 422)],
    "startDials": [((), "", {}, 202), ((), "", {"method": "ease:x=1"}, 400)],
    "listKeys": [((), "", None, 200)],
    "addKey": [((), "", {"name": "x", "role": "read"}, 409), ((), "", {"role": "read"}, 422)],
    "rotateKey": [(("none",), "", {}, 404), (("none",), "", {"overlap_seconds": -1}, 422)],
    "removeKey": [(("none",), "", None, 404)],
    "getActivity": [((), "", None, 200), ((), "?limit=1&before=9", None, 200),
                    ((), "?limit=0", None, 400)],
    "getService": [((), "", None, 200)],
    "getOpenapi": [((), "", None, 200)],
    "health": [((), "", None, 200)],
    "ready": [((), "", None, 200)],
    "metrics": [((), "", None, 200)],
}


def operations():
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def fill(path, parts):
    for part in parts:
        begin = path.index("{")
        path = path[:begin] + quote(part) + path[path.index("}", begin) + 1:]
    return path


class Contract(ServiceTest):
    def check(self, operation, answer):
        documented = operation["responses"].get(str(answer.status))
        self.assertIsNotNone(documented, f"{answer.status} is not documented: {answer.body}")
        if "$ref" in documented:
            documented = DOCUMENT["components"]["responses"][documented["$ref"].split("/")[-1]]
        content = documented.get("content")
        if content is None:
            self.assertEqual(answer.body, b"")
            return
        kind = answer.headers["Content-Type"].split(";")[0]
        self.assertIn(kind, content)
        if jsonschema is None or "json" not in kind:
            return
        schema = {**content[kind]["schema"], "components": DOCUMENT["components"]}
        jsonschema.validate(answer.json, schema, cls=jsonschema.Draft202012Validator)

    def test_every_operation_answers_as_documented(self):
        self.assertEqual({operation["operationId"] for _, _, operation in operations()},
                         set(CALLS))
        if jsonschema is None:
            print("python3-jsonschema is not installed: only statuses and types are checked")
        with self.beers() as server:
            for path, method, operation in operations():
                for parts, query, body, status in CALLS[operation["operationId"]]:
                    with self.subTest(operation=operation["operationId"], query=query, body=body):
                        kinds = operation.get("requestBody", {}).get("content", {})
                        headers = {"Content-Type": next(iter(kinds))} if body is not None else {}
                        answer = server.request(method, fill(path, parts) + query, body,
                                                headers=headers)
                        self.assertEqual(answer.status, status, answer.body)
                        self.check(operation, answer)

    def test_document_is_served_as_it_is_and_is_sound(self):
        with self.start() as server:
            self.assertEqual(server.get("/v1/openapi.json").json, DOCUMENT)
            for path in ["/v1/model", "/v1/data", "/v1/service", "/v1/criteria", "/v1/items"]:
                operation = DOCUMENT["paths"][path]["get"]
                self.check(operation, server.get(path))
        self.assertEqual(DOCUMENT["openapi"], "3.1.0")

        def walk(value):
            if isinstance(value, dict):
                if "$ref" in value:
                    target = DOCUMENT
                    for part in value["$ref"].removeprefix("#/").split("/"):
                        target = target[part]
                for inner in value.values():
                    walk(inner)
            elif isinstance(value, list):
                for inner in value:
                    walk(inner)

        walk(DOCUMENT)
        if jsonschema is not None:
            for name, schema in DOCUMENT["components"]["schemas"].items():
                with self.subTest(schema=name):
                    jsonschema.Draft202012Validator.check_schema(schema)

    def test_allowed_methods_are_those_documented(self):
        with self.start() as server:
            for path, methods in DOCUMENT["paths"].items():
                allow = server.request("OPTIONS", fill(path, ["x"] * path.count("{")))
                told = set(allow.headers["Allow"].split(", ")) - {"OPTIONS", "HEAD"}
                self.assertEqual(told, {method.upper() for method in methods}, path)


if __name__ == "__main__":
    unittest.main()
