"""The directives: all rules of files, one rule set, one rule."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from itertools import groupby
from typing import Any, ClassVar, cast

from docutils import nodes
from docutils.nodes import Element, Node
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_id

from kvrules.pages import Document, Filter, Rule, RuleSet, Target, rule_names
from kvrules.sphinx import answers, describe
from kvrules.sphinx.domain import Mention, RuleDomain

logger = logging.getLogger(__name__)

Chosen = list[tuple[RuleSet, list[Rule]]]


def _grouping(argument: str) -> str:
    return directives.choice(argument, ("set", "field", "severity", "none"))


class AskingDirective(SphinxDirective):
    """What the directives share: asking the program, and describing rules so that they can be referred to."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "path": directives.unchanged_required,
        "filter": directives.unchanged_required,
        "no-index": directives.flag,
    }

    def run(self) -> list[Node]:
        """Describe what is asked for, or say why not."""
        self.describer = describe.Describer(self, self.target)
        build = answers.current()
        question = self.question(build)
        answer = build.ask(question)
        self.domain.note_question(question, answer.digest)
        if answer.document is None:
            return self.trouble(answer.error, "run")
        for file in answers.files(answer.document):
            self.env.note_dependency(os.path.relpath(build.confdir / file, self.env.srcdir))
        try:
            return self.describe(answer.document)
        except LookupError as error:
            return self.trouble(str(error.args[0]), "unknown")
        except ValueError as error:
            return self.trouble(str(error), "filter")

    def question(self, build: answers.Build) -> answers.Question:
        """Say what the program is to be asked."""
        written = self.written_paths()
        paths = build.paths(self.env, written) if written else tuple(self.config.kvrules_paths)
        return answers.Question("rules", paths)

    @property
    def domain(self) -> RuleDomain:
        """The domain of this build."""
        return cast(RuleDomain, self.env.get_domain("kv"))

    def written_paths(self) -> list[str]:
        """Give the files that the directive names; none where the configuration says."""
        return str(self.options.get("path", "")).split()

    def describe(self, document: Any) -> list[Node]:  # noqa: ANN401
        """Make the nodes."""
        raise NotImplementedError

    def trouble(self, text: str, subtype: str) -> list[Node]:
        """Warn, and leave a note where the rules should stand."""
        logger.warning(
            "%s: %s", self.name, text, location=self.get_location(), type="kvrules", subtype=subtype
        )
        return [nodes.warning("", nodes.paragraph("", text))]

    def filter(self) -> Filter:
        """The filter that is asked for; without one, every rule passes."""
        return Filter(self.options.get("filter", ""))

    def rule_set(self, rules: RuleSet, chosen: list[Rule]) -> list[Node]:
        """Describe a rule set and the chosen ones of its rules."""
        signature = self.signature("ruleset", rules["title"], f"kvrules-{rules['anchor']}", "rule set ")
        content = addnodes.desc_content("", *self.describer.rule_set(rules), *self.author_text(rules))
        for rule in chosen:
            content += self.rule(rules, rule)
        return [
            self.index_of(signature, f"{rules['title']} (rule set)"),
            self.desc("ruleset", signature, content),
        ]

    def rule(
        self, rules: RuleSet, rule: Rule, qualified: bool = False, content: Iterable[Node] = ()
    ) -> list[Node]:
        """Describe a rule."""
        name = f"{rules['title']}/{rule_names(rules)[rule['anchor']]}"
        signature = self.signature("rule", name, rule["label"], "rule ", None if qualified else rule["title"])
        if rule["severity"] == "warning":
            signature += nodes.inline("", " only warns", classes=["kv-severity"])
        path = rule["field"]["path"]
        if "no-index" not in self.options:
            mention = Mention(
                path, name, signature["ids"][0], "" if rule["severity"] == "error" else "warning"
            )
            self.domain.note_field(mention)
        body = addnodes.desc_content("", *self.describer.page(rule), *content)
        title = f"{rule['title']} (rule in {rules['title']})"
        return [self.index_of(signature, title, f"{path}; {name}"), self.desc("rule", signature, body)]

    def author_text(self, rules: RuleSet) -> list[Node]:
        """Read what stands below the directive; rules in it are looked for in this set first."""
        outer = self.env.ref_context.get("kv:set")
        self.env.ref_context["kv:set"] = rules["title"]
        try:
            return self.parse_content_to_nodes()
        finally:
            self.env.ref_context["kv:set"] = outer

    def signature(self, kind: str, name: str, label: str, what: str, shown: str | None = None) -> Element:
        """Make the head of a description, and remember its place."""
        shown = shown or name
        signature = addnodes.desc_signature(shown, "")
        signature += addnodes.desc_annotation(what, "", nodes.Text(what))
        signature += addnodes.desc_name(shown, shown)
        signature["_toc_parts"] = tuple(name.split("/"))
        signature["_toc_name"] = shown
        node_id = self.free_id(label)
        signature["ids"].append(node_id)
        self.state.document.note_explicit_target(signature)
        if "no-index" not in self.options:
            self.domain.note_object(kind, name, node_id, signature_location(self))
        return signature

    def target(self, target: Target) -> Node:
        """Show a name of a family of extra specs, and remember its place."""
        label = f"kvrules-extra-spec-{target['anchor']}"
        node_id = make_id(self.env, self.state.document, "", label)
        shown: Element = nodes.inline("", "", describe.literal(target["name"]), ids=[node_id])
        self.state.document.note_explicit_target(shown)
        if "no-index" not in self.options:
            self.domain.note_object("extra-spec", target["name"], node_id, signature_location(self))
        return shown

    def free_id(self, label: str) -> str:
        """Make an identifier for the document of a label that is unique among all pages."""
        return make_id(self.env, self.state.document, "", label)

    def index_of(self, signature: Element, *entries: str) -> Node:
        """Make the entries of the general index; a semicolon in an entry makes it a part of another."""
        if "no-index" in self.options:
            return addnodes.index(entries=[])
        node_id = signature["ids"][0]
        return addnodes.index(entries=[("single", entry, node_id, "", None) for entry in entries])

    def desc(self, kind: str, signature: Element, content: Node) -> Node:
        """Make a description of a head and a body."""
        desc = addnodes.desc("", signature, content, domain="kv", objtype=kind, desctype=kind)
        desc["classes"] += ["kv", kind]
        desc["no-index"] = desc["noindex"] = "no-index" in self.options
        desc["no-index-entry"] = desc["no-contents-entry"] = desc["no-typesetting"] = False
        self.set_source_info(desc)
        self.set_source_info(signature)
        return desc


