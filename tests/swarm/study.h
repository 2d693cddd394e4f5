/* SPDX-License-Identifier: MIT
 * Studies of native swarms: many networks of one kind, beside least squares from the truth on the same ranges. */
#ifndef SWARM_STUDY_H
#define SWARM_STUDY_H

#include "swarm/swarm.h"

enum { STUDY_NETWORKS_MAX = 64 };

typedef enum study_kind { STUDY_A, STUDY_B, STUDY_C, STUDY_D } study_kind_t;

/* What happens at round `event_round`. */
typedef enum study_event {
    EVENT_NONE,
    EVENT_RESTART,  /* a quarter of the sensors restarts with nothing */
    EVENT_SNAPSHOT, /* a quarter of the sensors restarts from snapshots */
    EVENT_ANCHORS,  /* half of the anchors die */
    EVENT_PLACES,   /* `share` of the nodes claim false places */
    EVENT_RANGES    /* `share` of the nodes give false ranges */
} study_event_t;

typedef struct study {
    const char *name;
    study_kind_t kind;
    double loss;
    size_t n_networks;
    size_t n_rounds;
    study_event_t event;
    size_t event_round;
    double share;
    double one_way;
    double move_m;
    double move_memory;
    bool no_anchors;
    bool rough; /* delays, duplicates, damage and collisions on top */
} study_t;

typedef struct study_result {
    size_t n_networks;
    size_t n_ambiguous; /* another map fits the ranges better than the reference: left out below */
    size_t n_by_swarm;  /* of these, networks of which only the swarm's own map told it */
    size_t n_asked;     /* networks of which another map was looked for */
    size_t n_used;
    double first_13[STUDY_NETWORKS_MAX];   /* rounds to 1.3 times the reference (after the event); 1e9: never */
    double last_ratio[STUDY_NETWORKS_MAX]; /* at the end; 1e9: there is no reference */
    double median_first_13;
    double median_last;
    double pooled;    /* root mean square of all errors at the end, by that of the references */
    size_t n_reached; /* networks that ever reached 1.3 */
    size_t n_good;    /* networks within 1.3 at the end */
    size_t n_central; /* networks of which least squares from the central cold start is within 1.3 */
    double rmse_m;
    double reference_m;
    double bytes_per_frame; /* each node sends one a round */
    double node_rounds;     /* nodes x rounds of all networks */
    double placed_share;    /* of the core */
    double wrong_share;     /* of the placed, in the core or not */
} study_result_t;

void study_run(const study_t *study, uint64_t first_seed, study_result_t *result);

#endif
