/* SPDX-License-Identifier: MIT
 * Where the measured data sets are, which are not part of the project; DATA.md says what they are and whose. */
#ifndef BENCH_REAL_DATA_H
#define BENCH_REAL_DATA_H

#include <stdbool.h>

enum { REAL_DATA_PATH_BYTES = 1024 };

/* For the help of benches that read them. */
#define REAL_DATA_HELP                                                                                                 \
    "$CAIRN_DATA is the folder of the measured data (tests/bench/DATA.md); what is not there is skipped.\n"

/* Path of a file of the data sets in path [REAL_DATA_PATH_BYTES]: below $CAIRN_DATA when set, else below a folder beside the
 * project. False: there is no such file. */
bool real_data_path(char *path, const char *name);

#endif
