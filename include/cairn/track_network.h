/* SPDX-License-Identifier: MIT
 * Tracking of whole networks whose sensors all move: from one set of ranges to the next, in slices, on a gateway. */
#ifndef CAIRN_TRACK_NETWORK_H
#define CAIRN_TRACK_NETWORK_H

#include "cairn/coldstart.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Words of work memory, a constant expression: those of a cold start with starts. */
#define CAIRN_TRACK_NETWORK_WORDS(nodes, dim) CAIRN_COLDSTART_WORDS(nodes, dim, 1)

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_track_network_cfg {
    cairn_real motion_m;      /* deviation per coordinate of a sensor's movement between two sets of ranges, above 0 */
    cairn_real radio_range_m; /* pairs nearer than this have a range, 0: estimated from each set */
} cairn_track_network_cfg_t;

/** A job. Private; holds pointers to caller objects only. It holds its own settings of the solver, so do not move it
 * between begin and the end of a set. */
typedef struct cairn_track_network {
    const cairn_track_network_cfg_t *cfg;
    cairn_network_t *network;
    cairn_word_t *work;
    size_t work_len;
    cairn_coldstart_cfg_t solver_cfg;
    cairn_coldstart_t solver;
    bool busy;
} cairn_track_network_t;

/**
 * Begin to track a network: its anchors, starts and located places are where the nodes are now.
 *
 * self      out, every field is written
 * cfg       settings, kept by self
 * network   kept by self
 * work      [work_len] caller's, kept by self; need not be cleared
 * work_len  >= CAIRN_TRACK_NETWORK_WORDS(nodes, dim)
 *
 * CAIRN_OK             ready for the first set of ranges
 * CAIRN_ERR_ARG        NULL, motion_m not above 0, or radio_range_m negative
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       work too short
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_network_init(cairn_track_network_t *self,
                                                       const cairn_track_network_cfg_t *cfg, cairn_network_t *network,
                                                       cairn_word_t *work, size_t work_len);

/**
 * A new set of ranges is in the network (cairn_network_clear_ranges, then cairn_network_add_range): all sensors have moved
 * since the last one. Their last places become priors, with one deviation for all: the movement, and on top of it, in
 * squares, the mean of what was last stated of each (also by a cold start; 0 for a start), at most two movements. From a
 * deviation of .65 radio ranges on, a map without the priors is made as well, and of what differs the better part is kept.
 * From one radio range on, the set is solved by a cold start, and the priors only decide what it leaves open. With fewer
 * than dim + 1 anchors the priors hold the map however wide they are: without anchors they are what keeps the frame, from
 * which the truth drifts by the mean of all movements.
 *
 * self  initialised, its last set done
 *
 * CAIRN_OK         begun: call step
 * CAIRN_ERR_ARG    NULL
 * CAIRN_ERR_STATE  the last set is not done
 * others           as cairn_coldstart_init
 *
 * Work: as cairn_coldstart_init.
 */
CAIRN_MUST_CHECK cairn_status cairn_track_network_begin(cairn_track_network_t *self);

/**
 * Do a slice. Slicing does not change the result by a bit.
 *
 * self        begun set
 * operations  budget, as cairn_coldstart_step
 *
 * CAIRN_MORE, CAIRN_OK (done: read the places from the network), CAIRN_NOT_CONVERGED (done: the best places so far)
 * CAIRN_ERR_ARG    self is NULL
 * CAIRN_ERR_STATE  no set has been begun
 *
 * Work: as cairn_coldstart_step.
 */
CAIRN_MUST_CHECK cairn_status cairn_track_network_step(cairn_track_network_t *self, uint32_t operations);

#ifdef __cplusplus
}
#endif
#endif
