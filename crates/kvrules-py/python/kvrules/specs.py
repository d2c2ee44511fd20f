"""What `kvrules docs --extra-specs --format json` prints, as types.

The document is described by `kvrules schema extra-spec-pages`; here stands what is used.
"""

from __future__ import annotations

from typing import TypedDict

from kvrules.pages import Body, Examples, Limit, Pattern, SaidBy, Source, Text


class Value(TypedDict):
    """A value that is allowed."""

    value: str
    code: str
    description: Text | None


class Parameter(TypedDict):
    """A part of a name that varies."""

    name: str
    pattern: Pattern
    description: Text | None


class Member(TypedDict):
    """One name of a family."""

    name: str
    anchor: str


class Link(TypedDict):
    """Another extra spec."""

    name: str


class Metadef(TypedDict):
    """A property of Glance's metadata definitions."""

    file: str
    property: str


class ExtraSpec(TypedDict):
    """One extra spec, or a family of them that are alike."""

    name: str
    title: str
    anchor: str
    label: str
    summary: Text
    description: Text
    sentence: Text
    type_text: Text
    value_description: Text | None
    limits: list[Limit]
    values: list[Value]
    pattern: Pattern | None
    parameters: list[Parameter]
    members: list[Member]
    keys: Examples
    examples: Examples
    status: str
    status_text: Text
    replacement: Link | None
    virt_drivers: list[str]
    requires: list[Link]
    since: str | None
    image_property: str | None
    metadef: Metadef | None
    said_by: list[SaidBy]
    source: Source | None
    body: Body | None


class Group(TypedDict):
    """The extra specs of a namespace."""

    name: str
    title: str
    anchor: str
    summary: Text
    specs: list[ExtraSpec]


class SpecsDocument(TypedDict):
    """All pages."""

    version: str
    groups: list[Group]
