/* SPDX-License-Identifier: Apache-2.0 */
/* The version of cucopy, and the only place where it is written: the build reads it from here. */
#ifndef CUCOPY_VERSION_H
#define CUCOPY_VERSION_H

#define CUCOPY_VERSION_MAJOR 0
#define CUCOPY_VERSION_MINOR 1
#define CUCOPY_VERSION_PATCH 0

#endif
