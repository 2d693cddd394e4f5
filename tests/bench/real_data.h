/* SPDX-License-Identifier: MIT
 * Where the measured data sets are, which are not part of the project. */
#ifndef BENCH_REAL_DATA_H
#define BENCH_REAL_DATA_H

#include <stdbool.h>

enum { REAL_DATA_PATH_BYTES = 1024 };

/* Path of a file of the data sets in path [REAL_DATA_PATH_BYTES]: below $CAIRN_DATA when set, else below ../shared/data.
 * False: there is no such file. */
bool real_data_path(char *path, const char *name);

#endif
