/* SPDX-License-Identifier: Apache-2.0 */
/* Green contexts: a part of a device's multiprocessors with streams of its own. */
#ifndef CUSIM_GREEN_H
#define CUSIM_GREEN_H

#include "context.h"

typedef struct GreenContext {
    Object object;
    Context *context; /* what cuCtxFromGreenCtx gives, the same every time */
    unsigned multiprocessors;
} GreenContext;

#endif
