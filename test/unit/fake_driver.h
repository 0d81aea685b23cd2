/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codes by which the fake drivers tell their functions apart.
 */
#ifndef CUCOPY_TEST_FAKE_DRIVER_H
#define CUCOPY_TEST_FAKE_DRIVER_H

#define FAKE_LEGACY 5001
#define FAKE_PER_THREAD 5002
#define FAKE_ALLOC 5003
#define FAKE_PLAIN_SYMBOL 5099

#endif
