/* SPDX-License-Identifier: MIT
 * Lift: cold start of small networks in which nearly all hear each other, by sweeps through one extra dimension, with biases,
 * in slices. */
#ifndef CAIRN_LIFT_H
#define CAIRN_LIFT_H

#include "cairn/bias.h"
#include "cairn/locate.h"
#include "cairn/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_lift_cfg {
    const cairn_loss_t *loss; /* NULL: cairn_loss_squared; cairn_loss_log for ranges made from signal strength */
    const cairn_real
        *side_m;           /* [dim] any place on the sensors' side of anchors that lie in one plane (3-D) or line (2-D),
                                 metres; NULL: unknown. Kept alive by the caller. Not used when the anchors span the space */
    uint32_t seed;         /* of the random starts, any value */
    uint16_t attempts;     /* random starts, of which the cheapest map is kept, 1 to 100, default 2 */
    uint16_t free_sweeps;  /* sweeps free in the extra dimension, 1 to 10000, default 20 */
    uint16_t press_sweeps; /* sweeps in which it is pressed flat, 2 to 10000, default 60 */
    uint16_t flat_sweeps;  /* sweeps after it is gone, at most, 1 to 10000, default 200 */
    cairn_real tolerance;  /* stop when the root mean square step of a sweep is below this share of the mean range,
                                 >= 0, default 1e-4 */
} cairn_lift_cfg_t;

/** Defaults as stated at each field. */
extern const cairn_lift_cfg_t cairn_lift_cfg_default;

/** Words of work memory, a constant expression: 7 a node in 2-D, 11 in 3-D, and 64. */
#define CAIRN_LIFT_WORDS(nodes, dim)                                                                                   \
    ((size_t)(nodes) * ((size_t)(dim) + 2u + ((size_t)(dim) * ((size_t)(dim) + 1u)) / 2u) + 64u)

/** What the job is doing. */
typedef enum cairn_lift_stage {
    CAIRN_LIFT_REACH = 0,   /* which nodes hang together */
    CAIRN_LIFT_DRAW = 1,    /* a random start */
    CAIRN_LIFT_RAISED = 2,  /* sweeps with the extra dimension */
    CAIRN_LIFT_FLAT = 3,    /* sweeps without */
    CAIRN_LIFT_COST = 4,    /* of this start's map */
    CAIRN_LIFT_QUALITY = 5, /* deviations and states */
    CAIRN_LIFT_DONE = 6
} cairn_lift_stage;

/** A job. Private, read by the functions below; holds pointers to caller objects only. */
typedef struct cairn_lift {
    const cairn_lift_cfg_t *cfg;
    cairn_network_t *network;
    cairn_bias_t *bias; /* NULL: none */
    cairn_word_t *work;
    cairn_rng_t rng;
    cairn_place_cfg_t step;  /* how a flat sweep places a node */
    cairn_anchors_cfg_t fix; /* how a node is told from its mirror image */
    cairn_lift_stage stage;
    uint32_t cursor;    /* next node */
    uint32_t sweep;     /* of the stage */
    uint32_t n_changed; /* counted in this pass */
    uint32_t attempt;   /* which start */
    uint32_t best;      /* the cheapest so far */
    uint32_t n_sweeps;  /* done */
    uint8_t spanned;    /* dimensions that the anchors span */
    bool final;         /* the attempt that is kept */
    bool converged;
    bool hinted;      /* the side decides between mirror images */
    cairn_real press; /* weight of the height, in total weights of a node */
    cairn_real sum;   /* accumulator of the pass */
    cairn_real cost;  /* of the present map */
    cairn_real best_cost;
    cairn_real mean_range_m;
    cairn_real low_m[CAIRN_LOCATE_DIM_MAX]; /* box of the random starts */
    cairn_real high_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real far_m[CAIRN_LOCATE_DIM_MAX + 1]; /* a far point on the side where no sensor is */
    cairn_real far_range_m;
} cairn_lift_t;

/**
 * Begin: seals the network if it is open. Starts of sensors are not used; any number of anchors will do, none included:
 * the places are then a completion of the distance matrix, up to a rigid motion.
 *
 * self      out, every field is written
 * cfg       settings, kept by self
 * network   ranges, anchors; kept by self; places, deviations and states are written to it when the job is done. Must
 *           not be changed by others until then
 * bias      initialised on this network, kept by self; its values are restarted and estimated with the map; NULL: none
 * work      [work_len] caller's, kept by self until the job is done; need not be cleared
 * work_len  >= CAIRN_LIFT_WORDS(nodes, dim)
 *
 * CAIRN_OK              begun
 * CAIRN_ERR_ARG         NULL, a setting out of range, or a bias of another network
 * CAIRN_ERR_NONFINITE   a setting is NaN or infinite
 * CAIRN_ERR_SIZE        work too short
 * CAIRN_ERR_ALIGN       work misaligned
 * CAIRN_ERR_STATE       the network has no ranges
 * CAIRN_ERR_RESOLUTION  as cairn_network_seal
 *
 * Work: as cairn_network_seal, and a few passes over the nodes.
 */
CAIRN_MUST_CHECK cairn_status cairn_lift_init(cairn_lift_t *self, const cairn_lift_cfg_t *cfg, cairn_network_t *network,
                                              cairn_bias_t *bias, cairn_word_t *work, size_t work_len);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget; one operation is one look at one link (about 60 instructions on a Cortex-M4F). The slice ends at
 *             the first node boundary at or after it
 *
 * CAIRN_MORE               work is left
 * CAIRN_OK                 done: read the places from the network
 * CAIRN_NOT_CONVERGED      done: flat_sweeps was reached; the places are the best so far
 * CAIRN_HEIGHT_UNRESOLVED  done, but the anchors lie in one plane (3-D) or line (2-D) and no side was given: the mirror
 *                          image in it fits as well, and every sensor is FLIP_POSSIBLE
 * CAIRN_RELATIVE           done, but the anchors fix the map less than that: the places are right among themselves, up to
 *                          a rigid motion
 * CAIRN_ERR_ARG            self is NULL
 *
 * Work: operations + the links of one node x 64.
 */
CAIRN_MUST_CHECK cairn_status cairn_lift_step(cairn_lift_t *self, uint32_t operations);

/**
 * What the job is doing now.
 *
 * self  begun job
 *
 * Returns the stage. Work: O(1).
 */
cairn_lift_stage cairn_lift_get_stage(const cairn_lift_t *self);

/**
 * Sweeps done so far, of all starts.
 *
 * self  begun job
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_lift_get_sweeps(const cairn_lift_t *self);

/**
 * Cost of the map: sum over ranges of weight x Err, with weights 1/variance at the present distances, and over the
 * biases of (deviation from the expectation / std)^2; about one a range when the declared noise is right.
 *
 * self  begun job
 *
 * Returns the cost of the last map that was finished, 0 until then. Work: O(1).
 */
cairn_real cairn_lift_get_cost(const cairn_lift_t *self);

/**
 * Rough share of the job that is done, for a progress bar; never falls.
 *
 * self  begun job
 *
 * Returns 0 to 1. Work: O(1).
 */
cairn_real cairn_lift_get_progress(const cairn_lift_t *self);

#ifdef __cplusplus
}
#endif
#endif
