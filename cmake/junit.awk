# SPDX-License-Identifier: Apache-2.0
# From the JUnit files that CTest writes: why each skipped test was skipped, and a last line that counts.

/<testcase / {
    match($0, / name="[^"]*"/)
    name = substr($0, RSTART + 7, RLENGTH - 8)
    tests++
    skip = 0
    why = ""
}
/<testcase .* status="run"/ { passed++ }
/<skipped message="SKIP_/ { skip = 1 }
skip && /skipped: / {
    why = $0
    sub(/.*skipped: /, "", why)
    gsub(/&lt;/, "<", why)
    gsub(/&gt;/, ">", why)
    gsub(/&quot;/, "\"", why)
    gsub(/&amp;/, "\\&", why)
}
/<\/testcase>/ && skip {
    skipped++
    print "skipped: " name ": " (why == "" ? "it does not say why" : why)
}
END { printf "%d passed, %d failed, %d skipped\n", passed, tests - passed - skipped, skipped }
