/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the questions about several devices are asked about. Names end in the device: P0 is the primary context of
 * device 0 and C0 one made by cuCtxCreate; pool0 its pool's memory, to which only it has access, and pool0+1 a pool's
 * to which device 1 was granted access; vmm the same for mappings, and vmm0-for-1 memory of device 0 mapped for device
 * 1 alone. Host and managed memory was made with P0 current. Of a third device there are only P2 and its stream.
 */
#ifndef CONFORMANCE_DEVICES_WORLD_H
#define CONFORMANCE_DEVICES_WORLD_H

#include "world.h"

enum { SMALL = 4096 }; /* bytes of each memory; a mapping is larger */

extern int devices; /* two, or three */

/* Initialises the driver and makes the world. Where the two cannot access each other, memory with access for both is
 * lacking. */
void devicesOpen(void);

/* Of every context to those of the other devices, where that is possible. */
void devicesEnablePeers(void);

#endif
