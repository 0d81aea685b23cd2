# SPDX-License-Identifier: Apache-2.0
# From the JUnit files that CTest writes: why tests were skipped, and a last line that counts. A CMocka program counts as
# the tests inside it, by its own summary; anything else as one.

# "[  SKIPPED ] 3 test(s)", in newer versions of CMocka "[  SKIPPED ] group: 3 test(s)".
function number(label, text) {
    if (!match($0, "\\[  " label " *\\] ([^:]*: )?[0-9]+ test\\(s\\)"))
        return 0
    text = substr($0, RSTART + 13, RLENGTH - 13)
    sub(/.*: /, "", text)
    return text + 0
}

/<testcase / {
    match($0, / name="[^"]*"/)
    name = substr($0, RSTART + 7, RLENGTH - 8)
    status = $0 ~ / status="run"/ ? "passed" : "failed"
    p = f = s = 0
    reasons = 0
}
/<skipped message="SKIP_/ { status = "skipped" }
/skipped: / {
    why = $0
    sub(/.*skipped: /, "", why)
    gsub(/&lt;/, "<", why)
    gsub(/&gt;/, ">", why)
    gsub(/&quot;/, "\"", why)
    gsub(/&apos;/, "'", why)
    gsub(/&amp;/, "\\&", why)
    if (!seen[name, why]++)
        print "skipped: " name ": " why
    reasons++
}
{
    p += number("PASSED")
    f += number("FAILED")
    s += number("SKIPPED")
}
/<\/testcase>/ {
    if (status == "passed" && p + s == 0)
        p = 1
    if (status == "failed" && f == 0)
        f = 1
    if (status == "skipped" && s == 0)
        s = 1
    if (s > 0 && !reasons)
        print "skipped: " name ": it does not say why"
    passed += p
    failed += f
    skipped += s
}
END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }
