/* SPDX-License-Identifier: Apache-2.0 */
/* What a section's questions should be answered, from the files of facts in a directory. */
#ifndef CONFORMANCE_EXPECT_H
#define CONFORMANCE_EXPECT_H

#include "facts.h"
#include "probe.h"

/*
 * A section has its own file, or its answers follow from others': a safe copy gives what the raw one gives with the
 * stream's own context current, and so does a raw one inside a guard; under the owner's policy, as owners.h says;
 * a driver has the functions of its version.
 */
bool expectSection(const struct section *section, const char *directory, int version, struct facts *facts);

#endif
