/* SPDX-License-Identifier: Apache-2.0 */
/* CUSIM_CHECK=1: a line on stderr for each misuse seen and for each handle alive at exit. */
#ifndef CUSIM_CHECK_H
#define CUSIM_CHECK_H

/* One misuse, if the switch is on. */
void checkSay(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What the program did not destroy or free. Holding the lock. */
void checkHandlesAtExit(void);

#endif
