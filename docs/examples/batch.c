/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch with options: a thousand rows of a table, scattered over device memory, gathered into pinned memory. This
 * form is there on every toolkit, and works with every driver.
 */
#include "check.h"
#include <cucopy/copy.h>

enum { ROWS = 1000, ROW = 272 };

int main(void)
{
    static CUdeviceptr dsts[ROWS], srcs[ROWS];
    static size_t sizes[ROWS];
    static unsigned char table[ROWS * ROW];
    CUcontext context;
    CUstream stream;
    CUdeviceptr memory;
    void *host = NULL;
    CHECK(cudrvInit(0));
    CHECK(cudrvDevicePrimaryCtxRetain(&context, 0));
    CHECK(cudrvCtxPushCurrent(context));
    CHECK(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAlloc(&memory, sizeof(table)));
    CHECK(cudrvMemHostAlloc(&host, sizeof(table), 0));
    CHECK(cudrvCtxPopCurrent(NULL));

    for (size_t i = 0; i < sizeof(table); i++)
        table[i] = (unsigned char)(i / ROW);
    for (size_t i = 0; i < ROWS; i++) {
        srcs[i] = memory + i * 7 % ROWS * ROW;
        dsts[i] = (CUdeviceptr)host + i * ROW;
        sizes[i] = ROW;
    }
    CHECK(cucopyMemcpyHtoDAsync(memory, table, sizeof(table), stream));

    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.maxBlocks = 8; /* leave the multiprocessors to others */
    CHECK(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, ROWS, &options, stream));

    CHECK(cudrvStreamSynchronize(stream));
    for (size_t i = 0; i < ROWS; i++)
        EXPECT(((unsigned char *)host)[i * ROW] == (unsigned char)(i * 7 % ROWS));
    printf("%d rows gathered\n", ROWS);
    return EXIT_SUCCESS;
}