def signature_location(directive: SphinxDirective) -> tuple[str, int]:
    """Where the directive stands."""
    return directive.env.docname, directive.lineno


class RulesDirective(AskingDirective):
    """`kv:rules`: the rules of files, in full or as a table, grouped as asked."""

    has_content = False
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        **AskingDirective.option_spec,
        "summary": directives.flag,
        "group-by": _grouping,
    }

    def written_paths(self) -> list[str]:
        """Take the files of the argument too."""
        return [*" ".join(self.arguments).split(), *super().written_paths()]

    def describe(self, document: Document) -> list[Node]:
        """Describe the chosen rules, group by group."""
        chosen = list(self.filter().chosen(document))
        if not chosen:
            if document["sets"]:
                raise LookupError("no rule is selected")
            if document.get("resources"):
                raise LookupError(
                    "the files have definitions and policies only; use `kv:definition` or `kv:policy`"
                )
            raise LookupError("the files have no rules")
        grouping = self.options.get("group-by", "set")
        if "summary" in self.options:
            return list(self.tables(chosen, grouping))
        if grouping == "set":
            return [node for rules, some in chosen for node in self.rule_set(rules, some)]
        found: list[Node] = []
        for title, pairs in grouped(chosen, grouping):
            found += heading(title)
            found += [node for rules, rule in pairs for node in self.rule(rules, rule, qualified=True)]
        return found

    def tables(self, chosen: Chosen, grouping: str) -> Iterable[Node]:
        """Make a table for each group."""
        for title, pairs in grouped(chosen, grouping):
            yield from heading(title) if grouping != "set" or len(chosen) > 1 else []
            yield self.table(pairs, grouping)

    def table(self, pairs: list[tuple[RuleSet, Rule]], grouping: str) -> Node:
        """Make a table with a line for each rule."""
        widths = [30, 70] if grouping == "field" else [20, 42, 38]
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in widths), cols=len(widths))
        titles = ("Rule", "Requirement", "Field")[: len(widths)]
        head: list[list[Node]] = [[nodes.Text(title)] for title in titles]
        group += nodes.thead("", row(head))
        group += nodes.tbody("", *(row(self.cells(*pair, grouping)) for pair in pairs))
        return nodes.table("", group, classes=["kv-summary", "colwidths-given"])

    def cells(self, rules: RuleSet, rule: Rule, grouping: str) -> list[list[Node]]:
        """Make the cells of a rule's line."""
        name = f"{rules['title']}/{rule_names(rules)[rule['anchor']]}"
        link: list[Node] = [describe.rule_link(name, rule["title"] if grouping == "set" else name)]
        if rule["severity"] == "warning":
            link.append(nodes.inline("", " only warns", classes=["kv-severity"]))
        cells = [link, self.describer.words(rule["sentence"])]
        # The heading of the table is the field already.
        return cells if grouping == "field" else [*cells, [describe.literal(rule["field"]["path"])]]


