# SPDX-License-Identifier: Apache-2.0
"""The documents say what is so: their C is the examples', their links lead somewhere, their output is the doctor's.

`python3 test/tool/test_documents.py --write`, with DOCTOR and SIM as for the tests, puts the output of today into them.
"""
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import unittest

import sentences

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]
EXAMPLES = sorted((SOURCE / "docs/examples").glob("*.c"))

# A block of output: <!-- CUSIM_DEVICES=1 cucopy-doctor | from "entries" to "" -->, and below it the fence. The page shows
# the lines from the first that begins so to before the next that does; to "" means to the first empty one.
OUTPUT = re.compile(r"(<!-- (?P<command>(?:[A-Z_]+=\S+ )*cucopy-doctor[^|>]*?)"
                    r"(?: \| from \"(?P<start>[^\"]*)\" to \"(?P<end>[^\"]*)\")? -->\n```text\n)(?P<text>.*?)```", re.S)


def lines(text):
    """Without indentation that is common to all, and without empty lines at the ends."""
    return textwrap.dedent(text).strip("\n").split("\n")


def is_run(part, whole):
    """Whether the lines of part stand together somewhere in whole, as far in as they like."""
    length = len(part)
    return any(lines("\n".join(whole[at:at + length])) == part for at in range(len(whole) - length + 1))


def output(command):
    """What the doctor prints, with what differs from run to run and from machine to machine replaced."""
    *switches, program = re.split(r" (?=cucopy-doctor)", command)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUSIM_", "CUCOPY_"))}
    environment.update(pair.split("=", 1) for pair in " ".join(switches).split())
    environment["LD_LIBRARY_PATH"] = os.environ["SIM"]
    text = subprocess.run([os.environ["DOCTOR"], *program.split()[1:]], env=environment, text=True, timeout=240,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    text = text.replace(os.path.realpath(os.environ["SIM"]), "build/dev/test/sim")
    return re.sub(r"0x[0-9a-f]+", "0x…", text)


def shown(match):
    text = output(match["command"])
    if match["start"] is None:
        return text
    everything = text.splitlines()
    start = next(i for i, line in enumerate(everything) if line.startswith(match["start"]))
    part = []
    for line in everything[start:]:
        if part and (line.startswith(match["end"]) if match["end"] else not line):
            break
        part.append(line)
    return "\n".join(part).rstrip("\n") + "\n"


class Documents(unittest.TestCase):
    maxDiff = None

    def test_c_in_the_documents_is_c_of_the_examples(self):
        blocks = 0
        for page in PAGES:
            for block in re.findall(r"```c\n(.*?)```", page.read_text(), re.S):
                # Paragraphs of a block are places of one example, in any distance from each other.
                paragraphs = [lines(paragraph) for paragraph in block.strip("\n").split("\n\n")]
                found = [example.name for example in EXAMPLES
                         if all(is_run(paragraph, example.read_text().split("\n")) for paragraph in paragraphs)]
                self.assertTrue(found, f"{page.name} shows C that is in no example:\n{block}")
                blocks += 1
        self.assertGreater(blocks, 4)

    def test_the_readme_has_c_of_both_layers(self):
        c = "".join(re.findall(r"```c\n(.*?)```", (SOURCE / "README.md").read_text(), re.S))
        self.assertIn("cudrvMemcpyHtoDAsync", c)
        self.assertIn("cucopyMemcpyHtoDAsync", c)

    def test_cmake_in_the_readme_is_what_the_consumer_tests_do(self):
        consumer = (SOURCE / "test/consumer/find_package/CMakeLists.txt").read_text()
        for words in "find_package(cucopy 0.1 CONFIG REQUIRED", "PRIVATE cucopy::cucopy)":
            self.assertIn(words, (SOURCE / "README.md").read_text())
            self.assertIn(words, consumer)

    def test_the_readme_counts_the_functions_of_the_raw_layer(self):
        rows = re.findall(r"^CUDRV_ENTRY", (SOURCE / "src/drv/entries.h").read_text(), re.M)
        self.assertIn(f"`cudrvMemcpyAsync`, {len(rows)} in all", (SOURCE / "README.md").read_text())

    def test_links_lead_to_files_and_headings(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                if "://" in target:
                    continue
                name, _, heading = target.partition("#")
                file = (page.parent / name) if name else page
                self.assertTrue(file.exists(), f"{page.name} links to {target}")
                if heading:
                    headings = [re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
                                for line in file.read_text().splitlines() if line.startswith("#")]
                    self.assertIn(heading, headings, f"{page.name} links to {target}")

    def test_every_page_and_example_is_in_the_index(self):
        index = (SOURCE / "docs/README.md").read_text()
        for file in [*(SOURCE / "docs").glob("*.*"), *EXAMPLES]:
            if file.name != "README.md":
                self.assertIn(f"({file.relative_to(SOURCE / 'docs')})", index)

    def test_functions_of_cucopy_that_are_named_exist(self):
        headers = "".join(file.read_text() for file in (SOURCE / "include/cucopy").glob("*.h"))
        known = set(re.findall(r"\b(?:cudrv|cucopy|CUCOPY_)\w+", headers))
        for page in PAGES:
            for name in re.findall(r"\b(?:cudrv|cucopy)[A-Z]\w+\b(?!…)|\bCUCOPY_[A-Z]+_[A-Z]\w+", page.read_text()):
                self.assertTrue(name in known, f"{page.name} names {name}")

    def test_output_in_the_documents_is_what_the_doctor_prints(self):
        blocks = 0
        for page in PAGES:
            for match in OUTPUT.finditer(page.read_text()):
                self.assertEqual(match["text"], shown(match), f"{page.name}: see the top of test_documents.py")
                blocks += 1
        self.assertGreater(blocks, 2)


def write():
    for page in PAGES:
        text = page.read_text()
        page.write_text(OUTPUT.sub(lambda match: match[1] + shown(match) + "```", text))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        sentences.run(Documents)
