"""Evaluates what kvrules-cel has evaluated with another engine of CEL: run by `cargo xtask cel`.

Standard input: a line of JSON for each evaluation, as `tests/src/cel.rs` tells them; with `--generated`, as the judge of decisions in
`tests/judges` does.
"""

import collections
import json
import re
import struct
import sys

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional, ext_strings

# Disagreements that are right: a pattern for the expression, and why the two differ. One that no longer differs is told.
EXPLAINED = {
    r"^(2\.5 > 2|1 < 1\.5)$": "literals of two number types: the server's checker lets them be compared",
    r"^duration\('1500ms'\)\.getMilliseconds\(\)$": "the milliseconds of a duration: the server gives all of them, the other "
    "engine what is beyond its seconds",
    r"^has\(self\.(import|continue|void|let|while)\)$": "has() with a reserved word: the server finds the field that is "
    "escaped elsewhere",
    r"^'%e'\.format\(\[1234\.5\]\)$": "%e: the server has version 2 of the library of strings, which writes powers of ten in "
    "superscripts",
    r"^'%s'\.format\(\[(\[1, 'a'\]|\{'a': 1\}|self\.l)\]\)$": "%s of a list or a map: version 2 of the library of strings writes "
    "what is inside as literals",
}
SHOWN = 20


def value(told):
    """A value as the other engine takes it."""
    if not isinstance(told, dict):
        return told
    ((kind, inner),) = told.items()
    match kind:
        case "int":
            return int(inner)
        case "double":
            return struct.unpack("d", struct.pack("Q", int(inner)))[0]
        case "bytes":
            return bytes(inner)
        case "list":
            return [value(item) for item in inner]
        case "map":
            return {value(name): value(item) for name, item in inner}
    raise ValueError(kind)


def shown(result):
    """A result of the other engine as kvrules-cel tells its own."""
    if result.type() == cel.Type.ERROR:
        return {"error": str(result.value())}
    return {"value": told(result)}


def told(result):
    kind, inner = result.type(), result.value()
    if inner is None or isinstance(inner, (bool, str)):
        return inner
    if isinstance(inner, int):
        return {"uint" if kind == cel.Type.UINT else "int": str(inner)}
    if isinstance(inner, float):
        return {"double": str(struct.unpack("Q", struct.pack("d", inner))[0])}
    if isinstance(inner, (bytes, bytearray)):
        return {"bytes": list(inner)}
    if isinstance(inner, list):
        return {"list": [told(item) for item in inner]}
    if isinstance(inner, dict):
        return {"map": [[key(name), told(item)] for name, item in inner.items()]}
    if isinstance(inner, cel.Type):
        return {"type": inner.name().split("<")[0].lower()}
    return {"other": repr(inner)}


def key(name):
    return {"int": str(name)} if isinstance(name, int) and not isinstance(name, bool) else name


def sorted_maps(told_value):
    if isinstance(told_value, dict) and "map" in told_value:
        return {"map": sorted(([name, sorted_maps(item)] for name, item in told_value["map"]), key=str)}
    if isinstance(told_value, dict) and "list" in told_value:
        return {"list": [sorted_maps(item) for item in told_value["list"]]}
    return told_value


def agree(ours, other):
    """Values are equal, and errors are both errors: each engine has words of its own."""
    if "error" in ours or "error" in other:
        return "error" in ours and "error" in other
    return sorted_maps(ours["value"]) == sorted_maps(other["value"])


def main():
    dyn = cel.Type.DYN
    extensions = [ext_strings.ExtStrings(), ext_optional.ExtOptional()]
    environment = cel.NewEnv(variables={"self": dyn, "oldSelf": dyn}, extensions=extensions)
    compiled = {}

    def evaluate(expression, variables):
        if expression not in compiled:
            try:
                compiled[expression] = environment.compile(expression)
            except RuntimeError as error:
                compiled[expression] = {"error": f"does not compile: {error}"}
        program = compiled[expression]
        if isinstance(program, dict):
            return program
        return shown(program.eval(data={name: value(it) for name, it in variables.items()}))

    agreed = total = 0
    left_out, explained, differences = collections.Counter(), collections.Counter(), []
    expressions = set()
    for line in sys.stdin:
        case = json.loads(line)
        if "out" in case:
            left_out[case["out"]] += 1
            continue
        total += 1
        expressions.add(case["expression"])
        other = evaluate(case["expression"], case["variables"])
        if agree(case["ours"], other):
            agreed += 1
            continue
        reason = next((why for part, why in EXPLAINED.items() if re.search(part, case["expression"])), None)
        if reason:
            explained[reason] += 1
        else:
            differences.append((case, other))

    # Generated expressions need not have each of the differences.
    idle = [] if "--generated" in sys.argv else [why for why in EXPLAINED.values() if why not in explained]
    for why, number in left_out.most_common():
        print(f"left out: {why}: {number}")
    for why, number in explained.most_common():
        print(f"differs with reason: {why}: {number}")
    for case, other in differences[:SHOWN]:
        print(f"differs: {case['id']}: {case['expression']}\n  with  {json.dumps(case['variables'])[:300]}")
        print(f"  ours  {json.dumps(case['ours'])}\n  other {json.dumps(other)[:300]}")
    for why in idle:
        print(f"no longer differs, so that its reason should go: {why}")
    print(f"cel: {agreed}/{total} evaluations of {len(expressions)} expressions agree")
    print(f"{agreed} passed, {len(differences)} failed, {sum(left_out.values()) + sum(explained.values())} skipped")
    if differences or agreed < 150:
        sys.exit(1)


main()
