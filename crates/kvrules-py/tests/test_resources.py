"""Definitions, fields and policies in a build: what is described, linked and warned about."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

from sphinx.util.inventory import InventoryFile

from tests.sample import text
from tests.test_sphinx import Project


def line(kind: str, label: str, words: str) -> dict[str, Any]:
    """Make a fact of words."""
    return {"kind": kind, "label": text(label), "notice": None, "value": {"line": [{"words": words}]}}


def rule(label: str) -> dict[str, Any]:
    """Make a rule with an expression."""
    code = {"kind": "cel", "label": text("CEL"), "notice": None, "value": {"code": "self.depth > 1"}}
    facts = [line("message", "Message", "too shallow"), code]
    return {"title": "Rule", "anchor": label, "label": label, "severity": None, "facts": facts}


def resource(group: str, name: str, title: str, sections: list[dict[str, Any]]) -> dict[str, Any]:
    """Make a page."""
    return {
        "group": group,
        "name": name,
        "title": title,
        "label": f"kvrules-{name}",
        "badges": ["deprecated"],
        "description": text("A *pond* <b>."),
        "facts": [line("scope", "Scope", "Namespaced")],
        "source": {"file": "crd.yaml", "line": 3, "link": None},
        "sections": sections,
    }


def section(entries: list[dict[str, Any]], rules: list[dict[str, Any]]) -> dict[str, Any]:
    """Make a section."""
    return {
        "title": "Fields",
        "label": f"kvrules-section-{len(entries)}",
        "description": None,
        "facts": [],
        "rules": rules,
        "entries": entries,
    }


def field(name: str) -> dict[str, Any]:
    """Make a field."""
    return {
        "name": name,
        "label": f"kvrules-{name}",
        "summary": line("type", "Type", "integer"),
        "is_required": True,
        "description": text("Depth in cm."),
        "facts": [line("limits", "Limits", "1 to 500")],
        "rules": [rule("kvrules-rule-1")],
    }


def document() -> dict[str, Any]:
    """Make a document with a definition and a policy."""
    definition = resource(
        "Custom resources",
        "ponds.example.com",
        "Pond (example.com/v1)",
        [section([field("spec"), field("spec.depth")], [])],
    )
    policy = resource("Admission policies", "no-ponds", "no-ponds", [section([], [rule("kvrules-rule-2")])])
    return {"version": "0.0.0", "sets": [], "resources": [definition, policy]}


class ResourcesTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.project = Project(Path(directory.name))
        self.project.answer(document())

    def build(self, *lines: str) -> str:
        self.project.write("index", *lines)
        return self.project.build()[1]

    def test_a_definition_has_its_fields_and_rules(self) -> None:
        roles = (
            ":kv:definition:`ponds.example.com/v1` :kv:definition-field:`~ponds.example.com/v1:spec.depth`"
        )
        self.assertEqual(self.build(roles, "", ".. kv:definition:: ponds.example.com"), "")
        html = self.project.html("index")
        for words in (
            "Depth in cm.",
            "1 to 500",
            "required</span>",
            "too shallow",
            "A *pond* &lt;b&gt;.",
            "deprecated",
        ):
            self.assertIn(words, html)
        self.assertIn('href="#kvrules-ponds.example.com"', html)
        self.assertIn('href="#kvrules-spec.depth"', html)
        with (self.project.out / "objects.inv").open("rb") as file:
            inventory = InventoryFile.load(file, "", lambda base, path: path)
        self.assertIn("ponds.example.com/v1:spec.depth", inventory["kv:definition-field"])
        self.assertIn("ponds.example.com/v1", inventory["kv:definition"])

    def test_one_field_is_described_alone(self) -> None:
        self.assertEqual(self.build(".. kv:definition-field:: ponds.example.com/v1:spec.depth"), "")
        self.assertNotIn("Namespaced", self.project.html("index"))

    def test_a_policy_has_its_validations(self) -> None:
        self.assertEqual(
            self.build(":kv:policy:`no-ponds`", "", ".. kv:policy:: no-ponds", "", "   Own words."), ""
        )
        html = self.project.html("index")
        self.assertIn("Own words.", html)
        self.assertIn('href="#kvrules-no-ponds"', html)

    def test_what_is_unknown_is_warned_about(self) -> None:
        for directive, words in (
            ("definition:: pond.example.com", "unknown definition `pond.example.com`"),
            ("definition-field:: ponds.example.com/v1:spec.dept", "did you mean `spec.depth`?"),
            ("definition-field:: ponds.example.com/v1", "missing field"),
            ("policy:: ponds.example.com", "unknown policy `ponds.example.com`"),
        ):
            with self.subTest(directive):
                self.assertIn(words, self.build(f".. kv:{directive}"))
