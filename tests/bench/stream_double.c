/* SPDX-License-Identifier: MIT
 * A second copy of the library's bounded graph, in double and under other names, and streams through it: the oracle of
 * the float labels. Its clustering is in pic_double.c. */
#include "twin.h"

#define STREAM_RUN stream_run_double

#include "../../src/walk/graph.c"
#include "../../src/walk/graph_age.c"
#include "../../src/walk/graph_list.c"
#include "../../src/walk/graph_rows.c"

#include "stream_run.c"
