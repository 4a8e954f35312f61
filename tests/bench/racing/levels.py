"""Which fixed levels are raced. By what they are, as their numbers change from version to version."""
import re
import subprocess

USUAL = ("raw", "lz4 1", "zstd -1", "zstd 1", "zstd 3", "zstd 5", "zstd 9", "zstd 13", "zstd 16", "zstd 19")
FEW = ("raw", "zstd -1", "zstd 3", "zstd 9", "zstd 19")
THREE = ("raw", "zstd -1", "zstd 9")


def ladder(bin_dir):
    """[(number, rung)] as adoc-send tells: (10, "zstd 1")."""
    lines = subprocess.run([f"{bin_dir}/adoc-send", "--list-levels"], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    matches = (re.match(r"\s*(\d+)\s+([a-z]\w*)(?:\s+(-?\d+))?", line) for line in lines)
    return [(int(m[1]), f"{m[2]} {m[3]}" if m[3] else m[2]) for m in matches if m]


def other_codecs(rungs):
    """The rungs of codecs of which nothing is in USUAL: three of each at most, from its first to its last."""
    known = {name.split()[0] for name in USUAL}
    found = []
    for codec in dict.fromkeys(rung.split()[0] for _, rung in rungs):
        same = [r for r in rungs if r[1].split()[0] == codec]
        if codec not in known:
            found += {same[0], same[len(same) // 2], same[-1]}
    return sorted(found)


def choose(rungs, names):
    """Those of the rungs with such names; for a name that is not there the codec's nearest setting."""
    chosen = []
    for name in names:
        codec, _, setting = name.partition(" ")
        same = [r for r in rungs if r[1].split()[0] == codec]
        if same:
            nearest = min(same, key=lambda r: abs(int((r[1].split() + ["0"])[1]) - int(setting or 0)))
            if nearest not in chosen:
                chosen.append(nearest)
    return sorted(chosen)
