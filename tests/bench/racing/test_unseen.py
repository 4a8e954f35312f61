"""The data of a seed are the same bytes each time, and other bytes for another seed."""

import gzip
import pathlib
import random
import sqlite3
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from racing import families, unseen  # noqa: E402
from racing.materials import Materials  # noqa: E402

SIZE = 100_000
SUFFIXES = ("c", "so", "json", "html", "mo", "png", "zip", "csv")
ROWS = "\n\n".join(
    f"Package: p{i}\nVersion: 1.{i}\nSection: libs\nSize: {i * 77}\nDepends: p{i + 1}, libc6\n"
    f"Description: it's number {i}\n and\tmore\nFilename: pool/p{i}.deb\n"
    for i in range(500)
)


class Unseen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A machine of a few files, and a folder of what was cached."""
        cls.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.folder.name)
        chance = random.Random(1)
        for suffix in SUFFIXES:
            (root / "machine" / suffix).mkdir(parents=True)
            for number in range(50):
                (root / "machine" / suffix / f"{number}.{suffix}").write_bytes(
                    bytes(chance.choices(b"abcdef \n", k=1000))
                )
        (root / "machine" / "man").mkdir()
        (root / "machine" / "man" / "x.1.gz").write_bytes(gzip.compress(b"a page\n" * 1000))
        (root / "cache").mkdir()
        (root / "cache" / "packages.txt").write_text(ROWS, encoding="utf-8")
        (root / "cache" / "logs.txt").write_text("a line\n" * 1000, encoding="utf-8")

        cls.seven = cls.made("7")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def made(cls, seed, size=SIZE, wanted=tuple(families.FAMILIES)):
        root, notes = pathlib.Path(cls.folder.name), []
        materials = Materials(
            root / "cache", notes.append, download=False, machine=[str(root / "machine")]
        )
        with tempfile.TemporaryDirectory() as out:
            items = unseen.make(out, unseen.Wish(seed, list(wanted), size), materials, notes.append)
            return {item.name: pathlib.Path(item.path).read_bytes() for item in items}

    def test_each_family_is_the_same_each_time(self):
        again = self.made("7")
        self.assertEqual(list(again), list(families.FAMILIES))
        for family, content in again.items():
            self.assertEqual(len(content), SIZE)
            self.assertTrue(content == self.seven[family], family)

    def test_another_seed_makes_other_bytes(self):
        for family, content in self.made("8").items():
            self.assertFalse(content == self.seven[family], family)

    def test_a_family_does_not_depend_on_which_others_are_made(self):
        self.assertTrue(self.made("7", wanted=["logs"])["logs"] == self.seven["logs"])

    def test_more_of_a_seed_begins_with_less_of_it(self):
        for family, content in self.made("7", 2 * SIZE).items():
            self.assertTrue(content[:SIZE] == self.seven[family], family)

    def test_a_family_of_which_there_is_nothing_is_left_out_and_named(self):
        said = []
        with tempfile.TemporaryDirectory() as empty:
            materials = Materials(f"{empty}/cache", said.append, download=False, machine=[empty])
            self.assertEqual(
                unseen.make(
                    f"{empty}/out", unseen.Wish("7", ["images"], 10), materials, said.append
                ),
                [],
            )
        self.assertIn("family images is left out", " ".join(said))
        self.assertIn("made without the packages", " ".join(said))

    def test_some_families_of_a_seed_are_always_the_same(self):
        wanted = list(families.FAMILIES)
        self.assertEqual(unseen.some("7", wanted, 3), unseen.some("7", wanted, 3))
        self.assertGreater(len({tuple(unseen.some(str(seed), wanted, 3)) for seed in range(20)}), 5)

    def test_a_database_is_one(self):
        source = families.made_rows.Source(
            [{"Package": "a", "Version": "1", "Size": "3"}], random.Random(1)
        )
        content = families.sqlite_file(source, 100)
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            connection = sqlite3.connect(file.name)
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            connection.close()

    def test_a_dump_of_sqlite_can_be_read_back(self):
        materials = Materials(
            pathlib.Path(self.folder.name) / "cache", print, download=False, machine=[]
        )
        source = families.made_rows.Source(materials.rows, random.Random(1))
        dump = families.made_rows.sqlite_dump(source)
        statements = b"".join(next(dump) for _ in range(50)).decode()
        connection = sqlite3.connect(":memory:")
        connection.executescript(statements + "COMMIT;")
        self.assertEqual(connection.execute("SELECT count(*) FROM package").fetchone(), (49,))
        connection.close()


if __name__ == "__main__":
    unittest.main()
