"""The directive `extra-specs`: what is defined in a namespace, in full or as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from docutils import nodes
from docutils.nodes import Element, Node
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.nodes import make_id

from kvrules.pages import Text
from kvrules.specs import ExtraSpec, Group, Parameter, SpecsDocument
from kvrules.sphinx import answers, describe
from kvrules.sphinx.describe import fact, fact_of_blocks, joined, literal
from kvrules.sphinx.directives import AskingDirective, meant, row, signature_location


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
        body = self.body(spec)
        index = self.index_of(signature, f"{spec['title']} (extra spec)", f"extra spec; {spec['title']}")
        return [index, self.desc("extra-spec", signature, addnodes.desc_content("", *body))]

    def body(self, spec: ExtraSpec) -> list[Node]:
        """Describe an extra spec below its signature; a template of the user's own says how."""
        if spec["body"] is not None and spec["body"]["restructuredtext"] is not None:
            return self.describer.lines(spec["body"]["restructuredtext"], spec["source"])
        body = self.describer.blocks(spec["description"], spec["source"])
        body.append(nodes.paragraph("", "", *self.describer.words(spec["sentence"])))
        if spec["status"] != "supported":
            body.append(self.notice(spec))
        body.append(nodes.field_list("", *self.facts(spec)))
        return body

    def notice(self, spec: ExtraSpec) -> Node:
        """Say that an extra spec should not be used, or with care."""
        words = self.describer.words(spec["status_text"])
        if spec["replacement"] is not None:
            link = describe.spec_link(spec["replacement"]["name"])
            words += [nodes.Text(" Use "), link, nodes.Text(" instead.")]
        kind = nodes.warning if spec["status"] == "deprecated" else nodes.note
        return kind("", nodes.paragraph("", "", *words))

    def facts(self, spec: ExtraSpec) -> Iterable[nodes.field]:
        """List what is known of an extra spec."""
        if spec["status"] == "supported":
            yield fact("Support", self.describer.words(spec["status_text"]))
        yield fact("Type", self.describer.words(spec["type_text"]))
        if spec["value_description"] is not None:
            yield fact_of_blocks("Value", self.after([], spec["value_description"]))
        for limit in spec["limits"]:
            yield fact(limit["label"], self.describer.words(limit["text"]))
        if spec["values"]:
            values = ([literal(value["code"])] for value in spec["values"])
            described = zip(values, (value["description"] for value in spec["values"]), strict=True)
            yield fact_of_blocks("Allowed values", [self.items(described)])
        if spec["pattern"] is not None:
            yield fact("Regular expression", [literal(spec["pattern"]["code"])])
            if spec["pattern"]["reading"] is not None:
                yield fact("In words", self.describer.words(spec["pattern"]["reading"]))
        if spec["parameters"]:
            parameters = ((self.parameter(one), one["description"]) for one in spec["parameters"])
            yield fact_of_blocks("Parameters", [self.items(parameters)])
        yield from self.samples(spec)
        yield from self.surroundings(spec)
        if spec["members"]:
            yield fact("Names", joined(self.members(spec)))

    def samples(self, spec: ExtraSpec) -> Iterable[nodes.field]:
        """List keys and values that pass and that fail."""
        for label, examples in (
            ("Valid keys", spec["keys"]["passes"]),
            ("Invalid keys", spec["keys"]["fails"]),
            ("Passes", spec["examples"]["passes"]),
            ("Fails", spec["examples"]["fails"]),
        ):
            if examples:
                yield fact(label, joined(self.describer.example(example) for example in examples))

    def surroundings(self, spec: ExtraSpec) -> Iterable[nodes.field]:
        """List who knows an extra spec, and what belongs to it."""
        if spec["virt_drivers"]:
            yield fact("Virt drivers", joined([literal(name)] for name in spec["virt_drivers"]))
        if spec["requires"]:
            yield fact("Requires", joined([describe.spec_link(other["name"])] for other in spec["requires"]))
        if spec["since"] is not None:
            yield fact("Since", [nodes.Text(spec["since"])])
        if spec["image_property"] is not None:
            yield fact("Image property", [literal(spec["image_property"])])
        if spec["metadef"] is not None:
            place = [
                literal(spec["metadef"]["property"]),
                nodes.Text(" of "),
                literal(spec["metadef"]["file"]),
            ]
            yield fact("In Glance", [nodes.Text("property "), *place])
        for said in spec["said_by"]:
            yield fact(said["label"], self.describer.targets(said))
        if spec["source"] is not None:
            yield fact("Defined in", [describe.place(spec["source"])])

    def parameter(self, parameter: Parameter) -> list[Node]:
        """Show a parameter and its pattern."""
        pattern = parameter["pattern"]
        found = [literal(f"{{{parameter['name']}}}"), nodes.Text(" is "), literal(pattern["code"])]
        if pattern["reading"] is not None:
            found += [nodes.Text(" ("), *self.describer.words(pattern["reading"]), nodes.Text(")")]
        return found

    def members(self, spec: ExtraSpec) -> Iterable[list[Node]]:
        """Show the names of a family, each as something that can be referred to."""
        for member in spec["members"]:
            label = f"kvrules-extra-spec-{member['anchor']}"
            node_id = make_id(self.env, self.state.document, "", label)
            target: Element = nodes.inline("", "", literal(member["name"]), ids=[node_id])
            self.state.document.note_explicit_target(target)
            if "no-index" not in self.options:
                self.domain.note_object("extra-spec", member["name"], node_id, signature_location(self))
            yield [target]

    def items(self, parts: Iterable[tuple[list[Node], Text | None]]) -> Node:
        """Make a list of things with descriptions."""
        found = nodes.bullet_list()
        for head, text in parts:
            body = [nodes.paragraph("", "", *head)] if text is None else self.after(head, text)
            found += nodes.list_item("", *body)
        return found

    def after(self, head: list[Node], text: Text) -> list[Node]:
        """Put a text behind a head: in its line, or where the text has several blocks below it."""
        if "\n" in text["restructuredtext"]:
            return [*([nodes.paragraph("", "", *head)] if head else []), *self.describer.blocks(text, None)]
        between = [nodes.Text(": ")] if head else []
        return [nodes.paragraph("", "", *head, *between, *self.describer.words(text))]
