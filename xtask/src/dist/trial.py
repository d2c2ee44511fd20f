"""Uses the release artifacts without Rust, and validates manifests and workflows against their published schemas.

usage: trial.py DIST NAME, in the root of the repository
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile

from ruamel.yaml import YAML

passed = 0


def run(command: list[object], folder: pathlib.Path, path: str = "/usr/bin:/bin", **variables: str) -> str:
    """Returns the output of a command with a minimal environment; exits if it fails."""
    words = [str(word) for word in command]
    environment = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", **variables}
    told = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    if told.returncode:
        sys.exit(f"{' '.join(words)}: status {told.returncode}\n{told.stdout}{told.stderr}")
    return told.stdout + told.stderr


def say(what: str) -> None:
    global passed
    passed += 1
    print(f"trial: {what}")


def empty(folder: pathlib.Path) -> pathlib.Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def sums(dist: pathlib.Path) -> None:
    lines = (dist / "SHA256SUMS").read_text().splitlines()
    for line in lines:
        wanted, name = line.split("  ")
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == wanted, name
    assert len(lines) >= 2, lines
    say(f"{len(lines)} checksums are right")


def archive(dist: pathlib.Path, name: str) -> None:
    folder = empty(dist / "unpacked")
    packed = next(dist.glob(f"{name}.*"))
    opened = zipfile.ZipFile(packed) if packed.suffix == ".zip" else tarfile.open(packed)
    with opened:
        opened.extractall(folder)
    root = folder / name
    for part in ("README.md", "LICENSE-MIT", "THIRD-PARTY.txt", "completions/_kvrules", "man/kvrules-check.1"):
        assert (root / part).stat().st_size > 100, part
    uses(root / "kvrules", folder)
    if "linux" in name:
        assert b"not stripped" not in subprocess.check_output(["file", "-L", root / "kvrules"])
    say("the archive works in an empty folder")


def uses(program: pathlib.Path, folder: pathlib.Path) -> None:
    """Runs the first commands of a new user."""
    assert run([program, "--version"], folder).startswith("kvrules "), "--version"
    place = empty(folder / "place")
    run([program, "init", "--ci", "none"], place)
    assert "1 RuleSet with 2 rules: no findings" in run([program, "check"], place)
    assert "5 cases passed" in run([program, "test"], place)
    run([program, "compile"], place)
    assert list((place / "build/kvrules/json-schema").glob("*.json"))
    run([program, "verify"], place)


def wheel(dist: pathlib.Path) -> pathlib.Path:
    folder = empty(dist / "installed")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv/bin/python"
    run([python, "-m", "pip", "install", "--no-index", "--find-links", dist, "kvrules"], folder)
    uses(folder / "venv/bin/kvrules", folder)
    run([python, "-c", "import kvrules"], folder)
    say("the wheel works in an empty environment")
    return folder / "venv/bin/kvrules"


def jobs(dist: pathlib.Path, program: pathlib.Path) -> None:
    """Runs the jobs that `init` writes, with the built wheel instead of the one on PyPI."""
    for ci, file in (("github", ".github/workflows/kvrules.yml"), ("gitlab", ".gitlab/kvrules.yml")):
        place = empty(dist / "jobs" / ci)
        run([program, "init", "--ci", ci], place)
        job = YAML(typ="safe").load(place / file)
        if ci == "github":
            steps = [step["run"] for step in job["jobs"]["rules"]["steps"] if "run" in step]
        else:
            steps = [*job["kvrules"].get("before_script", []), *job["kvrules"]["script"]]
        venv.create(place / "venv", with_pip=True)
        path = f"{place / 'venv/bin'}:/usr/bin:/bin"
        variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(dist)}
        text = "set -e\n" + "\n".join(steps)
        told = run(["bash", "-c", text], place, path, **variables)
        assert "kvrules 0." in told and "no findings" in told, told
        say(f"the job for {ci} runs as it stands")


def manifests(dist: pathlib.Path, root: pathlib.Path) -> None:
    tools = pathlib.Path(sys.executable).parent
    jobs = dist / "jobs"
    # The tools keep their caches at home, which must not be the repository.
    home = str(empty(jobs / "home"))

    def validate(tool: str, *words: object) -> None:
        run([tools / tool, *words], root, HOME=home)

    for schema, file in (
        ("vendor.github-workflows", root / ".github/workflows/release.yml"),
        ("vendor.github-workflows", jobs / "github/.github/workflows/kvrules.yml"),
        ("vendor.gitlab-ci", jobs / "gitlab/.gitlab/kvrules.yml"),
        ("vendor.github-actions", root / "action.yml"),
    ):
        validate("check-jsonschema", "--builtin-schema", schema, file)
        say(f"{file.name} fits {schema}")
    validate("check-jsonschema", "--schemafile", root / "xtask/src/dist/krew.schema.json", dist / "kvrules.yaml")
    say("the manifest for krew fits its rules")
    validate("pre-commit", "validate-manifest", root / ".pre-commit-hooks.yaml")
    place = empty(jobs / "pre-commit")
    run([dist / "installed/venv/bin/kvrules", "init", "--ci", "pre-commit"], place)
    validate("pre-commit", "validate-config", place / ".pre-commit-config.yaml")
    say("pre-commit takes the hooks and the configuration")
    if ruby := shutil.which("ruby"):
        run([ruby, "-c", dist / "kvrules.rb"], root)
        say("Ruby reads the formula")


def main() -> None:
    dist, name = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2]
    sums(dist)
    archive(dist, name)
    program = wheel(dist)
    jobs(dist, program)
    manifests(dist, pathlib.Path.cwd())
    for folder in ("unpacked", "installed", "jobs"):
        shutil.rmtree(dist / folder)
    print(f"{passed} passed, 0 failed")


main()
