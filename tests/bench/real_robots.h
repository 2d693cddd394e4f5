/* SPDX-License-Identifier: MIT
 * Four robots ranging each other: every frame located by itself, without anchors, one bias per link learned on the way. */
#ifndef BENCH_REAL_ROBOTS_H
#define BENCH_REAL_ROBOTS_H

#include "output.h"

/* Print the table; returns how many rows fall short. */
int real_robots(output_t *out);

#endif
