"""The program of the wheel and Sphinx together, on rules whose names and messages try to be markup."""

from __future__ import annotations

import json
import re
import tempfile
import unittest
from html import unescape
from pathlib import Path

from kvrules import ProgramError, find_executable
from tests.test_sphinx import Project

HOSTILE = [
    "`backticks` ``and`` more`",
    "a | bar || and \\| more",
    "{{ jinja }} {% if %} {#kvrules rules}",
    ".. note:: a directive",
    "<script>alert(1)</script> & &amp;",
    "*stars* **and** _under_ __lines__ |sub| ref_",
    ":kv:rule:`no-such-rule` [link](x) [[rule:x]]",
    "wide" * 200,
    "שלום \u202eabc\u202c 日本語 \N{FAMILY}",
    "\\ backslash \\\\ at the end \\",
    "- a list\n\n1. of two",
]


def rules() -> str:
    written = [
        {
            "name": f"{index} {text}",
            "rule": "enum",
            "path": "jsonpath::.spec.hostname",
            "valid": "jsonpath::.spec.hostname",
            "message": text,
            "values": [text, "plain"],
        }
        for index, text in enumerate(HOSTILE)
    ]
    # Braces are escaped, since a file with template tags is read in another way.
    text = json.dumps(written, ensure_ascii=False).replace("{{", "{\\u007b").replace("{%", "\\u007b%")
    return json.dumps({"metadata": {"annotations": {"vm.kubevirt.io/validations": text}}})


def visible(html: str) -> str:
    """Give the text of a page, with blanks drawn together."""
    html = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


class RealTest(unittest.TestCase):
    def setUp(self) -> None:
        try:
            self.program = find_executable()
        except ProgramError:
            self.skipTest("the program kvrules is not installed")
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.project = Project(Path(directory.name))
        conf = "extensions = ['kvrules.sphinx']\nkvrules_paths = ['rules.yaml']\nsmartquotes = False\n"
        conf += f"kvrules_executable = {self.program!r}\n"
        (self.project.source / "conf.py").write_text(conf, encoding="utf-8")

    def test_hostile_names_messages_and_values_come_out_as_text(self) -> None:
        (self.project.source / "rules.yaml").write_text(rules(), encoding="utf-8")
        self.project.write("index", ".. kv:rules::", "", ".. kv:rules::", "   :summary:")
        _, warnings = self.project.build()
        self.assertEqual(warnings, "")
        page = visible(self.project.html("index"))
        for text in HOSTILE:
            with self.subTest(text[:20]):
                self.assertIn(" ".join(text.split()), page)

    def test_extra_specs_of_nova_and_templates_of_the_users_own_are_shown(self) -> None:
        (self.project.source / "rules.yaml").write_text(rules(), encoding="utf-8")
        with (self.project.source / "conf.py").open("a", encoding="utf-8") as conf:
            print("kvrules_templates = 'mine'", file=conf)
        mine = self.project.source / "mine" / "restructuredtext"
        mine.mkdir(parents=True)
        (mine / "_rule_body.rst.j2").write_text("Rule no {{ rule.name }} only.\n", encoding="utf-8")
        self.project.write("index", ".. extra-specs:: hw", "", ".. kv:rules::", "   :filter: 4*")
        self.assertEqual(self.project.build()[1], "")
        page = visible(self.project.html("index"))
        self.assertIn("hw:cpu_policy", page)
        self.assertIn("Rule no 4 <script>", page)

    def test_a_new_file_in_a_directory_makes_its_documents_outdated(self) -> None:
        (self.project.source / "rules.yaml").unlink()
        (self.project.source / "rules.d").mkdir()
        (self.project.source / "rules.d" / "a.yaml").write_text(rules(), encoding="utf-8")
        self.project.write("index", ".. kv:rules:: rules.d", "   :filter: 0*")
        self.assertEqual(self.project.build()[1], "")
        other = rules().replace("0 `backticks`", "0 later")
        (self.project.source / "rules.d" / "b.yaml").write_text(other, encoding="utf-8")
        status, warnings = self.project.build()
        self.assertEqual(warnings, "")
        self.assertIn("0 added, 1 changed, 0 removed", status)
        self.assertIn("0 later", visible(self.project.html("index")))


if __name__ == "__main__":
    unittest.main()
