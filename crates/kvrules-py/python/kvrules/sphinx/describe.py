"""Rules and rule sets as nodes of a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docutils import nodes
from docutils.nodes import Node
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from kvrules.pages import Example, Rule, RuleSet, SaidBy, Source, Text


class Describer:
    """Makes nodes for one directive, whose parser reads the texts."""

    def __init__(self, directive: SphinxDirective) -> None:
        self._directive = directive

    def words(self, text: Text) -> list[Node]:
        """Read a text that stands within a line."""
        found, problems = self._directive.parse_inline(text["restructuredtext"])
        return [*found, *problems]

    def blocks(self, text: Text, source: Source | None) -> list[Node]:
        """Read a text that may have paragraphs and lists; messages about it point to the rule."""
        return self.lines(text["restructuredtext"], source)

    def lines(self, text: str, source: Source | None) -> list[Node]:
        """Read reStructuredText; messages about it point to what it is about."""
        lines = text.splitlines()
        if source is None:
            return self._directive.parse_text_to_nodes(text)
        places = [(source["file"], source["line"] - 1)] * len(lines)
        content = StringList(lines, items=places)
        return self._directive.parse_text_to_nodes(content)  # type: ignore[arg-type]

    def rule(self, rule: Rule) -> list[Node]:
        """Describe a rule below its signature; a template of the user's own says how."""
        if rule["body"] is not None and rule["body"]["restructuredtext"] is not None:
            return self.lines(rule["body"]["restructuredtext"], rule["source"])
        found: list[Node] = [nodes.paragraph("", "", *self.words(rule["sentence"]))]
        if rule["deprecation"] is not None:
            found.append(self._deprecation(rule))
        found.append(nodes.field_list("", *self._facts(rule)))
        found += self._expressions(rule)
        return found

    def rule_set(self, rules: RuleSet) -> list[Node]:
        """Describe a rule set below its signature, without its rules."""
        found: list[Node] = [nodes.paragraph("", "", *self.words(rules["summary"]), nodes.Text("."))]
        facts = []
        if rules["users"]:
            facts.append(fact_of_blocks("Used by", self._users(rules)))
        elif rules["used_by"]:
            facts.append(fact("Used by", joined([literal(name)] for name in rules["used_by"])))
        if rules["source"] is not None:
            facts.append(fact("Defined in", [place(rules["source"])]))
        if facts:
            found.append(nodes.field_list("", *facts))
        found += [self._left_out(left["title"], left["cause"]) for left in rules["left_out"]]
        return found

    def _users(self, rules: RuleSet) -> list[Node]:
        """Make a list of a long list's parts."""
        found = nodes.bullet_list()
        for group in rules["users"]:
            names = joined([literal(name)] for name in group["names"])
            found += nodes.list_item("", nodes.paragraph("", "", nodes.Text(f"{group['title']}: "), *names))
        return [nodes.paragraph("", f"{rules['users_counted']}:"), found]

    def _left_out(self, name: str, cause: Text) -> Node:
        words = self.words(cause)
        return nodes.note("", nodes.paragraph("", "", literal(name), nodes.Text(" is left out: "), *words))

    def _deprecation(self, rule: Rule) -> Node:
        deprecation = rule["deprecation"]
        assert deprecation is not None
        words = self.words(deprecation["text"])
        if deprecation["replacement"] is not None:
            words += [nodes.Text(" Use "), literal(deprecation["replacement"]), nodes.Text(" instead.")]
        return nodes.warning("", nodes.paragraph("", "", nodes.strong("", "Deprecated. "), *words))

    def _facts(self, rule: Rule) -> Iterable[nodes.field]:
        yield fact("Field", [literal(rule["field"]["path"])])
        yield fact("Type", self.words(rule["field"]["type_text"]))
        for limit in rule["limits"]:
            yield fact(limit["label"], self.words(limit["text"]))
        yield from self._choices(rule)
        if rule["field"]["default_text"] is not None:
            yield fact("Default", self.words(rule["field"]["default_text"]))
        if rule["compared_with"]:
            yield fact("Compared with", joined([field_link(path)] for path in rule["compared_with"]))
        if rule["absent"] is not None:
            yield fact("If absent", self.words(rule["absent"]))
        if rule["applies"] is not None:
            yield fact("Applies", self.words(rule["applies"]))
        yield fact("Severity", self.words(rule["severity_text"]))
        yield fact_of_blocks("Message", self.blocks(rule["message"], rule["source"]))
        for label, examples in (("Passes", rule["examples"]["passes"]), ("Fails", rule["examples"]["fails"])):
            if examples:
                yield fact(label, joined(self.example(example) for example in examples))
        if rule["source"] is not None:
            yield fact("Defined in", [place(rule["source"])])
        for said in rule["said_by"]:
            yield fact(said["label"], self.targets(said))

    def _choices(self, rule: Rule) -> Iterable[nodes.field]:
        if rule["values_text"] is not None:
            yield fact("Allowed values", self.words(rule["values_text"]))
        pattern = rule["pattern"]
        if pattern is not None:
            yield fact("Regular expression", [literal(pattern["code"])])
            if pattern["reading"] is not None:
                yield fact("In words", self.words(pattern["reading"]))

    def example(self, example: Example) -> list[Node]:
        """Show a value, and the other values with which it passes or fails."""
        found = [literal(example["code"])]
        for other in example["beside"]:
            found += [
                nodes.Text(" with "),
                field_link(other["path"]),
                nodes.Text(" set to "),
                literal(other["code"]),
            ]
        return found

    def targets(self, said: SaidBy) -> list[Node]:
        """List targets, and why they say something so."""
        found = joined([literal(target)] for target in said["targets"])
        if said["cause"] is not None:
            found += [nodes.Text(": "), *self.words(said["cause"])]
        return found

    def _expressions(self, rule: Rule) -> Iterable[Node]:
        for expression in rule["cel"]:
            target = literal(expression["target"])
            yield nodes.paragraph("", "", nodes.Text("CEL of the target "), target, nodes.Text(":"))
            yield nodes.literal_block(expression["rule"], expression["rule"], language="text")


