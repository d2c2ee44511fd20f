"""Definitions, their fields, and policies: `kv:definition`, `kv:definition-field` and `kv:policy`."""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.nodes import Element, Node
from docutils.parsers.rst import directives
from sphinx import addnodes

from kvrules.pages import Document, Resource, ResourceEntry, ResourceRule, ResourceSection
from kvrules.sphinx.directives import AskingDirective, meant

#: The headings under which the program lists pages, by the kind of what they describe.
_GROUPS = {"definition": "Custom resources", "policy": "Admission policies"}


class ResourceDirective(AskingDirective):
    """What the directives about definitions and policies share."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "path": directives.unchanged_required,
        "no-index": directives.flag,
    }

    def resource(self, kind: str, name: str, resource: Resource, shown: list[ResourceSection]) -> list[Node]:
        """Describe a definition or a policy with some of its sections."""
        signature = self.signature(kind, name, resource["label"], f"{kind} ", resource["title"])
        signature["_toc_parts"] = (name,)
        for badge in resource["badges"]:
            signature += nodes.inline("", f" {badge}", classes=["kv-severity"])
        body = addnodes.desc_content("")
        if resource["description"] is not None:
            body += self.describer.lines(resource["description"]["restructuredtext"], resource["source"])
        body += self.describer.facts(resource["facts"], resource["source"])
        body += self.parse_content_to_nodes()
        for section in shown:
            body += self.section(name, resource, section)
        return [self.index_of(signature, f"{resource['title']} ({kind})"), self.desc(kind, signature, body)]

    def section(self, name: str, resource: Resource, section: ResourceSection) -> list[Node]:
        """Describe a part: the fields of an object, or a list of a policy."""
        found: list[Node] = [self.place(section["label"], nodes.rubric("", section["title"]))]
        if section["description"] is not None:
            found += self.describer.lines(section["description"]["restructuredtext"], resource["source"])
        found += self.describer.facts(section["facts"], resource["source"])
        found += [node for rule in section["rules"] for node in self.rule_of(rule, resource)]
        for entry in section["entries"]:
            found += self.entry(name, resource, entry)
        return found

    def entry(self, name: str, resource: Resource, entry: ResourceEntry) -> list[Node]:
        """Describe a field, or something that a policy names."""
        is_field = entry["summary"] is not None
        kind = "definition-field" if is_field else "policy-part"
        signature = addnodes.desc_signature(entry["name"], "")
        signature += addnodes.desc_name(entry["name"], entry["name"])
        if entry["summary"] is not None:
            words = self.describer.line(entry["summary"])
            required = [nodes.Text(", required")] if entry["is_required"] else []
            signature += nodes.inline("", "", nodes.Text(" "), *words, *required, classes=["kv-type"])
        signature["_toc_parts"], signature["_toc_name"] = (name, entry["name"]), entry["name"]
        self.place(entry["label"], signature)
        full = f"{name}:{entry['name']}"
        if is_field and "no-index" not in self.options:
            self.domain.note_object(kind, full, signature["ids"][0], (self.env.docname, self.lineno))
        body = addnodes.desc_content("")
        if entry["description"] is not None:
            body += self.describer.lines(entry["description"]["restructuredtext"], resource["source"])
        body += self.describer.facts(entry["facts"], resource["source"])
        body += [node for rule in entry["rules"] for node in self.rule_of(rule, resource)]
        return [self.desc(kind, signature, body)]

    def rule_of(self, rule: ResourceRule, resource: Resource) -> list[Node]:
        """Describe a rule in CEL."""
        title = nodes.paragraph("", "", nodes.strong("", rule["title"]))
        facts = self.describer.facts(rule["facts"], resource["source"])
        return [self.place(rule["label"], nodes.container("", title, *facts, classes=["kv-rule"]))]

    def place(self, label: str, node: Element) -> Element:
        """Make a node a target that has a label."""
        node["ids"].append(self.free_id(label))
        self.state.document.note_explicit_target(node)
        return node


class DefinitionDirective(ResourceDirective):
    """`kv:definition`: a version of a definition, `ponds.example.com/v1`, with its fields and rules."""

    def describe(self, document: Document) -> list[Node]:
        """Describe the version."""
        name, resource = named_definition(document, self.arguments[0])
        return self.resource("definition", name, resource, resource["sections"])


class DefinitionFieldDirective(ResourceDirective):
    """`kv:definition-field`: one field with its rules: `ponds.example.com/v1:spec.depth`."""

    def describe(self, document: Document) -> list[Node]:
        """Describe the field."""
        written, colon, path = self.arguments[0].partition(":")
        if not colon:
            raise LookupError(
                "missing field; write `NAME/VERSION:PATH`, such as `ponds.example.com/v1:spec.depth`"
            )
        name, resource = named_definition(document, written)
        entries = {entry["name"]: entry for section in resource["sections"] for entry in section["entries"]}
        if path not in entries:
            raise LookupError(f"unknown field `{path}` of `{name}`{meant(path, list(entries))}")
        return self.entry(name, resource, entries[path])


class PolicyDirective(ResourceDirective):
    """`kv:policy`: a ValidatingAdmissionPolicy with its validations and bindings."""

    def describe(self, document: Document) -> list[Node]:
        """Describe the policy."""
        known = resources_of(document, "policy")
        name = self.arguments[0]
        if name not in known:
            raise LookupError(f"unknown policy `{name}`{meant(name, list(known))}")
        return self.resource("policy", name, known[name], known[name]["sections"])


def resources_of(document: Document, kind: str) -> dict[str, Resource]:
    """Give the pages of a kind by the names that directives and references use."""
    found: dict[str, Resource] = {}
    for resource in document["resources"]:
        if resource["group"] == _GROUPS[kind]:
            name = resource["name"]
            found.setdefault(f"{name}/{version_of(resource)}" if kind == "definition" else name, resource)
    return found


def version_of(resource: Resource) -> str:
    """Give the version in a title such as `Pond (example.com/v1)`."""
    return resource["title"].rpartition("/")[2].removesuffix(")")


def named_definition(document: Document, written: str) -> tuple[str, Resource]:
    """Find a version of a definition; without a version the first one."""
    known = resources_of(document, "definition")
    if written in known:
        return written, known[written]
    first = next((name for name in known if name.partition("/")[0] == written), None)
    if first is None:
        raise LookupError(f"unknown definition `{written}`{meant(written, list(known))}")
    return first, known[first]
