/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the owner's policy copy: host memory and device 1's pool, to which device 0 has no access. Include
 * it in place of support.h.
 */
#ifndef CUCOPY_TEST_OWNED_H
#define CUCOPY_TEST_OWNED_H

#include "support.h"

enum { bytes = 4096 };

struct fixture {
    struct world *world;
    CUdeviceptr pool; /* of the away device */
    CUdeviceptr host; /* pinned */
};

int ownedSetUp(void **state);
int ownedTearDown(void **state);

/* Whether a primary context is active. */
int isActive(CUdevice device);

#define OWNED_TEST(name) cmocka_unit_test_setup_teardown(name, ownedSetUp, ownedTearDown)

#endif
