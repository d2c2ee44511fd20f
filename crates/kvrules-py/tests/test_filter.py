"""Filters choose the rules that their words describe. The cases are shared with `mdbook-kvrules`."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from kvrules import Filter
from tests import sample

CASES = json.loads(Path(__file__).with_name("filters.json").read_text(encoding="utf-8"))


class FilterTest(unittest.TestCase):
    def test_a_filter_chooses_the_rules_of_its_case(self) -> None:
        for case in CASES["chosen"]:
            with self.subTest(case["filter"]):
                pairs = Filter(case["filter"]).chosen(sample.document())
                names = [
                    f"{rules['name']}/{rule['name']}"
                    for rules, rules_chosen in pairs
                    for rule in rules_chosen
                ]
                self.assertEqual(names, case["rules"])

    def test_a_filter_that_asks_what_rules_do_not_answer_is_refused(self) -> None:
        for text in CASES["refused"]:
            with self.subTest(text), self.assertRaises(ValueError):
                Filter(text)


if __name__ == "__main__":
    unittest.main()
