"""What the section about the number of connections makes of times."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from racing import streams  # noqa: E402


def record(label, seconds):
    return {"path": "p", "bytes": 25_000_000, "label": label, "median": seconds,
            "seconds": [seconds], "group": "level"}


AUTO = record("auto", 2.2) | {"group": "adoc", "seconds": [2.0, 2.2, 2.4], "ended": [2, 3, 3]}


class Law(unittest.TestCase):
    def test_the_fewest_are_those_whose_rate_is_within_a_twentieth_of_the_best(self):
        found = streams.law([record("1", 4), record("2", 2.09), record("3", 2), record("4", 2.05),
                             AUTO])
        self.assertEqual(found["fewest"], 2)
        self.assertAlmostEqual(found["ratio"], 2 / 2.2)
        self.assertEqual(found["within"], 1)
        found = streams.law([record("1", 4), record("2", 2.12), record("3", 2), AUTO])
        self.assertEqual(found["fewest"], 3)

    def test_a_row_says_what_auto_ended_with(self):
        page = streams.page([record("1", 4), record("2", 2), AUTO])
        self.assertIn("| p | 50.0 | 100.0 | 90.9 | 2 | 2 3 3 | 3 | 0.91 | 1 of 3 |", page)

    def test_what_failed_leaves_a_gap(self):
        failed = record("1", 4)
        del failed["median"]
        self.assertIn("| p |  | 100.0 |", streams.page([failed, record("2", 2), AUTO]))
        self.assertIsNone(streams.law([failed, AUTO]))

    def test_the_last_decision_of_a_trace_tells(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("time_s,reason,streams\n1,\"a, b\",1\n2,c,4\n3,c,2\n")
            file.flush()
            self.assertEqual(streams.ended_with(file.name), 2)


if __name__ == "__main__":
    unittest.main()
