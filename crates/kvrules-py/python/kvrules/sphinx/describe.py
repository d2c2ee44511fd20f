"""Pages and rule sets as nodes of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from docutils import nodes
from docutils.nodes import Node
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from kvrules.pages import Fact, Page, Piece, RuleSet, Source, Target, Text


def is_picture(fact: Fact) -> bool:
    """Tell whether a fact is a picture alone, which other facts say in words."""
    line = fact["value"].get("line", [])
    return bool(line) and all("picture" in piece for piece in line)


class Describer:
    """Makes nodes for one directive, whose parser reads the texts."""

    def __init__(self, directive: SphinxDirective, target: Callable[[Target], Node]) -> None:
        self._directive = directive
        self._target = target

    def words(self, text: Text) -> list[Node]:
        """Read a text that stands within a line."""
        found, problems = self._directive.parse_inline(text["restructuredtext"])
        return [*found, *problems]

    def lines(self, text: str, source: Source | None) -> list[Node]:
        """Read reStructuredText; messages about it point to what it is about."""
        lines = text.splitlines()
        if source is None:
            return self._directive.parse_text_to_nodes(text)
        places = [(source["file"], source["line"] - 1)] * len(lines)
        content = StringList(lines, items=places)
        return self._directive.parse_text_to_nodes(content)  # type: ignore[arg-type]

    def page(self, page: Page) -> list[Node]:
        """Describe a rule or an extra spec below its signature; a template of the user's own says how."""
        if page["body"] is not None and page["body"]["restructuredtext"] is not None:
            return self.lines(page["body"]["restructuredtext"], page["source"])
        found: list[Node] = []
        if page["description"] is not None:
            found += self.lines(page["description"]["restructuredtext"], page["source"])
        found.append(nodes.paragraph("", "", *self.words(page["sentence"])))
        return found + self.facts(page["facts"], page["source"])

    def facts(self, facts: list[Fact], source: Source | None) -> list[Node]:
        """Lay out facts: notices, then what fits a list, then code."""
        facts = [fact for fact in facts if not is_picture(fact)]
        notices = [fact for fact in facts if fact["notice"] is not None]
        others = [fact for fact in facts if fact["notice"] is None]
        listed = [fact for fact in others if "code" not in fact["value"]]
        code = [fact for fact in others if "code" in fact["value"]]
        found: list[Node] = [self._notice(fact) for fact in notices]
        if listed:
            fields = (nodes.field("", self._name(fact), self._field_body(fact, source)) for fact in listed)
            found.append(nodes.field_list("", *fields))
        found += [node for fact in code for node in self._code(fact)]
        return found

    def line(self, fact: Fact) -> list[Node]:
        """Read a fact that is one line of text."""
        return self._line(fact["value"]["line"])

    def _notice(self, fact: Fact) -> Node:
        kind = nodes.warning if fact["notice"] == "warning" else nodes.note
        head = [nodes.strong("", "", *self.words(fact["label"]), nodes.Text(".")), nodes.Text(" ")]
        return kind("", nodes.paragraph("", "", *head, *self._line(fact["value"]["line"])))

    def _name(self, fact: Fact) -> Node:
        return nodes.field_name("", "", *self.words(fact["label"]))

    def _field_body(self, fact: Fact, source: Source | None) -> Node:
        value = fact["value"]
        if "line" in value:
            return nodes.field_body("", *self._blocks(value["line"], source))
        items = (self._blocks(item, source) for item in value["list"])
        return nodes.field_body("", nodes.bullet_list("", *(nodes.list_item("", *item) for item in items)))

    def _code(self, fact: Fact) -> list[Node]:
        code = fact["value"]["code"]
        label = nodes.paragraph("", "", *self.words(fact["label"]), nodes.Text(":"))
        return [label, nodes.literal_block(code, code, language="text")]

    def _blocks(self, pieces: list[Piece], source: Source | None) -> list[Node]:
        """Read pieces of which the last may have several blocks; they come below those before it."""
        *head, last = pieces
        if "text" not in last or "\n" not in last["text"]["restructuredtext"]:
            return [nodes.paragraph("", "", *self._line(pieces))]
        before = [nodes.paragraph("", "", *self._line(head))] if head else []
        return [*before, *self.lines(last["text"]["restructuredtext"], source)]

    def _line(self, pieces: list[Piece]) -> list[Node]:
        return [node for piece in pieces for node in self._piece(piece)]

    def _piece(self, piece: Piece) -> list[Node]:
        if "text" in piece:
            return self.words(piece["text"])
        if "code" in piece:
            return [literal(piece["code"])]
        if "link" in piece:
            return [link_to(piece["link"]["text"], piece["link"]["url"])]
        if "reference" in piece:
            reference = piece["reference"]
            return [_optional_link(reference["to"], reference["name"], reference["name"])]
        if "target" in piece:
            return [self._target(piece["target"])]
        if "picture" in piece:
            # The line says what the picture shows.
            return []
        return [nodes.Text(piece["words"])]

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
    return link_to(f"{source['file']}, line {source['line']}", source["link"])


def link_to(text: str, url: str | None) -> Node:
    """Words as a link, if there is an address."""
    if url is None:
        return nodes.Text(text)
    return nodes.reference("", "", nodes.Text(text), refuri=url, internal=False)


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
