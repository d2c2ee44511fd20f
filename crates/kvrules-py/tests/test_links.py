"""What leads nowhere is found, and what leads somewhere is not."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from tests.links import problems


class LinksTest(unittest.TestCase):
    def found(self, **pages: str) -> list[str]:
        with tempfile.TemporaryDirectory() as name:
            for page, text in pages.items():
                Path(name, f"{page}.html").write_text(text, encoding="utf-8")
            return [problem.removeprefix(name + "/") for problem in problems(Path(name))]

    def test_links_that_lead_somewhere_are_in_order(self) -> None:
        a = '<a href="b.html#x%20y">b</a> <a href="#here">a</a> <h1 id="here">A</h1> <a href="https://example.org/">c</a>'
        self.assertEqual(self.found(a=a, b='<h1 id="x y">B</h1> <a href="./a.html">a</a>'), [])

    def test_links_that_lead_nowhere_are_found_with_file_and_line(self) -> None:
        a = '<p>\n<a href="c.html">c</a>\n<a href="b.html#x">b</a> <a href="#y">y</a> <img src="z.png"></p>'
        expected = [
            "a.html:2: `c.html`: there is no such file",
            "a.html:3: `b.html#x`: there is no such anchor",
            "a.html:3: `#y`: there is no such anchor",
            "a.html:3: `z.png`: there is no such file",
        ]
        self.assertEqual(self.found(a=a, b="<h1>B</h1>"), expected)

    def test_an_anchor_that_stands_twice_is_found(self) -> None:
        self.assertEqual(self.found(a='<i id="x"><i id="x">'), ["a.html: the anchor `x` stands twice"])

    def test_a_directory_without_pages_is_a_problem(self) -> None:
        self.assertEqual(len(self.found()), 1)


if __name__ == "__main__":
    unittest.main()
