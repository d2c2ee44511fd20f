"""The domain `kv`: rules, their sets and fields, and extra specs to refer to, and indices of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from typing import Any, ClassVar, NamedTuple

from docutils import nodes
from docutils.nodes import Element, Node
from sphinx import addnodes
from sphinx.builders import Builder
from sphinx.domains import Domain, Index, IndexEntry, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

logger = logging.getLogger(__name__)


class Place(NamedTuple):
    """Where a thing is described."""

    docname: str
    node_id: str


class Mention(NamedTuple):
    """A field that a rule looks at."""

    path: str
    rule: str
    node_id: str
    severity: str


class RuleRole(XRefRole):
    """Refers to a rule by its name, or where that is not enough by `set/name`; `~` shows the name alone."""

    def process_link(
        self, env: BuildEnvironment, refnode: Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        """Remember in which rule set the reference stands, and take `~` off."""
        refnode["kv:set"] = env.ref_context.get("kv:set")
        if not has_explicit_title and title.startswith("~"):
            target = target.removeprefix("~")
            title = target.rpartition("/")[2]
        return title, target


class FieldRole(XRefRole):
    """Refers to where the first rule about a field is described."""

    def process_link(
        self, env: BuildEnvironment, refnode: Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        """Bring the path into the form that pages have."""
        return title, field_path(target)


class DefinitionFieldRole(XRefRole):
    """Refers to a field of a definition by `NAME/VERSION:PATH`; `~` shows the path alone."""

    def process_link(
        self, env: BuildEnvironment, refnode: Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        """Take `~` off."""
        if not has_explicit_title and title.startswith("~"):
            target = target.removeprefix("~")
            title = target.partition(":")[2]
        return title, target


def field_path(written: str) -> str:
    """Bring a path into the form that pages have: with a dot in front and no `jsonpath::`."""
    path = written.strip().removeprefix("jsonpath::")
    return path if path.startswith(".") else f".{path}"


class RuleIndex(Index):
    """All rules by their names."""

    name = "rules"
    localname = "Index of rules"
    shortname = "rules"

    def generate(
        self, docnames: Iterable[str] | None = None
    ) -> tuple[list[tuple[str, list[IndexEntry]]], bool]:
        """Sort the rules under their first letters."""
        letters: dict[str, list[IndexEntry]] = defaultdict(list)
        for (kind, name), place in sorted(self.domain.data["objects"].items()):
            if kind == "rule" and (docnames is None or place.docname in docnames):
                rules, _, rule = name.rpartition("/")
                entry = IndexEntry(rule, 0, place.docname, place.node_id, rules, "", "")
                letters[rule[:1].upper()].append(entry)
        ordered = ((letter, sorted(entries)) for letter, entries in letters.items())
        return sorted(ordered), False


class FieldIndex(Index):
    """All fields with the rules about each."""

    name = "fields"
    localname = "Fields with rules"
    shortname = "fields"

    def generate(
        self, docnames: Iterable[str] | None = None
    ) -> tuple[list[tuple[str, list[IndexEntry]]], bool]:
        """Sort the rules under the fields, and the fields under what they are part of."""
        fields: dict[str, list[IndexEntry]] = defaultdict(list)
        for docname, mentions in self.domain.data["mentions"].items():
            if docnames is None or docname in docnames:
                for mention in mentions:
                    entry = IndexEntry(mention.rule, 2, docname, mention.node_id, "", "", mention.severity)
                    fields[mention.path].append(entry)
        letters: dict[str, list[IndexEntry]] = defaultdict(list)
        for path, entries in sorted(fields.items()):
            entries.sort()
            first = entries[0]
            head = IndexEntry(path, 1, first.docname, first.anchor, "", "", "")
            letters[path.rpartition(".")[0] or path] += [head, *entries]
        return sorted(letters.items()), False


class ExtraSpecIndex(Index):
    """All extra specs by their namespaces."""

    name = "extra-specs"
    localname = "Index of extra specs"
    shortname = "extra specs"

    def generate(
        self, docnames: Iterable[str] | None = None
    ) -> tuple[list[tuple[str, list[IndexEntry]]], bool]:
        """Sort the extra specs under their namespaces."""
        namespaces: dict[str, list[IndexEntry]] = defaultdict(list)
        for (kind, name), place in sorted(self.domain.data["objects"].items()):
            if kind == "extra-spec" and (docnames is None or place.docname in docnames):
                namespace = name.partition(":")[0].partition("{")[0] if ":" in name else ""
                entry = IndexEntry(name, 0, place.docname, place.node_id, "", "", "")
                namespaces[namespace or "without namespace"].append(entry)
        return sorted(namespaces.items()), False


class RuleDomain(Domain):
    """Rules, their sets and their fields, and extra specs."""

    name = "kv"
    label = "kvrules"
    object_types: ClassVar[dict[str, ObjType]] = {
        "ruleset": ObjType("rule set", "ruleset"),
        "rule": ObjType("rule", "rule"),
        "field": ObjType("field", "field"),
        "extra-spec": ObjType("extra spec", "extra-spec"),
        "definition": ObjType("definition", "definition"),
        "definition-field": ObjType("field of a definition", "definition-field"),
        "policy": ObjType("policy", "policy"),
    }
    roles: ClassVar[dict[str, Any]] = {
        "ruleset": XRefRole(),
        "rule": RuleRole(),
        "field": FieldRole(),
        "extra-spec": XRefRole(innernodeclass=nodes.literal),
        "definition": XRefRole(innernodeclass=nodes.literal),
        "definition-field": DefinitionFieldRole(innernodeclass=nodes.literal),
        "policy": XRefRole(innernodeclass=nodes.literal),
    }
    indices: ClassVar[list[type[Index]]] = [RuleIndex, FieldIndex, ExtraSpecIndex]
    initial_data: ClassVar[dict[str, Any]] = {
        "objects": {},  # (type, name) -> Place
        "mentions": {},  # docname -> [Mention]
        "questions": {},  # docname -> {Question: digest of the answer}
    }
    data_version = 2

    @property
    def objects(self) -> dict[tuple[str, str], Place]:
        """Rules and rule sets by their full names."""
        return self.data["objects"]  # type: ignore[no-any-return]

    def note_object(self, kind: str, name: str, node_id: str, location: Any) -> None:  # noqa: ANN401
        """Remember where a rule or a rule set is described."""
        other = self.objects.get((kind, name))
        if other is not None:
            text = "duplicate description of %s `%s`, the other is in %s; use :no-index: for one of them"
            label = self.object_types[kind].lname
            logger.warning(
                text, label, name, other.docname, location=location, type="kvrules", subtype="duplicate"
            )
            return
        self.objects[kind, name] = Place(self.env.docname, node_id)

    def note_field(self, mention: Mention) -> None:
        """Remember that a rule looks at a field."""
        self.data["mentions"].setdefault(self.env.docname, []).append(mention)

    def note_question(self, question: tuple[str, ...], digest: str) -> None:
        """Remember what the current document asked the program, and a digest of the answer."""
        self.data["questions"].setdefault(self.env.docname, {})[question] = digest

    def clear_doc(self, docname: str) -> None:
        """Forget what a document said."""
        for key, place in list(self.objects.items()):
            if place.docname == docname:
                del self.objects[key]
        self.data["mentions"].pop(docname, None)
        self.data["questions"].pop(docname, None)

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Take what another process read."""
        for (kind, name), place in otherdata["objects"].items():
            if place.docname in docnames:
                other = self.objects.setdefault((kind, name), place)
                if other != place:
                    text = (
                        "duplicate description of %s `%s`, the other is in %s; use :no-index: for one of them"
                    )
                    label = self.object_types[kind].lname
                    location = (place.docname, None)
                    logger.warning(
                        text,
                        label,
                        name,
                        other.docname,
                        location=location,
                        type="kvrules",
                        subtype="duplicate",
                    )
        for kind in ("mentions", "questions"):
            read = {doc: value for doc, value in otherdata[kind].items() if doc in docnames}
            self.data[kind].update(read)

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> nodes.reference | None:
        """Find what a role refers to. A link of ours that may lead nowhere becomes plain text."""
        found = self._find(typ, target, node)
        if found is None:
            return contnode if node.get("kv:optional") else None  # type: ignore[return-value]
        name, place = found
        return make_refnode(builder, fromdocname, place.docname, place.node_id, contnode, name)

    def resolve_any_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> list[tuple[str, nodes.reference]]:
        """Find everything that a reference without a type may mean."""
        results = []
        for kind in self.object_types:
            written = field_path(target) if kind == "field" else target
            found = self._find(kind, written, None)
            if found is not None:
                name, place = found
                link = make_refnode(builder, fromdocname, place.docname, place.node_id, contnode, name)
                results.append((f"kv:{kind}", link))
        return results

    def _find(self, kind: str, target: str, node: Node | None) -> tuple[str, Place] | None:
        if kind == "field":
            return self._fields().get(target)
        within = node.get("kv:set") if isinstance(node, Element) else None
        for name in (target, f"{within}/{target}"):
            if (kind, name) in self.objects:
                return name, self.objects[kind, name]
        ends = [name for of, name in self.objects if of == kind == "rule" and name.endswith(f"/{target}")]
        if len(ends) > 1 and node is not None:
            several = ", ".join(f"`{name}`" for name in sorted(ends))
            text = "ambiguous rule name `%s`: %s"
            logger.warning(text, target, several, location=node, type="ref", subtype="kv")
        return min(((name, self.objects[kind, name]) for name in ends), default=None)

    def _fields(self) -> dict[str, tuple[str, Place]]:
        """For each field, its first rule."""
        fields: dict[str, tuple[str, Place]] = {}
        for docname, mentions in sorted(self.data["mentions"].items()):
            for mention in mentions:
                fields.setdefault(mention.path, (mention.path, Place(docname, mention.node_id)))
        return fields

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """List all that can be referred to, from here and by intersphinx from elsewhere."""
        for (kind, name), place in self.objects.items():
            yield name, name, kind, place.docname, place.node_id, 1
        for path, (_, place) in self._fields().items():
            yield path, path, "field", place.docname, place.node_id, -1

    def get_full_qualified_name(self, node: Element) -> str | None:
        """Give the name that intersphinx looks up."""
        target = node.get("reftarget")
        within = node.get("kv:set")
        return f"{within}/{target}" if within and target and "/" not in target else target
