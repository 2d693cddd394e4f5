/* SPDX-License-Identifier: MIT
 * The library's tracking of networks in double: the oracle of its float places. */
#define TRACK_TWIN track_twin_double

#include "track_twin.c"
