/* SPDX-License-Identifier: MIT
 * Streams through the library's bounded graph in double: the oracle of the float labels. */
#define STREAM_RUN stream_run_double

#include "stream_run.c"
