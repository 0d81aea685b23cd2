/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the editions of the library: the version of a driver that is told nothing. */
#include "settings.h"

const int defaultVersion = CUSIM_EDITION;
