# SPDX-License-Identifier: Apache-2.0
"""Tables of what `cucopy-bench batch --json` measured: docs/measurements/batches.json becomes batches.md beside it.

`python3 test/bench/batch_table.py --write` makes the page; without --write it says whether the page is what it would make.
"""
import json
import pathlib
import re
import sys

MEASUREMENTS = pathlib.Path(__file__).resolve().parents[2] / "docs/measurements"
WAYS = ["loop", "driver", "asked", "cub", "cucopy"]
GRID = re.compile(r"(DtoD|HtoD|DtoH) (\d+) x (\d+)")
LARGEST_OF_GRID = 4096
DIRECTIONS = {"DtoD": "Device to device", "HtoD": "Pinned host to device", "DtoH": "Device to pinned host"}


def cells(case):
    times = [f"{case[way]:,.1f}" if way in case else "-" for way in WAYS]
    low, high = case["cucopySpread"]
    return " | ".join([*times, f"{low:,.1f} – {high:,.1f}", f"{case['cucopyIssued']:,.1f}", f"{case['ratio']:.2f}"])


def table(first, rows):
    columns = [*WAYS, "middle half", "issued", "of best"]
    head = f"| {first} | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns)
    return "\n".join([head, *(f"| {name} | {cells(case)} |" for name, case in rows)])


def page(run):
    parts = [
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        "# Batches, measured",
        f"{run['device']}, CUDA driver {run['cudaVersion'] // 1000}.{run['cudaVersion'] % 1000 // 10}, {run['date']}; "
        f"`cucopy-bench batch --json` wrote [batches.json](batches.json), and this page is made from it by "
        "[batch_table.py](../../test/bench/batch_table.py). Microseconds from the call to the end of the last copy, the "
        f"stream idle before; medians of {run['repeats']}, and of {10 * run['repeats']} where the loop takes less than "
        "200 µs; the middle half of cucopy's times lies in what is given. `asked` is the driver's batch call after the "
        "four questions about stream, context and allocations that so few safe copies take. `issued` is when cucopy's call returned; "
        "`of best` is its time over the better of loop and driver's batch. Blocks lie in a random order on both sides. "
        "[batches.md](../batches.md) tells what is what; [batch-thresholds.json](batch-thresholds.json) is the "
        "run of `cucopy-bench batch --thresholds --json` that the automatic choice was made from.",
        f"Once in a process the kernels are made for the device: {run['firstSmallBatch'] / 1000:,.0f} ms for the first "
        f"small batch, {run['firstLargeBatch'] / 1000:,.0f} ms more for the first large one, with nothing in the "
        f"driver's cache on disk. Asking the driver about 320 allocations: {run['askingAbout320Allocations']:.0f} µs.",
    ]
    cases = [(GRID.fullmatch(case["case"]), case) for case in run["cases"]]
    for direction, title in DIRECTIONS.items():
        rows = [(f"{int(match[2]):,} × {int(match[3]):,}", case) for match, case in cases
                if match and match[1] == direction and case["copies"] <= LARGEST_OF_GRID]
        parts += [f"## {title}", table("copies × bytes", rows)]
    others = [(case["case"].replace(" x ", " × "), case) for match, case in cases
              if not match or case["copies"] > LARGEST_OF_GRID]
    parts += ["## Other lists", table("copies", others)]
    return "\n\n".join(parts) + "\n"


def main():
    text = page(json.loads((MEASUREMENTS / "batches.json").read_text(encoding="utf-8")))
    target = MEASUREMENTS / "batches.md"
    if "--write" in sys.argv:
        target.write_text(text, encoding="utf-8")
    elif target.read_text(encoding="utf-8") != text:
        sys.exit(f"{target} is not what batches.json gives: run python3 {sys.argv[0]} --write")


if __name__ == "__main__":
    main()
