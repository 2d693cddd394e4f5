/* SPDX-License-Identifier: MIT
 * Locate: places of all sensors of a network from its ranges and a few anchors, in slices of bounded work. */
#ifndef CAIRN_LOCATE_H
#define CAIRN_LOCATE_H

#include "cairn/anchors.h"
#include "cairn/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_locate_cfg {
    const cairn_loss_t *loss; /* NULL: cairn_loss_squared */
    uint16_t sweeps_max;      /* relaxed PLACE sweeps over all sensors at most, 1 to 65535, default 60; 5 plain ones
                                   follow */
    uint16_t discovery_max;   /* passes of anchor discovery at most (thesis N_a), 0 to 65535, default 10 */
    cairn_real tolerance;     /* stop when the root mean square step of a sweep is below this share of the mean range,
                                   >= 0, default 1e-3 */
    cairn_real start_std_m; /* deviation of the starts per coordinate, metres, 0 to 1e9; 0: estimated from the ranges */
    cairn_real
        radio_range_m; /* pairs nearer than this hear each other, metres, 0 to 1e9; used to judge starts and to push
                                   apart nodes that did not; 0: estimated from the ranges */
} cairn_locate_cfg_t;

/** Defaults as stated at each field. */
extern const cairn_locate_cfg_t cairn_locate_cfg_default;

/** One element of the work array. */
typedef union cairn_word {
    cairn_real real;
    uint32_t index;
} cairn_word_t;

/** Words of work memory, a constant expression: 14 a node in 2-D, 20 in 3-D, and 64. */
#define CAIRN_LOCATE_WORDS(nodes, dim)                                                                                 \
    ((size_t)(nodes) * (3u + (size_t)(dim) + (((size_t)(dim) + 1u) * ((size_t)(dim) + 4u)) / 2u) + 64u)

/** What the job is doing. */
typedef enum cairn_locate_stage {
    CAIRN_LOCATE_JUDGE = 0,    /* judge the starts by the ranges */
    CAIRN_LOCATE_PATHS = 1,    /* shortest paths from the anchors, linear trilateration */
    CAIRN_LOCATE_DISCOVER = 2, /* anchor discovery */
    CAIRN_LOCATE_SWEEP = 3,    /* PLACE sweeps */
    CAIRN_LOCATE_QUALITY = 4,  /* deviations and states */
    CAIRN_LOCATE_DONE = 5
} cairn_locate_stage;

/** A job. Private, read by the functions below; holds pointers to caller objects only. */
typedef struct cairn_locate {
    const cairn_locate_cfg_t *cfg;
    cairn_network_t *network;
    cairn_word_t *work;
    cairn_place_cfg_t sweep; /* how a sweep places a node */
    cairn_anchors_cfg_t fix; /* how discovery does */
    cairn_locate_stage stage;
    uint32_t phase;     /* part of the stage */
    uint32_t pass;      /* round of the stage */
    uint32_t cursor;    /* next node of the phase */
    uint32_t source;    /* anchor whose paths are searched; level of discovery; last sweep */
    uint32_t n_changed; /* nodes counted in this phase */
    uint32_t n_sweeps;  /* done */
    uint32_t bucket;    /* the path search between slices */
    uint32_t n_queued;
    uint32_t pops_left;
    bool converged;
    bool starts_used; /* the starts are near enough to begin from */
    cairn_real sum;   /* accumulators of the phase */
    cairn_real sum2;
    cairn_real mean_range_m;                   /* of the network */
    cairn_real longest_m;                      /* longest range */
    cairn_real radio_range_m;                  /* given or estimated */
    cairn_real start_std_m;                    /* given or estimated; 0: no starts */
    cairn_real cost;                           /* of the located map; while starts are judged, their noise */
    cairn_real centre_m[CAIRN_LOCATE_DIM_MAX]; /* of the anchors */
    cairn_real extent_m;                       /* largest distance of an anchor from it */
} cairn_locate_t;

/**
 * Begin to locate a network: seals it if it is open, and checks that its anchors can fix a map.
 *
 * self       out, every field is written
 * cfg        settings, kept by self
 * network    ranges, anchors, starts; kept by self; places, deviations and states are written to it as the job goes.
 *            Must not be changed by others until the job is done
 * work       [work_len] caller's, kept by self until the job is done; need not be cleared
 * work_len   >= CAIRN_LOCATE_WORDS(nodes, dim)
 *
 * CAIRN_OK              begun
 * CAIRN_ERR_ARG         NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE   a setting is NaN or infinite
 * CAIRN_ERR_SIZE        work too short
 * CAIRN_ERR_ALIGN       work misaligned
 * CAIRN_ERR_ANCHORS     fewer than dim + 1 nodes have an anchor place or a start
 * CAIRN_ERR_GEOMETRY    no sensor has a start, and the anchors are coincident, collinear (2-D) or coplanar (3-D):
 *                       see cairn/flat.h
 * CAIRN_ERR_RESOLUTION  as cairn_network_seal
 *
 * Work: as cairn_network_seal, and one pass over the nodes.
 */
CAIRN_MUST_CHECK cairn_status cairn_locate_init(cairn_locate_t *self, const cairn_locate_cfg_t *cfg,
                                                cairn_network_t *network, cairn_word_t *work, size_t work_len);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget; one operation is one look at one link (about 40 instructions on a Cortex-M4F). The slice ends at
 *             the first node boundary at or after it, or after a search from the next anchor has been set up
 *
 * CAIRN_MORE           work is left
 * CAIRN_OK             done: the tolerance was reached; read the places from the network
 * CAIRN_NOT_CONVERGED  done: sweeps_max was reached; the places are the best so far
 * CAIRN_ERR_ARG        self is NULL
 *
 * Work: operations + the larger of nodes and 64 x the links of one node.
 */
CAIRN_MUST_CHECK cairn_status cairn_locate_step(cairn_locate_t *self, uint32_t operations);

/**
 * What the job is doing now.
 *
 * self  begun job
 *
 * Returns the stage. Work: O(1).
 */
cairn_locate_stage cairn_locate_get_stage(const cairn_locate_t *self);

/**
 * Sweeps done so far.
 *
 * self  begun job
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_locate_get_sweeps(const cairn_locate_t *self);

/**
 * Cost of the located map: sum over ranges and priors of weight x Err. The weights are 1/variance, but no range weighs
 * more than one of .7 radio ranges does, so compare costs of one network only.
 *
 * self  job
 *
 * Returns the cost; it means nothing until the sweeps are done. Work: O(1).
 */
cairn_real cairn_locate_get_cost(const cairn_locate_t *self);

/**
 * Deviation of the starts in use, given or estimated.
 *
 * self  begun job
 *
 * Returns metres per coordinate; 0 when there are no starts. Work: O(1).
 */
cairn_real cairn_locate_get_start_std(const cairn_locate_t *self);

/**
 * Rough share of the job that is done, for a progress bar; never falls.
 *
 * self  begun job
 *
 * Returns 0 to 1. Work: O(1).
 */
cairn_real cairn_locate_get_progress(const cairn_locate_t *self);

#ifdef __cplusplus
}
#endif
#endif
