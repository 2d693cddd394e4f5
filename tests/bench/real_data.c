/* SPDX-License-Identifier: MIT
 * Where the measured data sets are, which are not part of the project. */
#include "real_data.h"

#include <stdio.h>
#include <stdlib.h>

bool real_data_path(char *path, const char *name)
{
    const char *folder = getenv("CAIRN_DATA");
    int length = snprintf(path, REAL_DATA_PATH_BYTES, "%s/%s", folder != NULL ? folder : "../shared/data", name);
    FILE *file = length > 0 && length < REAL_DATA_PATH_BYTES ? fopen(path, "r") : NULL;
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}
