"""The directive `extra-specs`: what is defined in a namespace, in full or as a table."""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.nodes import Node
from docutils.parsers.rst import directives
from sphinx import addnodes

from kvrules.specs import ExtraSpec, Group, SpecsDocument
from kvrules.sphinx import answers, describe
from kvrules.sphinx.directives import AskingDirective, meant, row


class ExtraSpecsDirective(AskingDirective):
    """`extra-specs`: the extra specs of a namespace, or without one all."""

    has_content = False
    optional_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "path": directives.unchanged_required,
        "own-only": directives.flag,
        "summary": directives.flag,
        "no-index": directives.flag,
    }

    def question(self, build: answers.Build) -> answers.Question:
        """Ask for Nova's definitions and others behind them, or for the others alone."""
        written = self.written_paths()
        paths = build.paths(self.env, written) if written else tuple(self.config.kvrules_definitions)
        return answers.Question("own" if "own-only" in self.options else "all", paths)

    def describe(self, document: SpecsDocument) -> list[Node]:
        """Describe what is asked for."""
        groups = self.groups(document)
        if "summary" in self.options:
            return [self.table(groups)]
        return [node for group in groups for spec in group["specs"] for node in self.spec(spec)]

    def groups(self, document: SpecsDocument) -> list[Group]:
        """Find the namespace that is named; without a name, take all."""
        if not self.arguments:
            return document["groups"]
        name = self.arguments[0]
        found = [group for group in document["groups"] if name in (group["title"], group["anchor"])]
        if not found:
            names = [group["anchor"] for group in document["groups"]]
            raise LookupError(f"unknown namespace `{name}`{meant(name, names)}")
        return found

    def table(self, groups: list[Group]) -> Node:
        """Make a table with a line for each extra spec."""
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (42, 58)), cols=2)
        group += nodes.thead("", row([[nodes.Text("Extra spec")], [nodes.Text("Description")]]))
        lines = (row(self.cells(spec)) for each in groups for spec in each["specs"])
        group += nodes.tbody("", *lines)
        return nodes.table("", group, classes=["kv-summary", "colwidths-given"])

    def cells(self, spec: ExtraSpec) -> list[list[Node]]:
        """Make the cells of an extra spec's line."""
        link: list[Node] = [describe.spec_link(spec["name"])]
        if spec["status"] != "supported":
            link.append(nodes.inline("", f" {spec['status']}", classes=["kv-severity"]))
        return [link, self.describer.words(spec["summary"])]

    def spec(self, spec: ExtraSpec) -> list[Node]:
        """Describe an extra spec."""
        signature = self.signature("extra-spec", spec["name"], spec["label"], "extra spec ", spec["title"])
        signature["_toc_parts"] = (spec["name"],)
        if spec["status"] != "supported":
            signature += nodes.inline("", f" {spec['status']}", classes=["kv-severity"])
        body = self.describer.page(spec)
        index = self.index_of(signature, f"{spec['title']} (extra spec)", f"extra spec; {spec['title']}")
        return [index, self.desc("extra-spec", signature, addnodes.desc_content("", *body))]
