# SPDX-License-Identifier: Apache-2.0
"""cucopy-doctor on simulated drivers: what it says, what its JSON claims, and how it exits.

DOCTOR is the program, SIM the folder of the simulated libcuda.so.1, with the older editions in folders below it, and
CRASHING the folder of one that crashes.
"""
import functools
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

import sentences

DOCTOR = os.environ["DOCTOR"]
SIM = pathlib.Path(os.environ["SIM"])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
UNIFIED = {
    "cuMemcpyAsync", "cuMemcpy2DAsync", "cuMemcpy3DAsync", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync",
}
CLOSED = ["vmm_without_access"]
BATCHES = {"cuMemcpyBatchAsync", "cuMemcpy3DBatchAsync"}
NEWEST = {"cuMemcpyWithAttributesAsync", "cuMemcpy3DWithAttributesAsync"}


def environment(folder=SIM, **switches):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CUSIM_", "CUCOPY_"))}
    kept.pop("NO_COLOR", None)
    return {**kept, "LD_LIBRARY_PATH": str(folder), **switches}


@functools.lru_cache(maxsize=None)
def doctor(*options, folder=SIM, **switches):
    """Once for all tests that want the same; it is one process with one answer."""
    return subprocess.run([DOCTOR, *options], env=environment(folder, **switches), text=True, errors="surrogateescape",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240, check=False)


def findings(*options, **switches):
    return json.loads(doctor("--json", *options, **switches).stdout)


def trials(report, functions=None, kinds=None, **wanted):
    """The trials of these functions on these kinds of memory that have, say, current="none" and layer="raw"."""
    return [
        trial
        for copy in report["copies"]
        if functions is None or copy["function"] in functions
        if copy["must_fail"] == (kinds == CLOSED) or kinds is None
        if kinds is None or {copy["from"], copy["to"]} & set(kinds)
        for trial in copy["trials"]
        if all(trial[key] == value for key, value in wanted.items())
    ]


