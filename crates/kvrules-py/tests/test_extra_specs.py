"""Extra specs in Sphinx: what is described, linked, warned about and rebuilt."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from sphinx.util.inventory import InventoryFile

from kvrules.program import extra_specs
from tests import sample
from tests.test_sphinx import Project


class ExtraSpecsTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.project = Project(Path(directory.name))
        (self.project.source / "extra-specs.yaml").touch()

    def built(self, *lines: str) -> str:
        self.project.write("index", *lines)
        _, warnings = self.project.build()
        self.assertEqual(warnings, "")
        return self.project.html("index")

    def warned(self, *lines: str) -> str:
        self.project.write("index", *lines)
        return self.project.build()[1]

    def test_a_namespace_is_described_in_full(self) -> None:
        html = self.built(".. extra-specs:: acme")
        for label in ("acme-tier", "acme-disk-num", "acme-rack-row-south"):
            self.assertIn(f'id="kvrules-extra-spec-{label}"', html)
        for words in (
            "Answers within the hour.",
            "1 GiB, written",
            "1 to 2 of 0\N{EN DASH}9",
            "tiers say more",
        ):
            self.assertIn(words, html)

    def test_a_summary_is_a_table_that_links_to_what_is_described(self) -> None:
        self.project.write("other", ".. extra-specs::")
        html = self.built(".. extra-specs:: acme", "   :summary:")
        self.assertIn('href="other.html#kvrules-extra-spec-acme-tier"', html)
        self.assertIn("<p>The service level of the instance.</p>", html)
        self.assertNotIn('id="kvrules-', html)

    def test_the_directive_of_the_domain_is_the_same(self) -> None:
        self.assertEqual(
            self.built(".. extra-specs:: acme").partition("<body>")[2],
            self.built(".. kv:extra-specs:: acme").partition("<body>")[2],
        )

    def test_roles_link_to_names_with_parameters_and_to_members_of_families(self) -> None:
        roles = ":kv:extra-spec:`acme:disk.{num}` :kv:extra-spec:`acme:rack{row}:NORTH`"
        html = self.built(roles, "", ".. extra-specs::")
        for label in ("acme-disk-num", "acme-rack-row-north"):
            self.assertIn(f'href="#kvrules-extra-spec-{label}"', html)

    def test_unknown_names_are_warned_about_with_file_and_line(self) -> None:
        warnings = self.warned(":kv:extra-spec:`acme:tear`", "", ".. extra-specs::")
        self.assertRegex(warnings, r"index\.rst:4: WARNING: .*acme:tear")
        warnings = self.warned("text", "", ".. extra-specs:: acne")
        self.assertRegex(warnings, r"index\.rst:6: .*unknown namespace `acne`; did you mean `acme`\?")

    def test_what_is_described_twice_is_warned_about(self) -> None:
        twice = [".. extra-specs:: acme", "", ".. extra-specs:: acme"]
        self.assertIn("duplicate description of extra spec `acme:tier`", self.warned(*twice))
        self.built(*twice, "   :no-index:")

    def test_the_inventory_and_the_indices_list_extra_specs(self) -> None:
        html = self.built(":ref:`kv-extra-specs`", "", ".. extra-specs::")
        self.assertIn("Index of extra specs", html)
        with (self.project.out / "objects.inv").open("rb") as file:
            inventory = InventoryFile.load(file, "", lambda base, path: path)
        self.assertIn("acme:rack{row}:SOUTH", inventory["kv:extra-spec"])
        self.assertIn("acme:tier (extra spec)", self.project.html("genindex"))
        self.assertIn("acme:rack{row}:NORTH", self.project.html("kv-extra-specs"))

    def test_a_document_is_built_again_when_the_answer_changes_and_not_before(self) -> None:
        self.built(".. extra-specs:: acme")
        self.assertIn("0 added, 0 changed, 0 removed", self.project.build()[0])
        changed = sample.extra_specs()
        changed["groups"][0]["specs"].pop()
        (self.project.program / "extra-specs.json").write_text(json.dumps(changed), encoding="utf-8")
        self.assertIn("0 added, 1 changed, 0 removed", self.project.build()[0])
        self.assertNotIn("kvrules-extra-spec-acme-tier", self.project.html("index"))

    def test_many_processes_give_the_same_pages(self) -> None:
        for number in range(8):
            self.project.write(f"page{number}", ":kv:extra-spec:`acme:tier`")
        alone = self.built(".. extra-specs::"), self.project.html("page3")
        for page in self.project.source.glob("*.rst"):
            page.touch()
        self.assertEqual(self.project.build(jobs=2)[1], "")
        self.assertEqual(alone, (self.project.html("index"), self.project.html("page3")))

    def test_hostile_names_and_words_stay_text(self) -> None:
        hostile = "a`b*c|d{{e}}..f<script>g"
        answer = sample.extra_specs()
        spec = answer["groups"][0]["specs"][0]
        spec["name"] = spec["title"] = hostile
        spec["description"] = spec["summary"] = sample.text(hostile)
        spec["virt_drivers"] = [hostile]
        (self.project.program / "extra-specs.json").write_text(json.dumps(answer), encoding="utf-8")
        html = self.built(".. extra-specs::")
        self.assertIn("a`b*c|d{{e}}..f&lt;script&gt;g", html)
        self.assertNotIn("<script>g", html)

    def test_the_definitions_of_the_configuration_are_asked_for(self) -> None:
        with (self.project.source / "conf.py").open("a", encoding="utf-8") as conf:
            print("kvrules_definitions = ['own.yaml']", file=conf)
        self.built(".. extra-specs:: acme", "   :own-only:")
        asked = (self.project.program / "asked").read_text(encoding="utf-8")
        self.assertEqual(asked, "docs --extra-specs --format json --relative-to . --own-only -- own.yaml\n")

    def test_a_template_of_the_users_own_lays_descriptions_out(self) -> None:
        with (self.project.source / "conf.py").open("a", encoding="utf-8") as conf:
            print("kvrules_templates = 'mine'", file=conf)
        answer, rules = sample.extra_specs(), sample.document()
        body = {"markdown": None, "restructuredtext": "In *our* words.", "html": None}
        answer["groups"][0]["specs"][0]["body"] = body
        rules["sets"][0]["rules"][0]["body"] = {**body, "restructuredtext": "Rules *too*."}
        (self.project.program / "extra-specs.json").write_text(json.dumps(answer), encoding="utf-8")
        self.project.answer(rules)
        html = self.built(".. extra-specs:: acme", "", ".. kv:rules::")
        self.assertIn("<p>In <em>our</em> words.</p>", html)
        self.assertIn("<p>Rules <em>too</em>.</p>", html)
        asked = (self.project.program / "asked").read_text(encoding="utf-8")
        self.assertEqual(asked.count("--templates mine"), 2)

    def test_python_gets_the_document(self) -> None:
        program = sample.program(self.project.program, {})
        self.assertEqual(extra_specs([], executable=program)["groups"][0]["name"], "acme")


if __name__ == "__main__":
    unittest.main()
