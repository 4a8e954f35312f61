"""The numbers of a seed are the same each time and others for another seed, and what they say."""

import array
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from racing import typed  # noqa: E402

SIZE = 100_000


class Numbers(unittest.TestCase):
    def made(self, seed, wanted=lambda name: True):
        with tempfile.TemporaryDirectory() as folder:
            found = typed.make(folder, wanted, SIZE, seed)
            return {item.name: pathlib.Path(item.path).read_bytes() for item in found}

    def test_a_seed_makes_the_same_bytes(self):
        first = self.made(1)
        self.assertEqual(set(first), set(typed.KINDS))
        self.assertEqual(first, self.made(1))
        other = self.made(2)
        for name, content in first.items():
            self.assertEqual(len(content), SIZE)
            self.assertNotEqual(content, other[name])

    def test_only_what_is_wanted(self):
        self.assertEqual(set(self.made(1, lambda name: name.endswith("i32"))), {"keys.i32"})

    def test_they_are_numbers_of_their_type(self):
        made = self.made(1)
        times = array.array("q", made["times.i64"])
        self.assertTrue(all(1_000_000 <= b - a < 1_100_000 for a, b in zip(times, times[1:])))
        self.assertTrue(all(0 <= key < 1 << 18 for key in array.array("i", made["keys.i32"])))
        walk = array.array("d", made["walk.f64"])
        self.assertTrue(all(abs(b - a) <= 0.5 for a, b in zip(walk, walk[1:])))
        field = array.array("f", made["field.f32"])
        self.assertTrue(all(abs(b - a) < 0.1 for a, b in zip(field, field[1:])))
        exponents = [number >> 7 & 0xFF for number in array.array("H", made["weights.bf16"])]
        self.assertTrue(all(exponent < 127 for exponent in exponents))


if __name__ == "__main__":
    unittest.main()
