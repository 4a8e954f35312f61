"""What of the race's command line cannot be meant is refused with 2; what follows from the rest."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from racing import families, link, options  # noqa: E402
from racing.data import MB  # noqa: E402


def parse(*words):
    return options.parse(list(words), "/checkout")


class Refused(unittest.TestCase):
    def refuses(self, said, *words):
        err = io.StringIO()
        with contextlib.redirect_stderr(err), self.assertRaises(SystemExit) as end:
            parse(*words)
        self.assertEqual(end.exception.code, 2)
        self.assertIn(said, err.getvalue())

    def test_builds_without_names_of_their_own(self):
        self.refuses("not a name", "--adoc", "a b=/x")
        self.refuses("names of their own", "--adoc", "/x", "--adoc", "/y")
        self.refuses("needs two of them", "--only", "builds", "--adoc", "/x")

    def test_paths_that_are_none(self):
        for path in ("100mbit", "100mbit:80:1%", "fast:80ms:1%", "none:80ms:1%",
                     "100mbit:80ms:1%:9", "1gbit:80ms:1%:100mbit", "1gbit:80ms:1%:100mbit/1",
                     "1gbit:80ms:1%:none/1MB", "1gbit:80ms:1%:100mbit/1MB:10ms"):
            self.refuses("not a path", "--wan", path)
        self.assertEqual(parse("--wan", "10mbit:1.5s:0.1%,1gbit:5ms:0%:50ms").only, ["wan"])
        for path in "1gbit:80ms:0%:100mbit/128kB", "1gbit:80ms:0%:10ms:100mbit/1MB":
            self.assertEqual(parse("--wan", path).wan, [path])
            self.assertEqual(link.wan_path(path), "100mbit")

    def test_what_is_of_unseen_data_only(self):
        self.refuses("needs --unseen", "--only", "unseen")
        for words in ("--families sql", "--make /x", "--cache /x", "--no-download"):
            self.refuses("goes with --unseen", *words.split())
        with tempfile.TemporaryDirectory() as folder:
            self.refuses("no DATA_DIR", "--unseen", "1", folder)

    def test_names_numbers_and_files_that_are_none(self):
        self.refuses("invalid choice", "--pin", "some")
        self.refuses("not one of", "--unseen", "1", "--families", "sql,novels")
        self.refuses("not a number", "--unseen", "1", "--budget", "0")
        self.refuses("cannot be read", "--unseen", "1", "--compare", "/no/such/file")


class Meant(unittest.TestCase):
    def test_without_a_word_all_sections_that_need_none(self):
        found = parse()
        self.assertNotIn("builds", found.only)
        self.assertNotIn("unseen", found.only)
        self.assertEqual(found.pin_settings, ("all processors",))
        self.assertEqual([build.bin for build in found.builds], ["/checkout/build"])

    def test_two_builds_are_raced_in_turns_with_both_settings_of_processors(self):
        found = parse("--adoc", "old=/x", "--adoc", "new=/y")
        self.assertEqual(found.only, ["builds"])
        self.assertEqual(len(found.pin_settings), 2)
        self.assertEqual(found.bin, "/y")  # what the other sections race

    def test_a_seed_asks_for_the_score_of_all_families(self):
        found = parse("--unseen", "1")
        self.assertEqual(found.only, ["unseen"])
        self.assertEqual(found.families, list(families.FAMILIES))
        self.assertEqual(found.limit("10mbit"), 8 * MB)
        self.assertIsNone(found.budget)

    def test_a_quick_one_has_few_families_and_little_time(self):
        found = parse("--unseen", "1", "--quick")
        self.assertLess(len(found.families), len(families.FAMILIES))
        self.assertLessEqual(found.budget, 5)

    def test_a_long_transfer_has_the_time_that_it_takes(self):
        found = parse("--unseen", "1", "--size", "64M")
        piece = type("Piece", (), {"bytes": found.limit("10mbit")})
        self.assertEqual(piece.bytes, 64 * MB)
        self.assertGreater(found.time_limit_of(piece, "10mbit"), 64 * 8 / 10 * 1.5)


if __name__ == "__main__":
    unittest.main()
