"""The program is found and asked, and where it does not answer the reason is told."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from kvrules import ProgramError, find_executable, pages
from tests import sample


class ProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def asked(self) -> list[str]:
        return (self.directory / "asked").read_text(encoding="utf-8").splitlines()

    def test_the_program_gets_arguments_first_and_paths_behind_dashes(self) -> None:
        program = sample.program(self.directory, sample.document())
        found = pages(["-a.yaml", "b"], executable=program, arguments=["--schema", "s"])
        self.assertEqual(found, sample.document())
        self.assertEqual(self.asked(), ["docs --format json --relative-to . --schema s -- -a.yaml b"])

    def test_without_paths_the_configuration_of_the_program_counts(self) -> None:
        pages([], executable=sample.program(self.directory, sample.document()))
        self.assertEqual(self.asked(), ["docs --format json --relative-to ."])

    def test_a_failure_tells_what_the_program_said(self) -> None:
        program = sample.program(self.directory, {}, status=2, stderr="error: file `x` not found\n")
        with self.assertRaisesRegex(ProgramError, "^error: file `x` not found$"):
            pages(["x"], executable=program)

    def test_an_answer_of_another_form_is_refused(self) -> None:
        for answer in ({}, [], 1):
            program = sample.program(self.directory, answer)
            with self.subTest(answer), self.assertRaises(ProgramError):
                pages(["x"], executable=program)

    def test_a_chosen_program_that_is_missing_is_an_error(self) -> None:
        with self.assertRaisesRegex(ProgramError, "no-such-program"):
            find_executable("no-such-program")

    def test_the_program_beside_the_package_comes_before_the_path(self) -> None:
        beside = self.directory / "kvrules"
        beside.touch()
        with mock.patch("sysconfig.get_path", return_value=str(self.directory)):
            self.assertEqual(find_executable(), str(beside))


if __name__ == "__main__":
    unittest.main()
