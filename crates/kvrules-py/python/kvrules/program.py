"""The program `kvrules`: where it is, and what it says about rule files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from kvrules.pages import Document
from kvrules.specs import SpecsDocument


class ProgramError(Exception):
    """The program is missing, or did not answer; the text says why and what to do."""


def find_executable(chosen: str | None = None) -> str:
    """Find the program: the chosen one, else the one beside this package, else the first on the path."""
    if chosen:
        found = shutil.which(chosen)
        if found is None:
            raise ProgramError(f"program `{chosen}` not found")
        return found
    name = "kvrules" + (sysconfig.get_config_var("EXE") or "")
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    places = [Path(sysconfig.get_path("scripts", scheme)) / name for scheme in schemes]
    found = next((str(place) for place in places if place.is_file()), None) or shutil.which("kvrules")
    if found is None:
        raise ProgramError("the program `kvrules` is neither installed next to this package nor on the path")
    return found


def pages(
    paths: Sequence[str],
    *,
    executable: str | None = None,
    arguments: Sequence[str] = (),
    cwd: str | Path | None = None,
) -> Document:
    """Ask the program for the pages of rule files.

    Without paths it takes those that the nearest configuration names, seen from `cwd`.
    """
    words = ["docs", "--format", "json", "--relative-to", ".", *arguments]
    document = _ask(words, paths, executable, cwd)
    if "sets" not in document:
        raise ProgramError(
            "`kvrules docs` printed JSON without rule sets; its version differs from this package"
        )
    return cast(Document, document)


def extra_specs(
    paths: Sequence[str],
    *,
    executable: str | None = None,
    arguments: Sequence[str] = (),
    cwd: str | Path | None = None,
) -> SpecsDocument:
    """Ask the program for pages about extra specs: those of Nova, and behind them those of the paths.

    Without paths it takes the definitions that the nearest configuration names, seen from `cwd`.
    """
    words = ["docs", "--extra-specs", "--format", "json", "--relative-to", ".", *arguments]
    document = _ask(words, paths, executable, cwd)
    if "groups" not in document:
        raise ProgramError(
            "`kvrules docs` printed JSON without extra specs; its version differs from this package"
        )
    return cast(SpecsDocument, document)


def _ask(
    words: Sequence[str], paths: Sequence[str], executable: str | None, cwd: str | Path | None
) -> dict[str, object]:
    command = [find_executable(executable), *words]
    if paths:
        command += ["--", *paths]
    try:
        answer = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    except OSError as error:
        raise ProgramError(f"`{command[0]}` does not start: {error.strerror}") from error
    if answer.returncode != 0:
        raise ProgramError(answer.stderr.strip() or f"`kvrules docs` ended with status {answer.returncode}")
    try:
        document = json.loads(answer.stdout)
    except json.JSONDecodeError as error:
        raise ProgramError(f"`kvrules docs` printed no JSON: {error}") from error
    if not isinstance(document, dict):
        raise ProgramError("`kvrules docs` printed no document; its version differs")
    return document
