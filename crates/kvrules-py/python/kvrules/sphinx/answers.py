"""What the program says, asked once in a build, and which documents a change of it makes outdated."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from kvrules.pages import Document
from kvrules.program import ProgramError, pages

#: The paths that are asked about, seen from the directory of `conf.py`.
Question = tuple[str, ...]


class Answer(NamedTuple):
    """The document, or why there is none."""

    document: Document | None
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
        arguments = [str(word) for word in self._config.kvrules_arguments]
        try:
            document = pages(
                question, executable=self._config.kvrules_executable, arguments=arguments, cwd=self.confdir
            )
        except ProgramError as error:
            return Answer(None, str(error), "")
        text = json.dumps(document, sort_keys=True, ensure_ascii=False)
        return Answer(document, "", hashlib.sha256(text.encode()).hexdigest())

    def question(self, env: BuildEnvironment, written: Iterable[str]) -> Question:
        """Make the question of a directive's paths, from its document or, with `/`, from the sources."""
        absolute = [env.relfn2path(path)[1] for path in written]
        return tuple(os.path.relpath(path, self.confdir) for path in absolute)


_current: list[Build] = []


def current() -> Build:
    """Give this process's run. It lies outside of the environment, which is stored and read again."""
    return _current[-1]


def begin(app: Sphinx) -> None:
    """Start a run with nothing known."""
    _current[:] = [Build(app.config, app.confdir)]


def files(document: Document) -> set[str]:
    """List the files that rules of a document come from."""
    sources = [rules["source"] for rules in document["sets"]]
    sources += [rule["source"] for rules in document["sets"] for rule in rules["rules"]]
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
