# SPDX-License-Identifier: Apache-2.0
"""A page of what `cucopy-bench devices --json` measured: docs/measurements/devices.json becomes devices.md beside it.

`python3 test/bench/devices_table.py --write` makes the page; without --write it says whether the page is what it would
make. With the name of another JSON file it prints that one's page.
"""
import json
import pathlib
import sys

MEASUREMENTS = pathlib.Path(__file__).resolve().parents[2] / "docs/measurements"
WAYS = {"raw": "raw", "safe": "safe", "safeOther": "safe, other current", "safeNone": "safe, none current",
        "owner": "owner", "ownerNone": "owner, none current"}
LARGE = 1 << 20


def issued(case, way):
    low, median, high = way["issued"]
    return f"{median:.2f} ({low:.2f}–{high:.2f})"


def bandwidth(case, way):
    low, median, high = (case["bytes"] / time * 1e-3 for time in reversed(way["done"]))
    return f"{median:.1f} ({low:.1f}–{high:.1f})"


def cell(case, name, what):
    way = case["ways"].get(name)
    if way is None:
        return "-"
    return what(case, way) if way["result"] == "SUCCESS" else way["result"]


def table(cases, what):
    head = "| route | stream of | peer access | copies × bytes | " + " | ".join(WAYS.values()) + " |\n|---|---|---|--:|"
    rows = [f"| {case['route'].replace('->', '→')} | {case['streamOf']} | {'on' if case['peers'] else 'off'} "
            f"| {case['copies']} × {case['bytes'] // case['copies']:,} | "
            + " | ".join(cell(case, name, what) for name in WAYS) + " |" for case in cases]
    return "\n".join([head + "--:|" * len(WAYS), *rows])


def page(run):
    small = [case for case in run["cases"] if case["bytes"] < LARGE]
    large = [case for case in run["cases"] if case["bytes"] >= LARGE]
    return "\n\n".join([
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        "# Between two devices, measured",
        f"{run['devices'][0]} and {run['devices'][1]}, CUDA driver {run['cudaVersion'] // 1000}."
        f"{run['cudaVersion'] % 1000 // 10}, {run['date']}; `cucopy-bench devices --json` wrote "
        "[devices.json](devices.json), and this page is made from it by "
        "[devices_table.py](../../test/bench/devices_table.py). Medians, and in brackets the quartiles, of "
        f"{run['repeats']} calls, a fifth of that for the large ones, the stream idle before each. `raw` has a context "
        "current that serves; `other` is the other device's. [two-devices.md](../two-devices.md) tells what is what.",
        "## What a small copy costs its caller", "Microseconds until the call returned.", table(small, issued),
        "## What a large copy moves", "Gigabytes a second until the copies were done.", table(large, bandwidth),
    ]) + "\n"


def main():
    names = [name for name in sys.argv[1:] if name != "--write"]
    if names:
        print(page(json.loads(pathlib.Path(names[0]).read_text(encoding="utf-8"))), end="")
        return
    source, target = MEASUREMENTS / "devices.json", MEASUREMENTS / "devices.md"
    if not source.exists():
        print("skipped: nothing between two devices has been measured")
        sys.exit(77)
    text = page(json.loads(source.read_text(encoding="utf-8")))
    if "--write" in sys.argv:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        sys.exit(f"{target} is not what devices.json gives: run python3 {sys.argv[0]} --write")


if __name__ == "__main__":
    main()
