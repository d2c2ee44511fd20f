"""What the real packages say: run by `cargo xtask nova` where nova and glance are installed.

Arguments: the program `kvrules`, and a directory to work in. With `--drift` behind them, only the definitions
of the installed Nova are compared with those that are shipped.
"""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path


def run(program: str, *arguments: str) -> str:
    answer = subprocess.run([program, *arguments], capture_output=True, encoding="utf-8", check=False)
    if answer.returncode != 0:
        sys.exit(f"kvrules {' '.join(arguments)}: status {answer.returncode}\n{answer.stdout}{answer.stderr}")
    return answer.stderr


def imported(program: str, work: Path) -> None:
    """The import of the installed Nova gives the shipped definitions, by the program and in Python."""
    path = work / "nova.json"
    said = run(program, "import", "nova", "--python", sys.executable, "--output", str(path))
    # First what differs, each by its name: a number would tell less.
    compared(program, path)
    number = len(json.loads(path.read_text(encoding="utf-8"))["definitions"])
    if said != f"imported {number} definitions\n":
        sys.exit(f"the import says: {said}")
    other = work / "python.json"
    run(sys.executable, "-W", "ignore", "-m", "kvrules", "import", "nova", "--output", str(other))
    if other.read_bytes() != path.read_bytes():
        sys.exit("`python -m kvrules import nova` gives another document than `kvrules import nova`")


def compared(program: str, path: Path) -> None:
    """The shipped definitions and those in a file say the same, or each difference is printed by name."""
    ignored = ["--ignore", "no-replacement,exponential"]
    arguments = ["--no-config", "flavor", "compare", "builtin", str(path), *ignored]
    answer = subprocess.run([program, *arguments], capture_output=True, encoding="utf-8", check=False)
    if answer.returncode != 0:
        release = version("nova")
        sys.exit(f"Nova {release} differs from the shipped definitions:\n{answer.stdout}{answer.stderr}")
    number = len(json.loads(path.read_text(encoding="utf-8"))["definitions"])
    print(f"nova {version('nova')}: {number} definitions imported; {answer.stderr.strip().splitlines()[-1]}")


def metadefs(program: str, work: Path) -> None:
    """Glance's own schema and its typed model take every file that kvrules writes."""
    from glance.api.v2.metadef_namespaces import get_schema
    from glance.api.v2.model.metadef_namespace import Namespace
    from jsonschema import validate
    from wsme.rest.json import fromjson

    out = work / "metadefs"
    run(program, "--no-config", "flavor", "compile", "--target", "glance-metadefs", "--out-dir", str(out))
    files = sorted(out.glob("*.json"))
    schema = get_schema().raw()
    properties = 0
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        validate(document, schema)
        properties += len(fromjson(Namespace, document).properties)
    print(f"glance: {len(files)} namespaces of {properties} properties pass its schema and its model")
    if properties < 500:
        sys.exit("too few properties")


def main() -> None:
    program, work = sys.argv[1], Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    imported(program, work)
    if "--drift" not in sys.argv[3:]:
        metadefs(program, work)


if __name__ == "__main__":
    main()
