/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread with a default stream of its own. As with cuda.h, the macro makes stream 0 the calling thread's in this
 * file, in both layers; the library is the same one.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "check.h"
#include <cucopy/copy.h>
#include <pthread.h>
#include <string.h>

enum { THREADS = 4, BYTES = 65536 };

static void *copyThere(void *argument)
{
    const CUcontext context = argument;
    static _Thread_local char sent[BYTES];
    static _Thread_local char received[BYTES];
    CUdeviceptr buffer;
    memset(sent, 'a', sizeof(sent));

    /* Stream 0 belongs to the current context, so there must be one, in both layers. */
    CHECK(cudrvCtxPushCurrent(context));
    CHECK(cudrvMemAlloc(&buffer, BYTES));
    CHECK(cucopyMemcpyHtoDAsync(buffer, sent, BYTES, 0)); /* waits for no other thread's copies */
    CHECK(cucopyMemcpyDtoHAsync(received, buffer, BYTES, 0));
    CHECK(cudrvStreamSynchronize(0));
    EXPECT(!memcmp(sent, received, BYTES));
    CHECK(cudrvMemFree(buffer));
    CHECK(cudrvCtxPopCurrent(NULL));
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    CUcontext context;
    CHECK(cudrvInit(0));
    CHECK(cudrvDevicePrimaryCtxRetain(&context, 0));
    for (int i = 0; i < THREADS; i++)
        EXPECT(!pthread_create(&threads[i], NULL, copyThere, context));
    for (int i = 0; i < THREADS; i++)
        EXPECT(!pthread_join(threads[i], NULL));
    printf("%d threads\n", THREADS);
    return EXIT_SUCCESS;
}