def fact(label: str, words: Sequence[Node]) -> nodes.field:
    """One line of a list of facts."""
    return fact_of_blocks(label, [nodes.paragraph("", "", *words)])


def fact_of_blocks(label: str, blocks: Sequence[Node]) -> nodes.field:
    """One entry of a list of facts."""
    return nodes.field("", nodes.field_name("", label), nodes.field_body("", *blocks))


def joined(parts: Iterable[list[Node]], between: str = ", ") -> list[Node]:
    """Put text between the parts of a list."""
    found: list[Node] = []
    for part in parts:
        found += [nodes.Text(between), *part] if found else part
    return found


def literal(text: str) -> Node:
    """Text as code."""
    return nodes.literal(text, text)


def place(source: Source) -> Node:
    """Say where something is defined, as a link if one is configured."""
    text = f"{source['file']}, line {source['line']}"
    if source["link"] is None:
        return nodes.Text(text)
    return nodes.reference("", "", nodes.Text(text), refuri=source["link"], internal=False)


def field_link(path: str) -> Node:
    """A field, linked to its first rule if there is one."""
    return _optional_link("field", path, path)


def rule_link(name: str, title: str) -> Node:
    """A rule, linked if it is described anywhere."""
    return _optional_link("rule", name, title)


def spec_link(name: str) -> Node:
    """An extra spec, linked if it is described anywhere."""
    return _optional_link("extra-spec", name, name)


def _optional_link(kind: str, target: str, title: str) -> Node:
    options = {
        "refdomain": "kv",
        "reftype": kind,
        "reftarget": target,
        "refexplicit": True,
        "kv:optional": True,
    }
    return addnodes.pending_xref("", literal(title), **options)
