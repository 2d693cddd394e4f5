/* SPDX-License-Identifier: MIT
 * Seconds: on the wall, and of this program on the processor. */
#ifndef CLI_STOPWATCH_H
#define CLI_STOPWATCH_H

double stopwatch_wall_s(void);
double stopwatch_processor_s(void);

#endif
