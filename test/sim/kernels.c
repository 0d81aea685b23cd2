/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include "gate.h"
#include "object.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Registered {
    struct Registered *next;
    char *name;
    cusimKernel function;
    void *user;
} Registered;

static Registered *registered;

static Registered **find(const char *name)
{
    Registered **link = &registered;
    while (*link != NULL && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    return link;
}

bool kernelFindFunction(const char *name, KernelEntry *entry)
{
    const Registered *one = *find(name);
    if (one != NULL) {
        *entry = (KernelEntry){one->name, one->function, one->user};
        return true;
    }
    for (const KernelEntry *builtin = builtinKernels; builtin->name != NULL; builtin++) {
        if (strcmp(builtin->name, name) == 0) {
            *entry = *builtin;
            return true;
        }
    }
    return false;
}

bool kernelIsRegistered(const char *name)
{
    KernelEntry entry;
    return kernelFindFunction(name, &entry);
}

static void forget(Registered **link)
{
    Registered *one = *link;
    *link = one->next;
    free(one->name);
    free(one);
}

void kernelsReset(void)
{
    while (registered != NULL)
        forget(&registered);
}

void cusimRegisterKernel(const char *name, cusimKernel function, void *user)
{
    pthread_mutex_lock(&driverMutex);
    Registered **link = find(name);
    if (*link != NULL)
        forget(link);
    if (function != NULL) {
        Registered *one = memoryNew(1, sizeof *one);
        *one = (Registered){registered, memoryNew(strlen(name) + 1, 1), function, user};
        memcpy(one->name, name, strlen(name));
        registered = one;
    }
    pthread_mutex_unlock(&driverMutex);
}
