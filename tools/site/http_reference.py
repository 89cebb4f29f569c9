#!/usr/bin/env python3
"""The routes and schemas of the HTTP service, as Markdown, from server/openapi.json.

  tools/site/http_reference.py [openapi.json]
"""
import json
import sys
from pathlib import Path

from markdown import escaped, table

ROOT = Path(__file__).resolve().parent.parent.parent
METHODS = ("get", "put", "post", "delete")


def link(reference):
    name = reference.rsplit("/", 1)[1]
    return f"[{name}](#schema-{name.lower()})"


def type_of(schema):
    """The type of a schema in a few words."""
    if "$ref" in schema:
        return link(schema["$ref"])
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(type_of(s) for s in schema[key]))
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kinds = schema.get("type", "anything")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " or ".join(plain_type(kind, schema) for kind in kinds)


def plain_type(kind, schema):
    if kind == "array" and "items" in schema:
        return f"list of {type_of(schema['items'])}"
    extra = schema.get("additionalProperties")
    if kind == "object" and isinstance(extra, dict) and extra:
        return f"object of {type_of(extra)}"
    low, high = schema.get("minimum"), schema.get("maximum")
    if kind in ("integer", "number") and low is not None:
        return f"{kind}, {low} to {high}" if high is not None else f"{kind}, from {low}"
    return kind


def meaning(schema, description=""):
    text = " ".join(filter(None, (description, schema.get("description", ""))))
    if "default" in schema:
        text += f" Default: `{json.dumps(schema['default'])}`."
    return escaped(text.strip())


def properties(schema, schemas):
    """(name, type, meaning) of an object and of what it is made of."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    rows = []
    for part in schema.get("allOf", []):
        rows += properties(part, schemas)
    required = schema.get("required", [])
    for name, value in schema.get("properties", {}).items():
        shown = f"`{name}`" + ("" if name in required else " (optional)")
        rows.append((shown, type_of(value), meaning(value)))
    return rows


def body(operation):
    kinds = operation.get("requestBody", {}).get("content", {})
    parts = [f"`{kind}`: {type_of(value.get('schema', {}))}" for kind, value in kinds.items()]
    return ["Body: " + "; ".join(parts) + ".", ""] if parts else []


def answers(operation):
    """What succeeds, with its schema; what fails, by status alone, since all are problems."""
    good, bad = [], []
    for status, answer in operation["responses"].items():
        if "$ref" in answer or status >= "400":
            bad.append(status)
            continue
        kinds = answer.get("content", {})
        shown = ", ".join(f"`{kind}`: {type_of(v.get('schema', {}))}" for kind, v in kinds.items())
        text = answer.get("description", "")
        good.append(f"**{status}** {escaped(text)}" + (f" ({shown})" if shown else ""))
    out = ["Answers: " + "; ".join(good) + ".", ""]
    if bad:
        out += ["[Problems](http.md#problems): " + ", ".join(bad) + ".", ""]
    return out


def operation_section(path, method, operation, shared):
    role = operation.get("x-role")
    needs = f" Needs the role `{role}`, where there are keys." if role else " Needs no key."
    summary = operation["summary"].rstrip(".") + "." + needs
    out = [f"### {method.upper()} {path} {{#{operation['operationId']}}}", "", escaped(summary), ""]
    if "description" in operation:
        out += [escaped(operation["description"]), ""]
    rows = []
    for parameter in [*shared, *operation.get("parameters", [])]:
        schema = parameter["schema"]
        name = f"`{parameter['name']}` ({parameter['in']})"
        rows.append((name, type_of(schema), meaning(schema, parameter.get("description", ""))))
    return out + table(("parameter", "type", "meaning"), rows) + body(operation) + answers(operation)


def page(path=ROOT / "server/openapi.json"):
    contract = json.loads(path.read_text(encoding="utf-8"))
    schemas = contract["components"]["schemas"]
    out = ["# HTTP routes and schemas", ""]
    out += ["Every route and field of `palate serve`, made from its OpenAPI document. "
            "[HTTP reference](http.md) says what a schema cannot: conventions, limits, problems.", ""]
    for tag in contract["tags"]:
        out += [f"## {tag['name'].capitalize()}", "", escaped(tag.get("description", "")), ""]
        for route, operations in contract["paths"].items():
            for method in METHODS:
                operation = operations.get(method)
                if operation and tag["name"] in operation["tags"]:
                    shared = operations.get("parameters", [])
                    out += operation_section(route, method, operation, shared)
    out += ["## Schemas", ""]
    for name, schema in schemas.items():
        out += [f"### {name} {{#schema-{name.lower()}}}", ""]
        rows = properties(schema, schemas)
        told = meaning(schema)
        out += [told, ""] if told else []
        out += table(("field", "type", "meaning"), rows) or [f"Type: {type_of(schema)}.", ""]
    return "\n".join(out)


if __name__ == "__main__":
    print(page(*map(Path, sys.argv[1:])))
