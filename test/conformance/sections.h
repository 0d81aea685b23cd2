/* SPDX-License-Identifier: Apache-2.0 */
/* All sections; each is defined where it is played. */
#ifndef CONFORMANCE_SECTIONS_H
#define CONFORMANCE_SECTIONS_H

#include "probe.h"

extern const struct section aboutSection;
extern const struct section copiesSection, perThreadSection, attributesSection, safeSection, guardedSection;
extern const struct section wildPointersSection;
extern const struct section streamsSection, pointersSection;
extern const struct section stackSection;
extern const struct section argumentsSection, batchArgumentsSection;
extern const struct section capturesSection, captureQueriesSection, graphsSection;
extern const struct section entriesSection, entryPointsSection;
extern const struct section behaviourSection, lifetimesSection;
extern const struct section rangesSection;
extern const struct section accessOrderSection;
extern const struct section devicesSection, thirdDeviceSection, devicesWithAttributesSection, devicesPointersSection,
    safeDevicesSection;
extern const struct section safeBatchArgumentsSection, safeCapturesSection;

#endif
