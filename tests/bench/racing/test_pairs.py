"""What is computed of two builds that ran in turns, and which processors the ends get."""

import math
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from racing import builds, pages, pairs, pins  # noqa: E402


def record(build, seconds, **about):
    cell = {"pin": "all processors", "rate": "10mbit", "transfer": "first", "data": "x"} | about
    return cell | {"build": build, "seconds": seconds, "bytes": 1000}


class Pairs(unittest.TestCase):
    def test_a_slow_pair_does_not_count_against_the_build_that_met_it(self):
        (ratio,) = pairs.of_cells(
            [record("old", [1, 10, 1]), record("new", [1.1, 11, 1.1])], "old"
        )["new"]
        self.assertAlmostEqual(math.exp(ratio.log), 1.1)
        self.assertAlmostEqual(ratio.error, 0)

    def test_cells_have_the_same_weight_however_many_pairs_they_have(self):
        records = [
            record("old", [1] * 9),
            record("new", [2] * 9),
            record("old", [4], data="y"),
            record("new", [2], data="y"),
        ]
        both = pairs.together(pairs.of_cells(records, "old")["new"])
        self.assertAlmostEqual(both.log, 0)

    def test_the_standard_error_is_of_the_mean_of_pairs(self):
        (ratio,) = pairs.of_cells([record("old", [1, 1]), record("new", [1, math.e])], "old")["new"]
        self.assertAlmostEqual(ratio.log, 0.5)
        self.assertAlmostEqual(ratio.error, 0.5)
        # Two pairs tell nearly nothing: 12.71 standard errors to either side.
        self.assertEqual(ratio.interval(), f"{math.exp(0.5 - 6.355):.3f}–{math.exp(6.855):.0f}")

    def test_one_pair_has_no_interval(self):
        (ratio,) = pairs.of_cells([record("old", [1]), record("new", [2])], "old")["new"]
        self.assertEqual(ratio.interval(), "?")

    def test_the_page_names_the_worst_cell_first(self):
        records = [
            record("old", [1, 1]),
            record("new", [1, 1]),
            record("old", [1, 1], data="y"),
            record("new", [3, 3], data="y"),
        ]
        page = pages.section("builds", records, True)
        self.assertIn("| all cells |  |  | 1.732 | 1.732–1.732 | 3.000 | y | 2 |", page)
        worst = page.split("Its worst cells")[1]
        self.assertLess(worst.index("| y | 3.000 |"), worst.index("| x | 1.000 |"))

    def test_a_cell_where_a_build_failed_is_left_out(self):
        records = [
            record("old", [1]),
            {"build": "new", "data": "x", "error": "it broke"},
            record("old", [1], data="y"),
            record("new", [2], data="y"),
        ]
        (ratio,) = pairs.of_cells(records, "old")["new"]
        self.assertEqual(ratio.about[3], "y")

    def test_who_runs_second_runs_first_next(self):
        self.assertEqual(
            [builds.order(["old", "new"], n)[0] for n in range(3)], ["old", "new", "old"]
        )


class Processors(unittest.TestCase):
    def test_the_ends_are_on_two_cores_where_there_are_two(self):
        self.assertEqual(pins.two_processors({0, 1, 2, 3}, lambda cpu: {0, 1}), (0, 2))

    def test_two_halves_of_one_core_are_better_than_one(self):
        self.assertEqual(pins.two_processors({4, 5}, lambda cpu: {4, 5}), (4, 5))

    def test_one_processor_cannot_be_two(self):
        self.assertIsNone(pins.two_processors({3}, lambda cpu: {3}))

    def test_each_setting_is_a_page_of_its_own_where_the_section_has_no_word_for_it(self):
        records = [
            {
                "pin": pin,
                "rate": "10mbit",
                "tool": "adoc",
                "label": "AdOC",
                "group": "adoc",
                "data": "x",
                "bytes": 5,
                "error": "it broke",
            }
            for pin in pins.SETTINGS["both"]
        ]
        page = pages.section("naive", records, True)
        self.assertIn("Processors: all processors.", page)
        self.assertIn("Processors: one processor each.", page)


if __name__ == "__main__":
    unittest.main()
