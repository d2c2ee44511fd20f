"""A document as `kvrules docs --format json` prints it, and a program that prints it."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

from kvrules.pages import Document, Text
from kvrules.specs import SpecsDocument

ESCAPED = "\\`*_|:<>"


def text(plain: str) -> Text:
    """Escape words as kvrules does for reStructuredText."""
    rst = "".join(f"\\{c}" if c in ESCAPED else c for c in plain)
    return {"plain": plain, "markdown": plain, "restructuredtext": rst, "html": plain}


def document() -> Document:
    """Give the document that `mdbook-kvrules` is tested with too."""
    found: Document = json.loads(Path(__file__).with_name("pages.json").read_text(encoding="utf-8"))
    return found


def extra_specs() -> SpecsDocument:
    """Give what the program says of extra specs."""
    found: SpecsDocument = json.loads(
        Path(__file__).with_name("extra-specs.json").read_text(encoding="utf-8")
    )
    return found


def program(directory: Path, answer: object, status: int = 0, stderr: str = "") -> str:
    """Write a program that answers so whatever it is asked about rules, and counts how often it is."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    if not (directory / "extra-specs.json").exists():
        (directory / "extra-specs.json").write_text(json.dumps(extra_specs()), encoding="utf-8")
    script = directory / "kvrules-sample"
    lines = [
        f"#!{sys.executable}",
        "import pathlib, sys",
        "here = pathlib.Path(__file__).parent",
        "with (here / 'asked').open('a') as asked: print(*sys.argv[1:], file=asked)",
        f"sys.stderr.write({stderr!r})",
        "name = 'extra-specs.json' if '--extra-specs' in sys.argv else 'answer.json'",
        "sys.stdout.write((here / name).read_text(encoding='utf-8'))",
        f"sys.exit({status})",
    ]
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)
