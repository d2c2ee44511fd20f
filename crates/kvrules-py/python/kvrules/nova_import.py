"""`kvrules import nova`: the extra specs of the Nova that is installed, as definitions.

Nova's own definitions are read, and those that other packages add by the entry points
`nova.api.extra_spec_validators`. The document is JSON on standard output. The program `kvrules` carries this
file and hands it to the Python that has Nova, so it needs nothing but Python's own library and Nova.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

TYPES = {int: "integer", bool: "boolean", str: "string"}


class Validator(Protocol):
    """What Nova keeps of a definition."""

    name: str
    description: str
    value: Mapping[str, Any]
    deprecated: bool
    parameters: Iterable[Mapping[str, Any]]


class ImportProblem(Exception):
    """Nova is not there, or has something that a document of definitions cannot say."""


def installed() -> list[Validator]:
    """Load the definitions of the Nova in this environment, in the order in which Nova tries them."""
    try:
        from nova.api.validation.extra_specs import validators  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as error:
        raise ImportProblem(f"Nova is not installed in this environment: {error}") from error
    return list(validators.VALIDATORS.values())


def value_of(validator: Validator) -> dict[str, Any]:
    """Say what a definition allows."""
    value = validator.value
    kind = TYPES.get(value["type"])
    if kind is None:
        raise ImportProblem(f"`{validator.name}` has values of the type {value['type']!r}")
    limits = {"integer": ("min", "max"), "boolean": (), "string": ("enum", "pattern")}[kind]
    found: dict[str, Any] = {"type": kind}
    for key in limits:
        if value.get(key) is not None:
            found[key] = [str(member) for member in value[key]] if key == "enum" else value[key]
    if value.get("description"):
        found["description"] = value["description"]
    return found


def definition_of(validator: Validator) -> dict[str, Any]:
    """Write one definition."""
    found: dict[str, Any] = {"name": validator.name, "description": validator.description}
    parameters = [
        {key: parameter[key] for key in ("name", "pattern", "description") if parameter.get(key)}
        for parameter in validator.parameters
    ]
    if parameters:
        found["parameters"] = parameters
    found["value"] = value_of(validator)
    if validator.deprecated:
        found["status"] = "deprecated"
    return found


def document_of(validators: Iterable[Validator]) -> dict[str, Any]:
    """Write a document of definitions."""
    definitions = [definition_of(validator) for validator in validators]
    return {"kind": "ExtraSpecDefinitions", "version": 1, "definitions": definitions}


def main(arguments: list[str] | None = None) -> int:
    """Write the document, and give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kvrules import nova", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="the file to write; standard output unless given")
    chosen = parser.parse_args(arguments)
    try:
        text = json.dumps(document_of(installed()), indent=2, ensure_ascii=False) + "\n"
        if chosen.output:
            chosen.output.write_text(text, encoding="utf-8")
        else:
            # Whatever the locale says: the document is UTF-8.
            sys.stdout.buffer.write(text.encode("utf-8"))
    except (ImportProblem, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
