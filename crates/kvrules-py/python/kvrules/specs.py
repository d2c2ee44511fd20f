"""What `kvrules docs --extra-specs --format json` prints, as types.

The document is described by `kvrules schema extra-spec-pages`; here stands what is used.
"""

from __future__ import annotations

from typing import TypedDict

from kvrules.pages import Page, Text


class ExtraSpec(Page):
    """One extra spec, or a family of them that are alike."""

    summary: Text
    status: str


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
