"""kvrules: validation rules checked, compiled and documented.

The work is done by the program `kvrules`, which the wheel carries. Here are the ways to it from Python.
"""

from kvrules.pages import Document, Filter, Rule, RuleSet, Text
from kvrules.program import ProgramError, extra_specs, find_executable, pages
from kvrules.specs import ExtraSpec, SpecsDocument

__all__ = [
    "Document",
    "ExtraSpec",
    "Filter",
    "ProgramError",
    "Rule",
    "RuleSet",
    "SpecsDocument",
    "Text",
    "extra_specs",
    "find_executable",
    "pages",
]
