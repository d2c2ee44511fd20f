"""Builds with a program that gives a fixed answer: what is described, linked, warned about and rebuilt."""

from __future__ import annotations

import io
import os
import re
import tempfile
import unittest
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils
from sphinx.util.inventory import InventoryFile

from tests import sample

CONF = """
extensions = ["kvrules.sphinx"]
kvrules_executable = {program!r}
kvrules_paths = ["rules.yaml"]
"""


class Project:
    """A Sphinx project in a directory of its own."""

    def __init__(self, directory: Path) -> None:
        self.source = directory / "docs"
        self.out = directory / "html"
        self.source.mkdir(parents=True)
        self.program = directory / "program"
        self.answer(sample.document())
        (self.source / "rules.yaml").touch()
        conf = CONF.format(program=str(self.program / "kvrules-sample"))
        (self.source / "conf.py").write_text(conf, encoding="utf-8")

    def answer(self, answer: object, status: int = 0, stderr: str = "") -> None:
        sample.program(self.program, answer, status, stderr)

    def write(self, name: str, *lines: str) -> None:
        orphan = [] if name == "index" else [":orphan:", ""]
        text = "\n".join([*orphan, name, "=" * len(name), "", *lines, ""])
        (self.source / f"{name}.rst").write_text(text, encoding="utf-8")

    def build(self, jobs: int = 1) -> tuple[str, str]:
        """Build as `sphinx-build -n` does; give what it said and what it warned about."""
        status, warnings = io.StringIO(), io.StringIO()
        doctrees = self.out.with_name("doctrees")
        nitpicky = {"nitpicky": True}
        with patch_docutils(str(self.source)), docutils_namespace():
            app = Sphinx(
                self.source,
                self.source,
                self.out,
                doctrees,
                "html",
                nitpicky,
                status,
                warnings,
                parallel=jobs,
            )
            app.build()
        return status.getvalue(), re.sub(r"\x1b\[[0-9;]*m", "", warnings.getvalue())

    def html(self, name: str) -> str:
        return (self.out / f"{name}.html").read_text(encoding="utf-8")


class SphinxTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.project = Project(Path(directory.name))

    def built(self, *lines: str) -> str:
        self.project.write("index", *lines)
        _, warnings = self.project.build()
        self.assertEqual(warnings, "")
        return self.project.html("index")

    def warned(self, *lines: str) -> str:
        self.project.write("index", *lines)
        return self.project.build()[1]

    def test_all_rules_are_described_under_their_anchors(self) -> None:
        html = self.built(".. kv:rules::")
        for label in ("linux-cores", "linux-bus", "windows-cores", "windows-host", "windows-old"):
            self.assertIn(f'id="kvrules-{label}"', html)
        for words in ("the-other", "1 to 8 of a-z", "It is gone.", "self.spec.x == 1", "fractions pass"):
            self.assertIn(words, html)

    def test_roles_link_to_rules_sets_and_fields(self) -> None:
        roles = ":kv:rule:`bus` :kv:rule:`~windows/cores`"
        roles += " :kv:ruleset:`linux` :kv:field:`jsonpath::.spec.hostname`"
        html = self.built(roles, "", ".. kv:rules::")
        for label in ("linux-bus", "windows-cores", "linux", "windows-host"):
            self.assertIn(f'href="#kvrules-{label}"', html)

    def test_any_finds_rules_too(self) -> None:
        html = self.built(":any:`linux/bus` :any:`.spec.hostname`", "", ".. kv:rules::")
        self.assertIn('href="#kvrules-linux-bus"', html)
        self.assertIn('href="#kvrules-windows-host"', html)

    def test_unknown_references_are_warned_about_with_file_and_line(self) -> None:
        warnings = self.warned("text", "", ":kv:rule:`no-such-rule`", "", ".. kv:rules::")
        self.assertRegex(warnings, r"index\.rst:6: WARNING: .*no-such-rule")

    def test_a_name_that_several_rules_have_is_warned_about(self) -> None:
        warnings = self.warned(":kv:rule:`cores`", "", ".. kv:rules::")
        self.assertRegex(warnings, r"index\.rst:4: WARNING: ambiguous rule name `cores`: `linux/cores`, ")

    def test_within_a_rule_set_its_own_rules_come_first(self) -> None:
        html = self.built(
            ".. kv:rules::",
            "   :filter: -set:windows",
            "",
            ".. kv:ruleset:: windows",
            "",
            "   See :kv:rule:`cores`.",
        )
        self.assertIn('href="#kvrules-windows-cores"', html.partition("See ")[2][:80])

    def test_a_filter_chooses_rules(self) -> None:
        html = self.built(".. kv:rules::", "   :filter: severity:warning")
        self.assertIn('id="kvrules-linux-bus"', html)
        self.assertNotIn("kvrules-linux-cores", html)

    def test_a_summary_is_a_table_that_links_to_what_is_described(self) -> None:
        self.project.write("other", ".. kv:ruleset:: linux")
        html = self.built(".. kv:rules::", "   :summary:")
        self.assertIn('<a class="reference internal" href="other.html#kvrules-linux-bus"', html)
        self.assertIn("host", html)
        self.assertNotIn('id="kvrules-', html)

    def test_rules_are_grouped_as_asked(self) -> None:
        html = self.built(".. kv:rules::", "   :group-by: severity")
        heads = re.findall(r'class="rubric">([^<]*)<', html)
        self.assertEqual(heads, ["Errors", "Warnings"])

    def test_one_rule_is_described_with_the_words_of_the_author(self) -> None:
        html = self.built(".. kv:rule:: windows/host", "", "   Names of hosts are *short*.")
        self.assertIn("Names of hosts are <em>short</em>.", html)
        self.assertIn('id="kvrules-windows-host"', html)

    def test_an_unknown_rule_is_warned_about_with_what_was_meant(self) -> None:
        warnings = self.warned("text", "", ".. kv:rule:: windows/hots")
        self.assertRegex(
            warnings,
            r"index\.rst:6: WARNING: kv:rule: unknown rule `windows/hots`; did you mean `windows/host`\?",
        )

    def test_a_bad_filter_is_warned_about(self) -> None:
        self.assertRegex(
            self.warned(".. kv:rules::", "   :filter: colour:red"), r"index\.rst:4: WARNING: .*`colour`"
        )

    def test_a_program_that_fails_is_warned_about_where_it_was_asked(self) -> None:
        self.project.answer({}, status=2, stderr="error: cannot read `rules.yaml`")
        warnings = self.warned(".. kv:rules::")
        self.assertRegex(warnings, r"index\.rst:4: WARNING: kv:rules: error: cannot read `rules\.yaml`")

    def test_rules_that_are_described_twice_are_warned_about(self) -> None:
        twice = [".. kv:ruleset:: linux", "", ".. kv:ruleset:: linux"]
        self.assertIn("duplicate description of rule `linux/bus`", self.warned(*twice))
        self.built(*twice, "   :no-index:")

    def test_the_inventory_lists_rules_sets_and_fields(self) -> None:
        self.built(".. kv:rules::")
        with (self.project.out / "objects.inv").open("rb") as file:
            inventory = InventoryFile.load(file, "", lambda base, path: path)
        self.assertIn("linux/bus", inventory["kv:rule"])
        self.assertIn("windows", inventory["kv:ruleset"])
        self.assertIn(".spec.hostname", inventory["kv:field"])

    def test_another_project_refers_to_rules_by_intersphinx(self) -> None:
        self.built(".. kv:rules::")
        other = Project(self.project.source.parent / "other")
        mapping = {"rules": ("https://example.org/", str(self.project.out / "objects.inv"))}
        with (other.source / "conf.py").open("a", encoding="utf-8") as conf:
            print(
                "extensions.append('sphinx.ext.intersphinx')",
                f"intersphinx_mapping = {mapping!r}",
                sep="\n",
                file=conf,
            )
        other.write("index", ":kv:rule:`linux/bus` :kv:ruleset:`windows` :kv:field:`.spec.hostname`")
        self.assertEqual(other.build()[1], "")
        for label in ("linux-bus", "windows", "windows-host"):
            self.assertIn(f'href="https://example.org/index.html#kvrules-{label}"', other.html("index"))

    def test_the_indices_list_rules_and_fields(self) -> None:
        self.built(":ref:`kv-rules` :ref:`kv-fields`", "", ".. kv:rules::")
        self.assertIn('href="index.html#kvrules-windows-host"', self.project.html("kv-rules"))
        self.assertIn('href="index.html#kvrules-windows-host"', self.project.html("kv-fields"))
        self.assertIn("host (rule in windows)", self.project.html("genindex"))

    def test_a_document_is_built_again_when_its_rules_change_and_only_then(self) -> None:
        self.project.write("other", "Nothing about rules.")
        self.built(".. kv:rules::")
        self.assertIn("0 added, 0 changed, 0 removed", self.project.build()[0])
        changed = sample.document()
        changed["sets"][0]["rules"].pop()
        self.project.answer(changed)
        self.assertIn("0 added, 1 changed, 0 removed", self.project.build()[0])
        self.assertNotIn("kvrules-linux-bus", self.project.html("index"))

    def test_a_document_is_built_again_when_a_rule_file_is_touched(self) -> None:
        self.built(".. kv:rules::")
        later = (self.project.source / "rules.yaml").stat().st_mtime + 3600
        os.utime(self.project.source / "rules.yaml", (later, later))
        self.assertIn("0 added, 1 changed, 0 removed", self.project.build()[0])

    def test_many_processes_give_the_same_pages(self) -> None:
        for number in range(12):
            self.project.write(f"page{number}", ":kv:rule:`bus`")
        self.built(".. kv:rules::")
        alone = self.project.html("page7"), self.project.html("index"), self.project.html("kv-fields")
        for page in self.project.source.glob("*.rst"):
            page.touch()
        _, warnings = self.project.build(jobs=2)
        self.assertEqual(warnings, "")
        self.assertEqual(
            alone, (self.project.html("page7"), self.project.html("index"), self.project.html("kv-fields"))
        )

    def test_the_program_is_asked_once_for_the_same_files(self) -> None:
        self.built(".. kv:rule:: linux/bus", "", ".. kv:rule:: windows/host")
        self.assertEqual((self.project.program / "asked").read_text(encoding="utf-8").count("docs"), 1)

    def test_hostile_names_stay_text(self) -> None:
        hostile = "a`b*c|d{{e}}..f<script>g"
        answer = sample.document()
        rules = answer["sets"][0]
        rules["name"] = rules["title"] = hostile
        rule = rules["rules"][0]
        rule["name"] = rule["title"] = rule["field"]["path"] = hostile
        rule["sentence"] = rule["message"] = sample.text(hostile)
        self.project.answer(answer)
        html = self.built(".. kv:rules::")
        self.assertIn("a`b*c|d{{e}}..f&lt;script&gt;g", html)
        self.assertNotIn("<script>g", html)


if __name__ == "__main__":
    unittest.main()
