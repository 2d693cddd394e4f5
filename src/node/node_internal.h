/* SPDX-License-Identifier: MIT
 * What the parts of a node share: its rules as named constants, and its steps. R is the radio range. */
#ifndef CAIRN_NODE_INTERNAL_H
#define CAIRN_NODE_INTERNAL_H

#include "cairn/node.h"
#include "cairn/vector.h"

#define GRID_MAX       32767
#define NODE_FREE      255u    /* age of a free slot of far and ways */
#define LENGTH_STEPS   512     /* of R: unit of path lengths */
#define FAR_STEPS      64      /* of R: unit of the paths to far nodes */
#define DEVIATION_UNIT 0.0005f /* of R: deviation of code 0 */
#define RANGES_MAX     8u      /* in the mean of a range */
#define ODD_MAX        3u      /* odd ranges in a row that replace the held one */

#define SILENT_ROUNDS 12u /* without a beacon or a range: evicted */
#define SILENT_MOVING 3u
#define FAR_ROUNDS    60u
#define FAR_MOVING    3u
#define WAY_ROUNDS    60u
#define FLAT_ROUNDS   32u /* rounds_loose of a node that enters a settled map */
#define QUIET_ROUNDS  5u  /* without change of the ways: the descent begins */

#define DIRTY_SENDS       2u    /* broadcasts of a changed way */
#define SPRING_ROUNDS     12u   /* rounds_loose in which the paths to far nodes hold the map open */
#define SETTLED_ROUNDS    120u  /* rounds_loose from which outliers are rogues, not folds */
#define ODD_SIGMAS2       25.0f /* a range is odd beyond 5 deviations */
#define SUSPECT_OUT       8u    /* residual count from which a neighbour is ignored */
#define LATE_FRAMES       32u   /* a sequence number so far back is a late frame */
#define LATE_ROUNDS       3u    /* ... unless nothing newer came for so long */
#define JUMP_FRAMES       48u   /* a step so large is a jump */
#define JUMPS_DOUBLE      12u   /* jump count from which the id is at two nodes */
#define LOSS_RATE         0.005f
#define LOSS_RUN          16u   /* lost frames in a row that count */
#define RELAY_ROUNDS      8u    /* not heard for so long: others' word about its place is taken */
#define RELAYED_DEVIATION 0.07f /* of R */

/* flags of a neighbour */
enum {
    NEIGHBOUR_PLACE = 1,   /* a place is known */
    NEIGHBOUR_TWO = 2,     /* place and the one before it came in successive beacons */
    NEIGHBOUR_RELAYED = 4, /* the place came from others: this node does not hear it */
    NEIGHBOUR_ODD = 8,     /* the last range was odd; two bits */
    NEIGHBOUR_ODD_MASK = 24,
    NEIGHBOUR_DOUBLE = 32, /* the id is at two nodes */
    NEIGHBOUR_HALF = 128,  /* a beacon or a range came whose other half is still to come */
    NEIGHBOUR_TOLD = 64    /* `before` is an anchor's place that `teller` has told */
};

enum { WAY_PLACE = 128, WAY_SENDS = 127 }; /* parts of a way's dirty */
enum { FRAME_NODES = 4 };                  /* lowest ids that make a frame without anchors */

/* Parts of an evaluation: all of it, or its slots by halves, the second added to the first. Halves are for trials: their
 * loss finds its way from afar. */
enum { PART_ALL = 0, PART_FIRST = 1, PART_SECOND = 2 };

static inline bool node_has_place(const cairn_node_way_t *way)
{
    return way->age != NODE_FREE && (way->dirty & WAY_PLACE) != 0;
}

static inline bool node_is_anchor(const cairn_node_neighbour_t *neighbour)
{
    return neighbour->stage == CAIRN_STAGE_ANCHOR;
}

static inline bool node_has_range(const cairn_node_neighbour_t *neighbour) { return neighbour->used > 1; }

/* Inlined in the innermost loop alone. */
static inline bool node_usable(const cairn_node_neighbour_t *neighbour)
{
    return node_has_range(neighbour) && (neighbour->flags & (NEIGHBOUR_PLACE | NEIGHBOUR_DOUBLE)) == NEIGHBOUR_PLACE &&
           neighbour->stage >= CAIRN_STAGE_SEED;
}

static inline uint8_t node_older(uint8_t age) { return (uint8_t)(age + (age < 254u)); }

/* node.c */
int16_t cairn_node_grid_step(cairn_real steps);
uint8_t cairn_node_turn(uint8_t slot, uint8_t n_slots);
bool cairn_node_is_stale(cairn_node_t *self, uint32_t t_us);
void cairn_node_to_metres(const cairn_node_t *self, const int16_t *place, cairn_real *place_m);
void cairn_node_to_grid(const cairn_node_t *self, const cairn_real *place_m, int16_t *place);
cairn_real cairn_node_variance(const cairn_node_t *self, cairn_real distance_m);
bool cairn_node_moves(const cairn_node_t *self);

/* node_table.c */
void cairn_node_count(uint16_t *counter);
cairn_node_neighbour_t *cairn_node_find(const cairn_node_t *self, uint16_t id);
bool cairn_node_usable(const cairn_node_neighbour_t *neighbour);
bool cairn_node_supports(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour);
void cairn_node_relay(cairn_node_t *self, uint16_t teller, uint16_t id, const int16_t *place, uint8_t stage);
void cairn_node_age(cairn_node_t *self);

/* node_ways.c */
void cairn_node_learn_ways(cairn_node_t *self, const cairn_node_neighbour_t *neighbour, const cairn_beacon_t *beacon);
cairn_real cairn_node_length(const cairn_node_t *self, const cairn_node_way_t *way, cairn_real shrink);
bool cairn_node_seed(cairn_node_t *self);

/* node_frame.c */
void cairn_node_claim(cairn_node_t *self);

/* node_sums.c */
void cairn_node_subtract(cairn_real *from, const cairn_real *other);
void cairn_node_shift(cairn_real *place, cairn_real factor, const cairn_real *way);
void cairn_node_hold(cairn_node_sums_t *sums, cairn_real weight);
cairn_real cairn_node_direction(const cairn_node_t *self, uint16_t other, const cairn_real *at_m,
                                const cairn_real *place_m, cairn_real *u);
void cairn_node_add(cairn_node_sums_t *sums, const cairn_real *u, cairn_real pull, cairn_real weight);
void cairn_node_evaluate(const cairn_node_t *self, const cairn_real *at_m, unsigned part, cairn_node_sums_t *sums);
void cairn_node_newton(const cairn_node_t *self, const cairn_node_sums_t *sums, cairn_real limit_m, cairn_real *step_m);
cairn_real cairn_node_clamp(cairn_real value, cairn_real low, cairn_real high);
void cairn_node_clip(cairn_real *step_m, cairn_real limit_m);

/* node_motion.c */
bool cairn_node_follows(const cairn_node_t *self);
void cairn_node_begin_round(cairn_node_t *self);
void cairn_node_follow(cairn_node_t *self, const cairn_node_neighbour_t *neighbour);

/* node_descent.c */
void cairn_node_descend(cairn_node_t *self);

/* node_trial.c */
void cairn_node_begin_trial(cairn_node_t *self);
void cairn_node_step_trial(cairn_node_t *self);

/* node_judge.c */
void cairn_node_set_stage(cairn_node_t *self, uint8_t stage);
void cairn_node_judge(cairn_node_t *self, const cairn_node_sums_t *sums, const cairn_real *step_m);
void cairn_node_land(cairn_node_t *self, const cairn_real *place_m);
void cairn_node_lose(cairn_node_t *self);
#endif
