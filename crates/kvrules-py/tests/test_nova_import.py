"""The import of Nova's definitions, on definitions made for it; `cargo xtask nova` runs it on Nova itself."""

import contextlib
import io
import unittest
from types import SimpleNamespace
from typing import Any
from unittest import mock

from kvrules import __main__
from kvrules.nova_import import ImportProblem, document_of


def validator(**fields: object) -> SimpleNamespace:
    plain = {"name": "a:b", "description": "d", "value": {"type": int}, "deprecated": False, "parameters": []}
    return SimpleNamespace(**{**plain, **fields})


class NovaImport(unittest.TestCase):
    def one(self, **fields: object) -> dict[str, Any]:
        document = document_of([validator(**fields)])
        self.assertEqual((document["kind"], document["version"]), ("ExtraSpecDefinitions", 1))
        definition: dict[str, Any] = document["definitions"][0]
        return definition

    def test_types_have_our_names_and_keep_their_limits(self) -> None:
        number = self.one(value={"type": int, "min": 0, "max": 3, "description": "n"})
        self.assertEqual(number["value"], {"type": "integer", "min": 0, "max": 3, "description": "n"})
        self.assertEqual(self.one(value={"type": bool})["value"], {"type": "boolean"})
        text = self.one(value={"type": str, "enum": ["x", "y"]})
        self.assertEqual(text["value"], {"type": "string", "enum": ["x", "y"]})
        self.assertEqual(self.one(value={"type": str, "pattern": "x+"})["value"]["pattern"], "x+")

    def test_parameters_and_deprecation_are_kept(self) -> None:
        one = self.one(name="a.{n}", parameters=[{"name": "n", "pattern": "1"}], deprecated=True)
        self.assertEqual(one["parameters"], [{"name": "n", "pattern": "1"}])
        self.assertEqual(one["status"], "deprecated")
        self.assertNotIn("status", self.one())

    def test_a_type_that_there_is_not_is_a_problem(self) -> None:
        with self.assertRaises(ImportProblem):
            document_of([validator(value={"type": float})])

    def test_the_package_answers_for_the_nova_of_its_own_python(self) -> None:
        said = io.StringIO()
        absent = mock.patch("kvrules.nova_import.installed", side_effect=ImportProblem("there is no Nova"))
        with mock.patch("sys.argv", ["kvrules", "import", "nova"]), contextlib.redirect_stderr(said), absent:
            self.assertEqual(__main__.main(), 2)
        self.assertEqual(said.getvalue(), "error: there is no Nova\n")


if __name__ == "__main__":
    unittest.main()
