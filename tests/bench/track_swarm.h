/* SPDX-License-Identifier: MIT
 * Robots that range each other, each with a tracker of its own, started from the raw ranges of one frame. */
#ifndef BENCH_TRACK_SWARM_H
#define BENCH_TRACK_SWARM_H

#include "track_data.h"

typedef struct track_swarm_score {
    double rmse_m;       /* of the unknown robots */
    double worst_m;      /* of the starts */
    double nees;         /* per dimension */
    double rigid_rmse_m; /* of all robots, after the best rigid motion of each frame */
    double oracle_m;     /* largest distance from the double reference */
} track_swarm_score_t;

/* Mean over starts at frames 1, 250, 500, 750 and 1000. known: the first and the last robot are known all the time;
 * else all are unknown. The sides of a line are taken from the truth at the start, nothing else is. */
void track_swarm_run(const track_swarm_t *swarm, bool known, track_swarm_score_t *score);

#endif
