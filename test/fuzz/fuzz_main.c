/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of libFuzzer where there is none: the files that are named, or so many pseudo-random inputs, the same in
 * every run.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { inputs = 2000, maxSize = 512 };

static int runFile(const char *path)
{
    uint8_t data[65536];
    FILE *const file = fopen(path, "rb");
    if (!file)
        return 1;
    const size_t size = fread(data, 1, sizeof(data), file);
    (void)fclose(file);
    return LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= runFile(argv[i]);
    uint64_t random = 0x9E3779B97F4A7C15U;
    for (int i = 0; argc == 1 && i < inputs; i++) {
        uint8_t data[maxSize];
        for (size_t byte = 0; byte < sizeof(data); byte++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            data[byte] = (uint8_t)(random >> 56);
        }
        failed |= LLVMFuzzerTestOneInput(data, (size_t)(random % maxSize));
    }
    (void)printf("%s\n", failed ? "failed" : "no input failed");
    return failed;
}
