# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a file: all of them, or those named: `python3 test_doctor.py the_json_is_what_its_schema_says`.

Ends with a summary in CMocka's words, by which all tests here are counted.
"""
import sys
import unittest


def run(case):
    names = ["test_" + name for name in sys.argv[1:]] or unittest.TestLoader().getTestCaseNames(case)
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(unittest.TestSuite(map(case, names)))
    failed = len(result.failures) + len(result.errors)
    for test, reason in result.skipped:
        print(f"skipped: {test.id().rpartition('.test_')[2]}: {reason}")
    print(f"[  PASSED  ] {result.testsRun - failed - len(result.skipped)} test(s).")
    if result.skipped:
        print(f"[  SKIPPED ] {len(result.skipped)} test(s)")
    if failed:
        print(f"[  FAILED  ] {failed} test(s)")
    sys.exit(failed != 0)
