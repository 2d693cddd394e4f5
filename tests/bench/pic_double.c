/* SPDX-License-Identifier: MIT
 * A second copy of the library's clustering, in double and under other names: the oracle of its float labels. */
#include "twin.h"

#define PIC_RUN pic_run_double

#include "../../src/core/rng.c"
#include "../../src/walk/half.c"
#include "../../src/walk/pic.c"
#include "../../src/walk/pic_block.c"
#include "../../src/walk/pic_kmeans.c"
#include "../../src/walk/pic_move.c"
#include "../../src/walk/pic_score.c"
#include "../../src/walk/pic_split.c"
#include "../../src/walk/pic_stable.c"
#include "../../src/walk/pic_thin.c"
#include "../../src/walk/sort.c"
#include "../../src/walk/walk.c"

#include "pic_run.c"
