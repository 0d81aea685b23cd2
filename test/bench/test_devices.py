# SPDX-License-Identifier: Apache-2.0
"""cucopy-bench devices on two simulated devices: the form of what it prints, and that every byte arrived. Never a time.

BENCH and SIM name the program and the folder of the simulated driver.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
import devices_table  # noqa: E402
import sentences  # noqa: E402

SAFE = {"safe", "safeOther", "safeNone"}
OWNER = {"owner", "ownerNone"}


def bench(*arguments, devices=2, **switches):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUSIM_", "CUCOPY_"))}
    environment.update(LD_LIBRARY_PATH=os.environ["SIM"], CUSIM_DEVICES=str(devices), **switches)
    return subprocess.run([os.environ["BENCH"], "devices", *arguments], env=environment, text=True, timeout=240,
                          capture_output=True, check=False)


class Devices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = bench("--json", "--repeat", "3", "--mib", "1")
        cls.measured = json.loads(cls.done.stdout)

    def cases(self, **wanted):
        return [case for case in self.measured["cases"] if all(case[name] == value for name, value in wanted.items())]

    def test_every_byte_arrives(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(self.measured["wrong"], 0)
        self.assertTrue(all(case["arrived"] for case in self.measured["cases"]))

    def test_it_says_where_and_how_it_was_measured(self):
        self.assertRegex(self.measured["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual(self.measured["devices"], ["cucopy simulated device 0", "cucopy simulated device 1"])
        self.assertEqual((self.measured["cudaVersion"], self.measured["repeats"]), (13000, 3))

    def test_each_route_is_taken_on_streams_of_either_device_single_and_in_a_batch_small_and_large(self):
        routes = {"plain0 -> plain1", "plain1 -> plain0", "pinned -> plain0", "pinned -> plain1", "pinned -> pool0",
                  "pinned -> pool1"}
        self.assertEqual({case["route"] for case in self.measured["cases"]}, routes)
        for route in routes:
            for stream in 0, 1:
                sizes = [(case["copies"], case["bytes"]) for case in self.cases(route=route, streamOf=stream, peers=False)]
                self.assertCountEqual(sizes, [(1, 64), (64, 64 * 64), (1, 1 << 20), (64, 1 << 20)])

    def test_between_the_devices_it_is_measured_again_with_peer_access(self):
        self.assertEqual({case["route"] for case in self.cases(peers=True)}, {"plain0 -> plain1", "plain1 -> plain0"})
        self.assertEqual(len(self.cases(peers=True)), 16)

    def test_what_the_streams_context_serves_goes_raw_and_safe_with_any_context_current(self):
        for case in self.cases(served=True):
            self.assertEqual(set(case["ways"]), {"raw"} | SAFE)
            for way in case["ways"].values():
                self.assertEqual(way["result"], "SUCCESS")

    def test_what_it_does_not_serve_is_refused_safe_and_goes_raw_and_under_the_owners_policy(self):
        cases = self.cases(served=False)
        self.assertEqual({(case["route"], case["streamOf"]) for case in cases},
                         {("pinned -> pool0", 1), ("pinned -> pool1", 0)})
        for case in cases:
            self.assertEqual(set(case["ways"]), {"raw"} | SAFE | OWNER)
            for name, way in case["ways"].items():
                self.assertEqual(way["result"], "INVALID_VALUE" if name in SAFE else "SUCCESS", name)

    def test_a_time_is_a_median_between_its_quartiles(self):
        for case in self.measured["cases"]:
            for way in case["ways"].values():
                for kind in ("issued", "done") if way["result"] == "SUCCESS" else ():
                    low, median, high = way[kind]
                    self.assertTrue(0 < low <= median <= high, (kind, way))

    def test_the_tables_have_a_row_for_each_case(self):
        text = bench("--repeat", "1", "--mib", "1")
        self.assertEqual(text.returncode, 0, text.stderr)
        rows = re.findall(r"^(?:plain|pinned)\S* -> \S+ +[01] +(?:on|off) +\d+ x \d+  .*$", text.stdout, re.M)
        self.assertEqual(len(rows), len(self.measured["cases"]))
        self.assertIn("64 cases, 0 with wrong bytes or another context current afterwards\n", text.stdout)
        self.assertNotIn("WRONG", text.stdout)

    def test_a_page_of_it_has_a_row_for_each_case_and_a_cell_for_each_way(self):
        rows = [line for line in devices_table.page(self.measured).splitlines() if "→" in line]
        self.assertEqual(len(rows), len(self.measured["cases"]))
        self.assertEqual({row.count("|") for row in rows}, {5 + len(devices_table.WAYS)})
        self.assertEqual(len([row for row in rows if row.count("INVALID_VALUE") == 3]), 8)

    def test_with_one_device_it_says_so_and_exits_with_77(self):
        alone = bench(devices=1)
        self.assertEqual((alone.returncode, alone.stdout), (77, ""))
        self.assertEqual(alone.stderr, "cucopy-bench: skipped: needs two devices, and there is 1\n")

    def test_a_driver_without_batches_has_none_to_compare_with(self):
        old = bench("--json", "--repeat", "1", "--mib", "1", CUSIM_DRIVER_VERSION="12000")
        self.assertEqual(old.returncode, 0, old.stderr)
        for case in json.loads(old.stdout)["cases"]:
            self.assertEqual(case["ways"]["raw"]["result"], "SUCCESS" if case["copies"] == 1 else "NOT_SUPPORTED")

    def test_a_copy_that_does_not_end_well_is_told(self):
        broken = bench("--json", "--repeat", "1", "--mib", "1", CUSIM_FAIL="cuStreamSynchronize:4:999")
        self.assertEqual(broken.returncode, 1)
        self.assertEqual(json.loads(broken.stdout)["wrong"], 1)

    def test_options_that_make_no_sense_are_refused(self):
        for arguments in ["--repeat", "0"], ["--mib", "0"], ["--fast"], ["--repeat"]:
            self.assertEqual(bench(*arguments).returncode, 2, arguments)


if __name__ == "__main__":
    sentences.run(Devices)