def row(cells: Iterable[list[Node]]) -> nodes.row:
    """Make a line of a table."""
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells))


def heading(title: str) -> list[Node]:
    """Make a heading that is in no table of contents; none without a title."""
    return [nodes.rubric("", "", nodes.Text(title))] if title else []


def grouped(chosen: Chosen, grouping: str) -> list[tuple[str, list[tuple[RuleSet, Rule]]]]:
    """Put rules together that have the same set, field or severity."""
    pairs = [(rules, rule) for rules, some in chosen for rule in some]

    def key(pair: tuple[RuleSet, Rule]) -> str:
        rules, rule = pair
        if grouping == "field":
            return rule["field"]["path"]
        if grouping == "severity":
            return "Errors" if rule["severity"] == "error" else "Warnings"
        return rules["title"] if grouping == "set" else ""

    ordered = pairs if grouping == "set" else sorted(pairs, key=key)
    return [(title, list(group)) for title, group in groupby(ordered, key)]


class RuleSetDirective(AskingDirective):
    """`kv:ruleset`: one rule set, or of it the rules that a filter chooses."""

    required_arguments = 1
    final_argument_whitespace = True

    def describe(self, document: Document) -> list[Node]:
        """Describe the rule set."""
        rules = named_set(document, self.arguments[0])
        chosen = [rule for rule in rules["rules"] if self.filter()(rules, rule)]
        return self.rule_set(rules, chosen)


class SingleRuleDirective(AskingDirective):
    """`kv:rule`: one rule, by `set/name`, or by its name where no other rule has it."""

    required_arguments = 1
    final_argument_whitespace = True

    def describe(self, document: Document) -> list[Node]:
        """Describe the rule, and below it what the author adds."""
        rules, rule = named_rule(document, self.arguments[0], self.filter())
        return self.rule(rules, rule, qualified=True, content=self.author_text(rules))


def named_set(document: Document, name: str) -> RuleSet:
    """Find a rule set by its title."""
    found = next((rules for rules in document["sets"] if rules["title"] == name), None)
    if found is None:
        names = [rules["title"] for rules in document["sets"]]
        raise LookupError(f"unknown rule set `{name}`{meant(name, names)}")
    return found


def named_rule(document: Document, name: str, chosen: Filter) -> tuple[RuleSet, Rule]:
    """Find a rule by its name."""
    known = {
        f"{rules['title']}/{short}": (rules, rule)
        for rules in document["sets"]
        for rule, short in zip(rules["rules"], rule_names(rules).values(), strict=True)
        if chosen(rules, rule)
    }
    if name in known:
        return known[name]
    ends = [full for full in known if full.endswith(f"/{name}")]
    if len(ends) > 1:
        raise LookupError(f"ambiguous rule name `{name}`: " + ", ".join(f"`{full}`" for full in ends))
    if not ends:
        names = [*known, *(rule["title"] for _, rule in known.values())]
        raise LookupError(f"unknown rule `{name}`{meant(name, names)}")
    return known[ends[0]]


def meant(name: str, names: list[str]) -> str:
    """Say what was probably meant."""
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""
