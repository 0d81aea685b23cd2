/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from the facts between devices: what the owner's policy makes of a copy, and which copies the stream's
 * own context does not serve though another would. No driver is asked.
 */
#ifndef CONFORMANCE_OWNERS_H
#define CONFORMANCE_OWNERS_H

#include "keys.h"

#include <stdio.h>

/*
 * What cucopyMemcpyAsyncEx gives under CUCOPY_CONTEXT_OWNER, and a batch, which is copied singly: what the raw copy
 * gives with the stream's context current; if that is INVALID_VALUE, what it gives in a context of the device that owns
 * the memory which the stream's device cannot reach.
 */
const char *ownersAnswer(struct facts *raw, const struct names *names);

/* The list, in the form of the facts. False if the facts cannot be read. */
bool listUnserved(const char *directory, FILE *out);

#endif
