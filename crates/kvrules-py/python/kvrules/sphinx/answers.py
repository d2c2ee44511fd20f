"""What the program says, asked once in a build, and which documents a change of it makes outdated."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, cast

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from kvrules.pages import Document
from kvrules.program import ProgramError, extra_specs, pages
from kvrules.specs import SpecsDocument


class Question(NamedTuple):
    """What the program is asked for, and the paths, seen from the directory of `conf.py`."""

    #: `rules`, or the extra specs of Nova and others (`all`) or of others alone (`own`).
    kind: str
    paths: tuple[str, ...]


class Answer(NamedTuple):
    """The document, or why there is none."""

    document: Document | SpecsDocument | None
    error: str
    digest: str


class Build:
    """One run of Sphinx: where its configuration lies, and what was asked."""

    def __init__(self, config: Config, confdir: str | Path) -> None:
        self.confdir = Path(confdir)
        self._config = config
        self._answers: dict[Question, Answer] = {}

    def ask(self, question: Question) -> Answer:
        """Ask the program about rule files, or remember what it said."""
        if question not in self._answers:
            self._answers[question] = self._ask(question)
        return self._answers[question]

    def _ask(self, question: Question) -> Answer:
        program = self._config.kvrules_executable
        templates = self._config.kvrules_templates
        chosen = ["--templates", str(templates)] if templates else []
        document: Document | SpecsDocument
        try:
            if question.kind == "rules":
                arguments = [*chosen, *(str(word) for word in self._config.kvrules_arguments)]
                document = pages(question.paths, executable=program, arguments=arguments, cwd=self.confdir)
            else:
                arguments = [*chosen, *(["--own-only"] if question.kind == "own" else [])]
                document = extra_specs(
                    question.paths, executable=program, arguments=arguments, cwd=self.confdir
                )
        except ProgramError as error:
            return Answer(None, str(error), "")
        text = json.dumps(document, sort_keys=True, ensure_ascii=False)
        return Answer(document, "", hashlib.sha256(text.encode()).hexdigest())

    def paths(self, env: BuildEnvironment, written: Iterable[str]) -> tuple[str, ...]:
        """Find a directive's paths, which start at its document or, with `/`, at the sources."""
        absolute = [env.relfn2path(path)[1] for path in written]
        return tuple(os.path.relpath(path, self.confdir) for path in absolute)


_current: list[Build] = []


def current() -> Build:
    """Give this process's run. It lies outside of the environment, which is stored and read again."""
    return _current[-1]


def begin(app: Sphinx) -> None:
    """Start a run with nothing known."""
    _current[:] = [Build(app.config, app.confdir)]


def files(document: Document | SpecsDocument) -> set[str]:
    """List the files that rules or extra specs of a document come from."""
    if "groups" in document:
        specs = cast(SpecsDocument, document)
        sources = [spec["source"] for group in specs["groups"] for spec in group["specs"]]
    else:
        rules = cast(Document, document)
        sources = [each["source"] for each in rules["sets"]]
        sources += [rule["source"] for each in rules["sets"] for rule in each["rules"]]
        sources += [each["source"] for each in rules.get("resources", [])]
    return {source["file"] for source in sources if source is not None}


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """List the documents whose rules are no longer what they were, a new file in a directory included."""
    known: dict[str, dict[Question, str]] = env.get_domain("kv").data["questions"]
    # What is asked here, before reading starts, the processes of a parallel build have already.
    rest = {doc: asked for doc, asked in known.items() if doc not in added | changed | removed}
    return [
        doc
        for doc, asked in rest.items()
        if any(current().ask(question).digest != digest for question, digest in asked.items())
    ]
