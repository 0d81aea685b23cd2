/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmarks of cucopy-bench, each a command with arguments of its own. They return the exit status.
 */
#ifndef CUCOPY_BENCH_H
#define CUCOPY_BENCH_H

/* What the library adds to a driver call, in instructions and allocations: instructions.c. */
int benchInstructions(int argc, char **argv);

/* Batches of copies against a loop, the driver's own call and cub, in time: batch.c. */
int benchBatch(int argc, char **argv);

/* Copies between two devices, raw, safe and under the owner's policy, in time: devices.c. */
int benchDevices(int argc, char **argv);

#endif