class Doctor(unittest.TestCase):
    maxDiff = None

    def assertAll(self, some, **expected):
        self.assertTrue(some, "there is no such trial")
        for trial in some:
            self.assertEqual({key: trial[key] for key in expected}, expected, trial)

    # ---- The verdict on a good driver ----

    def test_every_safe_copy_works_on_two_devices_and_the_exit_status_is_0(self):
        told = doctor()
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        self.assertIn("none went wrong", told.stdout)
        self.assertIn("the same after every safe copy", told.stdout)

    def test_pool_memory_of_device_1_is_refused_raw_while_device_0_is_current(self):
        some = trials(findings(), UNIFIED, ["pool"], current="other", layer="raw")
        self.assertAll(some, outcome="refused", result="CUDA_ERROR_INVALID_VALUE", bytes_moved_although_refused=False)

    def test_pool_memory_of_device_1_arrives_safe_whatever_is_current(self):
        self.assertAll(trials(findings(), UNIFIED, ["pool"], layer="safe"), outcome="arrived", stack_kept=True)

    def test_mapped_memory_behaves_as_pool_memory_does(self):
        report = findings()
        self.assertAll(trials(report, UNIFIED, ["vmm"], current="other", layer="raw"), outcome="refused")
        self.assertAll(trials(report, UNIFIED, ["vmm"], layer="safe"), outcome="arrived")

    def test_plain_memory_arrives_raw_too(self):
        self.assertAll(trials(findings(), UNIFIED, ["plain"], current="other", layer="raw"), outcome="arrived")

    def test_a_batch_with_no_context_is_refused_raw_and_arrives_safe(self):
        for devices in "1", "2":
            report = findings(CUSIM_DEVICES=devices)
            possible = ["plain", "pool", "vmm"]
            self.assertAll(trials(report, BATCHES, possible, current="none", layer="raw"), outcome="refused",
                           result="CUDA_ERROR_INVALID_VALUE")
            self.assertAll(trials(report, BATCHES, possible, layer="safe"), outcome="arrived")

    def test_memory_that_nobody_may_access_crashes_raw_with_no_context_and_is_an_error_safe(self):
        report = findings()
        crashed = trials(report, UNIFIED, CLOSED, current="none", layer="raw")
        self.assertAll(crashed, outcome="crashed", result=None)
        self.assertTrue(all(trial["signal"] for trial in crashed))
        self.assertAll(trials(report, UNIFIED, CLOSED, layer="safe"), outcome="refused",
                       result="CUDA_ERROR_INVALID_VALUE", stack_kept=True)

    def test_after_a_crash_it_goes_on_with_the_next_copy(self):
        report = findings()
        self.assertTrue(trials(report, outcome="crashed"))
        self.assertFalse(trials(report, outcome="not_tried"))

    def test_expected_crashes_leave_standard_error_empty(self):
        self.assertEqual(doctor().stderr, "")

    def test_all_twelve_copies_are_tried_and_the_two_newest_where_the_driver_has_them(self):
        report = findings()
        self.assertEqual(len({copy["function"] for copy in report["copies"]} - NEWEST), 12)
        self.assertAll(trials(report, NEWEST, layer="raw"), outcome="absent")
        self.assertFalse(trials(findings(CUSIM_DRIVER_VERSION="13020"), NEWEST, outcome="absent"))

    def test_the_verdict_counts_what_the_trials_say(self):
        report = findings()
        verdict = report["verdict"]
        raw = trials(report, layer="raw")
        safe = trials(report, layer="safe")
        self.assertEqual(verdict["raw_tried"], sum(trial["outcome"] != "absent" for trial in raw))
        self.assertEqual(verdict["raw_refused"], sum(trial["outcome"] == "refused" for trial in raw))
        self.assertEqual(verdict["raw_crashed"], sum(trial["outcome"] == "crashed" for trial in raw))
        self.assertEqual(verdict["safe_tried"], len(safe))
        self.assertEqual(verdict["safe_arrived"], sum(trial["outcome"] == "arrived" for trial in safe))
        self.assertEqual(verdict["safe_arrived"] + verdict["safe_refused_as_it_must_be"], verdict["safe_tried"])

    # ---- Devices ----

    def test_on_one_device_the_other_context_is_of_that_device_and_every_safe_copy_works(self):
        told = doctor("--json", CUSIM_DEVICES="1")
        report = json.loads(told.stdout)
        self.assertEqual(told.returncode, 0)
        self.assertEqual((len(report["devices"]), report["device"], report["other_device"]), (1, 0, 0))
        self.assertAll(trials(report, UNIFIED, ["pool"], current="other", layer="raw"), outcome="arrived")

    def test_the_stream_is_on_the_device_that_was_asked_for(self):
        report = findings("--device", "0")
        self.assertEqual((report["device"], report["other_device"]), (0, 1))
        report = findings("--device", "2", CUSIM_DEVICES="3")
        self.assertEqual((report["device"], report["other_device"]), (2, 0))
        self.assertEqual(report["verdict"]["safe_wrong"], 0)

    def test_devices_are_listed_with_name_memory_capability_and_place(self):
        for device in findings(CUSIM_DEVICES="3")["devices"]:
            self.assertTrue(device["name"])
            self.assertGreater(device["memory"], 1 << 30)
            self.assertGreater(device["compute_capability_major"], 0)
            self.assertRegex(device["pci"], r"^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$")

    def test_it_says_which_driver_it_is_and_that_it_is_the_simulated_one(self):
        driver = findings()["driver"]
        self.assertEqual(driver, {"path": str(SIM / "libcuda.so.1"), "version": 13000, "simulated": True, "problem": None,
                                  "remedy": None})
        self.assertIn("the simulated one, CUDA 13.0", doctor().stdout)

    # ---- Wrong usage ----

    def test_a_device_that_does_not_exist_is_wrong_usage(self):
        told = doctor("--device", "7")
        self.assertEqual((told.returncode, told.stdout), (2, ""))
        self.assertIn("there is no device 7; this driver has 2", told.stderr)

    def test_what_is_no_number_no_option_or_too_much_is_wrong_usage(self):
        for options in ["--device", "one"], ["--device", "-1"], ["--device", ""], ["--device"], ["--colour"], ["now"]:
            told = doctor(*options)
            self.assertEqual((told.returncode, told.stdout), (2, ""), options)
            self.assertTrue(told.stderr)

    def test_help_and_version_need_no_driver(self):
        with tempfile.TemporaryDirectory() as empty:
            for option, expected in ("--help", "--device N"), ("--version", "cucopy-doctor 0."):
                told = doctor(option, folder=empty)
                self.assertEqual(told.returncode, 0)
                self.assertIn(expected, told.stdout)

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w") as full:
            told = subprocess.run([DOCTOR], env=environment(), stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(told.returncode, 1)

    # ---- No driver to use ----

    def assertNoDriver(self, sentence, **switches):
        told = doctor(**switches)
        self.assertEqual(told.returncode, 3, told.stdout)
        self.assertIn(sentence, re.sub(r"\s+", " ", told.stdout))
        told = doctor("--json", **switches)
        self.assertEqual(told.returncode, 3)
        driver = json.loads(told.stdout)["driver"]
        self.assertIn(sentence, driver["problem"])
        return driver

    def test_a_file_that_is_no_library_is_no_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "libcuda.so.1").write_text("not a library\n" * 100)
            driver = self.assertNoDriver("cannot load the CUDA driver", folder=folder)
        self.assertIn("Install the NVIDIA driver", driver["remedy"])

    def test_the_stub_of_the_toolkit_is_no_driver_and_its_path_is_told(self):
        self.assertNoDriver(f"{SIM}/stub/libcuda.so.1 is the CUDA Toolkit's stub", folder=SIM / "stub")

    def test_a_driver_that_crashes_when_it_is_loaded_cannot_be_used(self):
        self.assertNoDriver("the driver crashed (signal 11) while it was made ready", folder=os.environ["CRASHING"])

    def test_a_driver_without_devices_cannot_be_used(self):
        self.assertNoDriver("CUDA_ERROR_NO_DEVICE", CUSIM_DEVICES="0")
        driver = self.assertNoDriver("CUDA_ERROR_NO_DEVICE", CUSIM_DEVICES="0", CUDA_VISIBLE_DEVICES="")
        self.assertIn("CUDA_VISIBLE_DEVICES", driver["remedy"])

    def test_a_driver_that_does_not_start_tells_its_code(self):
        self.assertNoDriver("cuInit says CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", CUSIM_FAIL="cuInit:1:803")

    def test_a_driver_before_9_2_is_too_old(self):
        driver = self.assertNoDriver("This driver (CUDA 9.0) has no cuStreamGetCtx", folder=SIM / "plain",
                                     CUSIM_DRIVER_VERSION="9000")
        self.assertIn("9.2", driver["remedy"])

    # ---- Older drivers, and missing entry points ----

    def test_an_entry_point_that_is_missing_is_listed_and_costs_nothing_else(self):
        report = findings(CUSIM_MISSING="cuMemcpyPeerAsync")
        missing = {entry["name"]: entry["version"] for entry in report["functions"]["missing"]}
        self.assertEqual(missing["cuMemcpyPeerAsync"], 4000)
        self.assertAll(trials(report, ["cuMemcpyPeerAsync"], layer="raw"), outcome="absent")
        self.assertAll(trials(report, ["cuMemcpyPeerAsync"], layer="safe"), result="CUDA_ERROR_NOT_SUPPORTED")
        self.assertAll(trials(report, UNIFIED, ["pool"], layer="safe"), outcome="arrived")
        self.assertEqual(report["verdict"]["safe_wrong"], 0)

    def test_what_is_missing_came_with_a_later_version_than_the_drivers(self):
        for version in 12000, 12040, 12080, 13000:
            report = findings(CUSIM_DRIVER_VERSION=str(version))
            self.assertEqual(report["driver"]["version"], version)
            self.assertTrue(all(entry["version"] > version for entry in report["functions"]["missing"]))
            self.assertTrue(report["functions"]["missing"])

    def test_drivers_of_11_work_as_far_as_they_go(self):
        for folder, version in ("getproc1", "11040"), ("getproc1", "11080"), ("plain", "11020"):
            told = doctor("--json", folder=SIM / folder, CUSIM_DRIVER_VERSION=version)
            report = json.loads(told.stdout)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertEqual(report["driver"]["version"], int(version))
            self.assertAll(trials(report, BATCHES, layer="raw"), outcome="absent")
            self.assertAll(trials(report, UNIFIED, ["pool"], layer="safe"), outcome="arrived")

    def test_a_driver_without_pools_is_told_as_such_and_its_other_copies_are_tried(self):
        old = {"folder": SIM / "plain", "CUSIM_DRIVER_VERSION": "10020"}
        report = findings(**old)
        self.assertFalse(trials(report, kinds=["pool"]))
        self.assertAll(trials(report, UNIFIED, ["vmm"], layer="safe"), outcome="arrived")
        told = doctor(**old)
        self.assertEqual(told.returncode, 0)
        self.assertIn("no pool memory: cuMemAllocAsync gave CUDA_ERROR_NOT_SUPPORTED", told.stdout)

    # ---- When the safe layer is not right ----

    def test_a_pop_that_fails_is_a_changed_stack_and_exit_status_1(self):
        # The doctor's own pop comes first where there is one device, so this is on two.
        told = doctor("--json", CUSIM_FAIL="cuCtxPopCurrent:1:201")
        self.assertEqual(told.returncode, 1)
        report = json.loads(told.stdout)
        self.assertTrue(trials(report, layer="safe", stack_kept=False))
        self.assertFalse(trials(report, layer="raw", stack_kept=False))
        self.assertGreater(report["verdict"]["safe_wrong"], 0)

    def test_pops_that_always_fail_do_not_keep_it_for_ever(self):
        told = doctor(CUSIM_FAIL="cuCtxPopCurrent:1:201+")
        self.assertEqual(told.returncode, 1)
        self.assertIn("NOT always what it was before", told.stdout)
        self.assertIn("the rest was not tried", told.stdout)
        self.assertTrue(findings(CUSIM_FAIL="cuCtxPopCurrent:1:201+")["verdict"]["gave_up"])
        self.assertFalse(findings()["verdict"]["gave_up"])

    def test_a_safe_copy_that_fails_comes_first_in_the_table(self):
        told = doctor(CUSIM_FAIL="cuStreamGetCtx:2:400")
        self.assertEqual(told.returncode, 1)
        self.assertRegex(told.stdout, "[1-9][0-9]* WENT WRONG")
        wrong = told.stdout.index("THE SAFE COPY WENT WRONG")
        self.assertLess(wrong, told.stdout.index("Raw or safe, they arrive"))
        self.assertIn("INVALID_HANDLE", told.stdout[wrong:])

    def test_a_driver_in_which_nothing_can_be_prepared_says_which_call_failed(self):
        told = doctor(CUSIM_FAIL="cuStreamCreate:1:2+")
        self.assertEqual(told.returncode, 1)
        self.assertIn("cuStreamCreate gave CUDA_ERROR_OUT_OF_MEMORY", told.stdout)

    # ---- The text ----

    def test_no_line_is_wider_than_100_columns(self):
        for switches in {}, {"CUSIM_DEVICES": "1"}, {"CUSIM_DRIVER_VERSION": "12000"}, {"CUSIM_DRIVER_VERSION": "13020"}, {
                "CUSIM_FAIL": "cuCtxPopCurrent:1:201+"}, {"folder": SIM / "stub"}:
            for line in doctor(**switches).stdout.splitlines():
                self.assertLessEqual(len(line), 100, line) if "/libcuda.so.1" not in line else None

    def test_a_function_and_its_per_thread_variant_are_one_name_in_the_text(self):
        text = doctor(CUSIM_MISSING="cuMemcpyPeerAsync").stdout
        self.assertEqual(text[:text.index("KiB")].count("cuMemcpyPeerAsync"), 1)

    def on_a_terminal(self, **switches):
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            print(f"skipped: there is no terminal to be had here ({error})", flush=True)
            self.skipTest(str(error))
        with subprocess.Popen([DOCTOR], env=environment(**switches), stdout=follower, stderr=follower) as process:
            os.close(follower)
            seen = b""
            try:
                while piece := os.read(leader, 65536):
                    seen += piece
            except OSError:  # how Linux tells the end
                pass
        os.close(leader)
        self.assertEqual(process.returncode, 0)
        return seen

    def test_it_is_coloured_on_a_terminal_and_only_there(self):
        self.assertIn(b"\033[32mok\033[0m", self.on_a_terminal(TERM="xterm"))
        self.assertNotIn("\033", doctor(TERM="xterm").stdout)

    def test_no_color_and_dumb_terminals_are_respected(self):
        self.assertNotIn(b"\033", self.on_a_terminal(TERM="xterm", NO_COLOR="1"))
        self.assertNotIn(b"\033", self.on_a_terminal(TERM="dumb"))

    # ---- Explanations ----

    def test_every_failing_copy_is_explained_if_asked_for(self):
        report = findings("--explain")
        refused = trials(report, outcome="refused", layer="raw")
        self.assertTrue(refused)
        for copy in report["copies"]:
            for trial in copy["trials"]:
                if trial["outcome"] == "refused":
                    self.assertIn(copy["function"][2:], trial["explanation"])

    def test_nothing_is_explained_unasked(self):
        self.assertFalse([trial for trial in trials(findings()) if "explanation" in trial])

    def test_a_copy_that_crashes_is_explained_by_its_safe_twin(self):
        text = doctor("--explain").stdout
        self.assertIn("It crashes inside the driver", text)
        self.assertIn("cucopyMemcpyAsync", text)

    # ---- The JSON ----

    def test_the_json_is_what_its_schema_says(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("there is no jsonschema for python3 here")
        schema = json.loads((SOURCE / "docs/cucopy-doctor.schema.json").read_text())
        for switches in {}, {"CUSIM_DEVICES": "1"}, {"CUSIM_DEVICES": "0"}, {"CUSIM_DRIVER_VERSION": "12000"}, {
                "CUSIM_FAIL": "cuCtxPopCurrent:1:201"}, {"folder": SIM / "stub"}:
            jsonschema.validate(findings("--explain", **switches), schema)
        broken = findings()
        broken["copies"][0]["trials"][0]["outcome"] = "perhaps"
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema)

    def test_odd_bytes_in_the_drivers_path_are_escaped(self):
        with tempfile.TemporaryDirectory() as base:
            folder = os.path.join(base, 'quote" back\\slash \x01 caf\u00e9 \udcff')
            os.mkdir(folder)
            shutil.copy(SIM / "libcuda.so.1", folder)
            path = findings(folder=folder)["driver"]["path"]
            self.assertEqual(path, os.path.join(os.path.realpath(folder), "libcuda.so.1").replace("\udcff", "\ufffd"))

    # ---- The demo ----

    def test_the_demo_falls_back_to_two_simulated_devices_and_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "libcuda.so.1").write_text("not a library\n" * 100)
            told = subprocess.run(["sh", SOURCE / "cmake/demo.sh", DOCTOR, SIM], env=environment(folder), text=True,
                                  stdout=subprocess.PIPE, check=False)
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertIn("two simulated devices", told.stdout)
        self.assertIn("The raw copy fails, the safe one arrives", told.stdout)


if __name__ == "__main__":
    sentences.run(Doctor)
