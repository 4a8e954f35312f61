"""What is computed of recorded times: the score of the race on the unseen, and two runs
compared."""

import math
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from racing import compare, levels, pages, plan, score  # noqa: E402


def record(tool, group, median, **about):
    cell = {"pin": "all processors", "rate": "10mbit", "data": "sql", "bytes": 1000, "digest": "d"}
    time = {"median": median, "seconds": [median]} if median else {"longer_than": 9.0}
    return cell | {"tool": tool, "label": tool, "group": group} | time | about


def own(median, transfer="first", build="adoc", **about):
    return record(f"{build}-{transfer}", "adoc", median, build=build, transfer=transfer, **about)


class Score(unittest.TestCase):
    def test_it_is_the_mean_of_the_logarithm_over_the_best_of_each_cell(self):
        records = [
            own(2.0),
            record("nc", "peer", 4.0),
            record("zstd", "peer", 1.0),
            own(2.0, data="logs"),
            record("nc", "peer", 2.0, data="logs"),
            record("zstd", "peer", 8.0, data="logs"),
        ]
        cells = score.cells_of(records, "adoc", "first", "peer")
        self.assertAlmostEqual(score.mean(cells), (math.log(2) + math.log(1)) / 2)
        self.assertEqual([cell.best["tool"] for cell in cells], ["zstd", "nc"])

    def test_levels_and_tools_are_two_measures(self):
        records = [own(3.0), record("nc", "peer", 6.0), record("level-raw", "level", 2.0)]
        self.assertAlmostEqual(
            score.mean(score.cells_of(records, "adoc", "first", "peer")), math.log(0.5)
        )
        self.assertAlmostEqual(
            score.mean(score.cells_of(records, "adoc", "first", "level")), math.log(1.5)
        )

    def test_what_was_given_up_is_never_the_best(self):
        records = [own(3.0), record("scp", "peer", None), record("nc", "peer", 6.0)]
        self.assertEqual(score.cells_of(records, "adoc", "first", "peer")[0].best["tool"], "nc")

    def test_settings_and_links_are_cells_of_their_own(self):
        records = [
            own(1.0),
            record("nc", "peer", 1.0),
            own(1.0, pin="one processor each"),
            record("nc", "peer", 4.0, pin="one processor each"),
        ]
        cells = score.cells_of(records, "adoc", "first", "peer")
        self.assertAlmostEqual(score.mean(cells), math.log(1 / 4) / 2)

    def test_a_cell_in_which_adoc_failed_is_not_counted_as_won(self):
        records = [own(None), record("nc", "peer", 1.0)]
        self.assertEqual(score.cells_of(records, "adoc", "first", "peer"), [])

    def test_one_cell_in_twenty_may_be_above_the_95_percent_point(self):
        cells = [score.Cell((), float(i), {}) for i in range(1, 21)]
        self.assertEqual(score.point_95(cells), 19)

    def test_the_page_tells_score_worst_cell_and_bounds(self):
        records = [
            own(1.0, "later"),
            own(2.0),
            record("nc", "peer", 4.0),
            record("scp", "peer", None),
            record("level-raw", "level", 1.0),
        ]
        page = pages.section("unseen", records, True)
        self.assertIn(
            "adoc, first transfers: -0.6931 over the best other tool (times 0.500, 1 cells); "
            "+0.6931 over its own best fixed level (times 2.000, 1 cells)",
            page,
        )
        self.assertIn(
            "| all processors | 10 Mbit/s | later | 0.250 | 0.250 | 0.250 (sql, nc) | 1 | "
            "1.000 | 1.000 | 1.000 (sql, level-raw) | 1 |",
            page,
        )
        self.assertIn("| nc | 4.000 |", page)
        self.assertIn("| scp | > 9.000 |", page)

    def test_two_builds_have_a_score_each_and_their_ratio(self):
        records = [own(1.0, build="old"), own(2.0, build="new"), record("nc", "peer", 1.0)]
        page = pages.section("unseen", records, True)
        self.assertIn("old, first transfers: +0.0000", page)
        self.assertIn("new, first transfers: +0.6931", page)
        self.assertIn("| all cells |  |  | 2.000 |", page)

    def test_the_page_says_when_the_time_was_over_before_the_cells(self):
        records = [own(1.0, planned_cells=7), record("nc", "peer", 1.0, planned_cells=7)]
        self.assertIn("time was over: 1 of 7 cells", pages.section("unseen", records, True))
        records = [own(1.0, planned_cells=1), record("nc", "peer", 1.0, planned_cells=1)]
        self.assertNotIn("time was over", pages.section("unseen", records, True))

    def test_what_is_left_when_the_time_is_over_has_all_links(self):
        cells = plan.cells_of(["a", "b", "c"], ["10mbit", "none"], ["off", "on"], "7")
        self.assertEqual(len(set(cells)), 12)
        self.assertEqual({cell[0] for cell in cells[:4]}, {cells[0][0]})
        self.assertEqual(len({cell[1:] for cell in cells[:4]}), 4)
        self.assertEqual(
            cells, plan.cells_of(["a", "b", "c"], ["10mbit", "none"], ["off", "on"], "7")
        )


class Levels(unittest.TestCase):
    def test_a_codec_that_is_new_is_raced_from_its_first_level_to_its_last(self):
        rungs = [(0, "raw"), (1, "zstd 1"), *((2 + i, f"dense {2**i}") for i in range(5))]
        found = [rung for _, rung in levels.other_codecs(rungs)]
        self.assertEqual(found, ["dense 1", "dense 4", "dense 16"])


class Compared(unittest.TestCase):
    @staticmethod
    def run_of(*records, section="unseen"):
        return {"machine": {"date": "2000-01-01"}, "sections": {section: list(records)}}

    def test_it_is_the_geometric_mean_with_the_worst_cell(self):
        old = self.run_of(own(1.0), own(1.0, data="logs"))
        new = self.run_of(own(4.0), own(1.0, data="logs"))
        page = compare.page(old, new)
        self.assertIn("| all |  |  | 2.000 | 4.000 | 2 |", page)
        self.assertLess(page.index("| sql | 4.000 |"), page.index("| logs | 1.000 |"))

    def test_other_bytes_under_the_same_name_are_left_out(self):
        page = compare.page(self.run_of(own(1.0)), self.run_of(own(4.0, digest="other")))
        self.assertIn("same bytes: 0; left out: 1", page)

    def test_of_several_builds_the_last_one_counts(self):
        old = self.run_of(own(1.0, build="today"))
        new = self.run_of(own(9.0, build="today"), own(3.0, build="mine"))
        self.assertIn("| all |  |  | 3.000 | 3.000 | 1 |", compare.page(old, new))

    def test_the_usual_race_can_be_compared_too(self):
        cells = [record("adoc", "adoc", 2.0), record("nc", "peer", 1.0)]
        page = compare.page(
            self.run_of(*cells, section="cells"), self.run_of(*cells, section="cells")
        )
        self.assertIn("| all |  |  | 1.000 | 1.000 | 1 |", page)


if __name__ == "__main__":
    unittest.main()
