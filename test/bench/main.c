/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cucopy-bench <benchmark> [options]: picks the benchmark.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} benchmarks[] = {
    {"instructions", benchInstructions, "what the library adds to a driver call, counted by callgrind"},
    {"batch", benchBatch, "batches of copies and their peers, timed"},
    {"devices", benchDevices, "copies between two devices, raw, safe and under the owner's policy, timed"},
};

static void usage(FILE *stream)
{
    (void)fprintf(stream, "usage: cucopy-bench <benchmark> [options]\n");
    for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++)
        (void)fprintf(stream, "  %-14s%s\n", benchmarks[i].name, benchmarks[i].what);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++)
        if (!strcmp(argv[1], benchmarks[i].name))
            return benchmarks[i].run(argc - 1, argv + 1);
    const int asked = argc == 2 && !strcmp(argv[1], "--help");
    usage(asked ? stdout : stderr);
    return asked ? 0 : 2;
}
