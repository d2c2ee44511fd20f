"""kvrules: validation rules checked, compiled and documented.

The work is done by the program `kvrules`, which the wheel carries. Here are the ways to it from Python.
"""

from kvrules.pages import Document, Filter, Rule, RuleSet, Text
from kvrules.program import ProgramError, find_executable, pages

__all__ = ["Document", "Filter", "ProgramError", "Rule", "RuleSet", "Text", "find_executable", "pages"]
