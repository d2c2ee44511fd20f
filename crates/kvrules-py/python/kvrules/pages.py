"""What `kvrules docs --format json` prints, as types, and filters over it.

The document is described by `kvrules schema pages`; here stands what is used.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import TypedDict


class Text(TypedDict):
    """The same words for each format; all but `plain` are escaped."""

    plain: str
    markdown: str
    restructuredtext: str
    html: str


class Source(TypedDict):
    """Where something is defined."""

    file: str
    line: int
    link: str | None


class Field(TypedDict):
    """The field that a rule looks at."""

    path: str
    type: str


class Link(TypedDict):
    """Words that lead elsewhere if there is an address."""

    text: str
    url: str | None


class Reference(TypedDict):
    """Something that may be described elsewhere: a `field`, an `extra-spec` or a `resource`."""

    to: str
    name: str


class Target(TypedDict):
    """A name that others can refer to."""

    name: str
    anchor: str


class Piece(TypedDict, total=False):
    """A piece of running text; it has one of these."""

    words: str
    text: Text
    code: str
    link: Link
    reference: Reference
    target: Target
    picture: object


class Value(TypedDict, total=False):
    """The value of a fact; it has one of these."""

    line: list[Piece]
    list: list[list[Piece]]
    code: str


class Fact(TypedDict):
    """What readers learn, with a label; as a notice it comes first."""

    kind: str
    label: Text
    notice: str | None
    value: Value


class Body(TypedDict):
    """What a template of the user's own makes of a rule or an extra spec."""

    restructuredtext: str | None


class Page(TypedDict):
    """The description of a rule or an extra spec."""

    name: str
    title: str
    anchor: str
    label: str
    description: Text | None
    sentence: Text
    facts: list[Fact]
    source: Source | None
    body: Body | None


class Rule(Page):
    """One rule."""

    severity: str
    field: Field


class LeftOut(TypedDict):
    """A rule that no predicate says, and why."""

    name: str
    title: str
    cause: Text
    source: Source | None


class UserGroup(TypedDict):
    """Users whose names begin alike; for long lists."""

    title: str
    names: list[str]


class RuleSet(TypedDict):
    """Rules that are used together."""

    name: str
    title: str
    anchor: str
    summary: Text
    group: str | None
    used_by: list[str]
    users_counted: str
    users: list[UserGroup]
    source: Source | None
    left_out: list[LeftOut]
    rules: list[Rule]


class ResourceRule(TypedDict):
    """A rule in CEL, or one of a RuleSet."""

    title: str
    label: str
    severity: str | None
    facts: list[Fact]


class ResourceEntry(TypedDict):
    """A field of a definition, or something that a policy names."""

    name: str
    label: str
    summary: Fact | None
    is_required: bool
    description: Text | None
    facts: list[Fact]
    rules: list[ResourceRule]


class ResourceSection(TypedDict):
    """A part of the page of a resource."""

    title: str
    label: str
    description: Text | None
    facts: list[Fact]
    rules: list[ResourceRule]
    entries: list[ResourceEntry]


class Resource(TypedDict):
    """The page of a version of a definition, of a policy or of a RuleSet."""

    group: str
    name: str
    title: str
    label: str
    badges: list[str]
    description: Text | None
    facts: list[Fact]
    source: Source | None
    sections: list[ResourceSection]


class Document(TypedDict):
    """All pages."""

    version: str
    sets: list[RuleSet]
    resources: list[Resource]


#: What a filter can ask, and the words in which the answer lies.
_QUESTIONS: dict[str, Callable[[RuleSet, Rule], list[str]]] = {
    "name": lambda _, rule: [rule["name"]],
    "set": lambda rules, _: [rules["name"], rules["title"]],
    "used-by": lambda rules, _: rules["used_by"],
    "field": lambda _, rule: [rule["field"]["path"]],
    "type": lambda _, rule: [rule["field"]["type"]],
    "severity": lambda _, rule: [rule["severity"]],
}


class Filter:
    """Chooses rules by words such as `disk-*`, `severity:error` or `field:.spec.domain.cpu.*`.

    All words must hold. A word without a colon asks for the name; `*` stands for any text, and `-` in front
    turns a word around. Raises `ValueError` for a word that asks what rules do not answer.
    """

    def __init__(self, text: str = "") -> None:
        self._words = [_word(word) for word in shlex.split(text)]

    def __call__(self, rules: RuleSet, rule: Rule) -> bool:
        """Whether the rule is chosen."""
        return all(
            any(map(pattern.fullmatch, _QUESTIONS[key](rules, rule))) != turned
            for turned, key, pattern in self._words
        )

    def chosen(self, document: Document) -> Iterator[tuple[RuleSet, list[Rule]]]:
        """Yield the rule sets with the rules that are chosen in each; sets without any are left out."""
        for rules in document["sets"]:
            chosen = [rule for rule in rules["rules"] if self(rules, rule)]
            if chosen:
                yield rules, chosen


def _word(word: str) -> tuple[bool, str, re.Pattern[str]]:
    turned = word.startswith("-")
    key, colon, glob = word.removeprefix("-").partition(":")
    if not colon:
        key, glob = "name", key
    if key not in _QUESTIONS:
        known = ", ".join(_QUESTIONS)
        raise ValueError(f"unknown filter key `{key}`; known keys: {known}")
    parts = [re.escape(part) for part in glob.split("*")]
    return turned, key, re.compile(".*".join(parts), re.DOTALL)


def rule_names(rules: RuleSet) -> dict[str, str]:
    """Map the anchors of a set's rules to the names that references use: a title if it is unique."""
    titles = [rule["title"] for rule in rules["rules"]]
    return {
        rule["anchor"]: rule["title"] if titles.count(rule["title"]) == 1 else rule["anchor"]
        for rule in rules["rules"]
    }
