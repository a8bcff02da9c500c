"""Writes manifests.json: the parts of two published schemas that the manifests of docs/fleet_operations.md need.

    git clone --depth 1 https://github.com/compose-spec/compose-spec
    pip download --no-deps kubernetes-validate==1.37.0 && unzip kubernetes_validate-*.whl
    python3 make_manifests.py compose-spec/schema/compose-spec.json kubernetes_validate/kubernetes-json-schema

Both are Apache-2.0. The second has the schemas that Kubernetes publishes as OpenAPI, as JSON Schema, with every key refused
that they do not name. Texts are left out, and so is what a key may hold that the page does not use: run this again where a
manifest gets another key.
"""

import json
import re
import sys
from pathlib import Path

import yaml

KUBERNETES = ["v1.25.0", "v1.37.0"]
KINDS = {"Deployment": "deployment-apps-v1.json", "Service": "service-v1.json"}
HERE = Path(__file__).parent
page = (HERE / "../../docs/fleet_operations.md").read_text()
documents = [one for block in re.findall(r"```yaml\n(.*?)```", page, re.S) for one in yaml.safe_load_all(block)]


def keys_of(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


USED = keys_of(documents)
TEXTS = {"description", "title", "format", "default", "deprecated", "$id", "$schema"}


def pruned(schema):
    """The schema without texts, and without what unused keys hold."""
    if isinstance(schema, list):
        return [pruned(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {}
    for key, value in schema.items():
        if key in ("properties", "patternProperties"):
            kept[key] = {name: pruned(own) if name in USED or key != "properties" else {} for name, own in value.items()}
        elif key == "$ref":
            kept[key] = "#/definitions/" + value.rsplit("/", 1)[1]
        elif key not in TEXTS and not key.startswith("x-"):
            kept[key] = pruned(value)
    return kept


def referred(schema):
    if isinstance(schema, list):
        return set().union(*map(referred, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    own = {schema["$ref"].rsplit("/", 1)[1]} if isinstance(schema.get("$ref"), str) else set()
    return own.union(*map(referred, schema.values()))


def whole(schema, definitions):
    """The schema with the definitions that it comes to."""
    schema = pruned({key: value for key, value in schema.items() if key != "definitions"})
    reached, wanted = {}, referred(schema)
    while wanted - set(reached):
        for name in sorted(wanted - set(reached)):
            reached[name] = pruned(definitions[name])
        wanted = set().union(*(referred(one) for one in reached.values()))
    return {**schema, "definitions": reached}


compose = json.loads(Path(sys.argv[1]).read_text())
folder = Path(sys.argv[2])


def of_kubernetes(version, file):
    place = folder / f"{version}-local-strict"
    read = lambda name: json.loads((place / name).read_text())
    return whole(read(file), read("_definitions.json")["$defs"])


written = {
    "compose": whole(compose, compose["definitions"]),
    "kubernetes": {
        version: {kind: of_kubernetes(version, file) for kind, file in KINDS.items()} for version in KUBERNETES
    },
}
(HERE / "manifests.json").write_text(json.dumps(written, separators=(",", ":")) + "\n")
