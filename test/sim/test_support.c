/* SPDX-License-Identifier: Apache-2.0 */
#include "test_support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

CUcontext primary[2];

int freshProcess(void **state)
{
    (void)state;
    cusimReset();
    OK(cuInit(0));
    for (int device = 0; device < 2; device++)
        OK(cuDevicePrimaryCtxRetain(&primary[device], device));
    cusimResetCalls();
    return 0;
}

static char text[8192];

static void readBack(FILE *file)
{
    rewind(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    (void)fclose(file);
}

const char *stderrOf(void (*body)(void))
{
    (void)fflush(stderr);
    FILE *file = tmpfile();
    assert_non_null(file);
    const int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    body();
    (void)fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    readBack(file);
    return text;
}

int childOf(void (*body)(void), const char **output)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(fileno(file), STDERR_FILENO);
        (void)signal(SIGSEGV, SIG_DFL); /* CMocka would go on with the next test */
        body();
        exit(0); /* NOLINT(concurrency-mt-unsafe): the child has one thread */
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    readBack(file);
    if (output != NULL)
        *output = text;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
