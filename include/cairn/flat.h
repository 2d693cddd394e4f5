/* SPDX-License-Identifier: MIT
 * Flat: cold start of networks whose anchors lie in one plane (2-D: line), of any size, in slices. */
#ifndef CAIRN_FLAT_H
#define CAIRN_FLAT_H

#include "cairn/coldstart.h"
#include "cairn/rigid.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_flat_cfg {
    cairn_coldstart_cfg_t cold; /* how the map is made */
    /* [dim] any place on most sensors' side of the anchors, metres, in the caller's frame, off their plane by a thousandth
     * of their extent at least; read by init only. NULL: unknown */
    const cairn_real *side_m;
} cairn_flat_cfg_t;

/** Defaults: those of the cold start, no side. */
extern const cairn_flat_cfg_t cairn_flat_cfg_default;

/** Words of work memory, a constant expression: those of a cold start without starts, and 3 an anchor in 2-D, 4 in 3-D. */
#define CAIRN_FLAT_WORDS(nodes, dim, anchors)                                                                          \
    (CAIRN_COLDSTART_WORDS(nodes, dim, 0) + (size_t)(anchors) * ((size_t)(dim) + 1u))

/** What the job is doing. */
typedef enum cairn_flat_stage {
    CAIRN_FLAT_LOOSE = 0,  /* a map without the anchors, in a frame of its own */
    CAIRN_FLAT_LAY = 1,    /* move it upon the anchors */
    CAIRN_FLAT_SIDES = 2,  /* mirror what lies on the wrong side of them */
    CAIRN_FLAT_FINISH = 3, /* the cold start goes on with them */
    CAIRN_FLAT_RETURN = 4, /* mirror back what that has carried through them */
    CAIRN_FLAT_JUDGE = 5,  /* the end of the cold start: deviations, mirror images */
    CAIRN_FLAT_STATES = 6, /* who is not told from its mirror image */
    CAIRN_FLAT_DONE = 7
} cairn_flat_stage;

/** A job. Private, read by the functions below; holds pointers to caller objects only. */
typedef struct cairn_flat {
    const cairn_flat_cfg_t *cfg;
    cairn_network_t *network;
    cairn_word_t *work;
    cairn_flat_stage stage;
    uint32_t cursor;    /* next node of the stage */
    bool laid;          /* the map holds enough anchors */
    bool unmarked;      /* parts can be told again, after the map is finished */
    bool returned;      /* some were on the wrong side then */
    int8_t side;        /* 1: sensors lie along the normal, -1: against it, 0: unknown */
    uint32_t n_members; /* of the part whose side is found */
    uint32_t n_grown;   /* of these, whose neighbours have been added, that have been mirrored */
    uint32_t n_mirrored;
    cairn_real sum_m;   /* of their heights above the plane */
    cairn_real plane_m; /* of the anchors, along its normal */
    cairn_real normal[CAIRN_LOCATE_DIM_MAX];
    cairn_network_t before; /* with its anchors; their places and numbers lie behind the work of the cold start */
    cairn_rigid_t motion;   /* of the map upon the anchors */
    cairn_coldstart_t cold;
} cairn_flat_t;

/**
 * Begin: seals the network if it is open. A map is made without the anchors, laid upon them, and finished with them. What
 * cairn_coldstart refuses with CAIRN_ERR_GEOMETRY is meant for this; what it takes, it does better.
 *
 * self       out; unchanged if the result is < 0
 * cfg        settings, kept by self
 * network    ranges, anchors, no starts; kept by self; until the job is done it holds neither its anchors nor its origin,
 *            and must be neither read nor changed by others
 * work       [work_len] caller's, kept by self until the job is done; need not be cleared
 * work_len   >= CAIRN_FLAT_WORDS(nodes, dim, anchors)
 *
 * CAIRN_OK              begun
 * CAIRN_ERR_ARG         NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE   a setting or a coordinate of the side is NaN or infinite
 * CAIRN_ERR_SIZE        work too short
 * CAIRN_ERR_ALIGN       work misaligned
 * CAIRN_ERR_STATE       the network has no ranges, or starts
 * CAIRN_ERR_ANCHORS     fewer than dim anchors
 * CAIRN_ERR_GEOMETRY    the anchors span space (2-D: a plane), so that there is no mirror image; or only a line (2-D: a
 *                       point), which leaves more than one
 * CAIRN_ERR_RESOLUTION  as cairn_network_seal
 *
 * Work: as cairn_network_seal, and a few passes over the nodes.
 */
CAIRN_MUST_CHECK cairn_status cairn_flat_init(cairn_flat_t *self, const cairn_flat_cfg_t *cfg, cairn_network_t *network,
                                              cairn_word_t *work, size_t work_len);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget; one operation is one look at one link
 *
 * CAIRN_MORE               work is left
 * CAIRN_OK                 done: read the places from the network. Sensors that hang together without the anchors lie, most
 *                          of them, on the given side
 * CAIRN_HEIGHT_UNRESOLVED  done, but no side was given, or a place in the plane: the mirror image in it fits as well, and
 *                          every placed sensor is FLIP_POSSIBLE; whether the limit of steps was reached is not said
 * CAIRN_NOT_CONVERGED      done: the limit of steps was reached; the places are the best so far. Or the part of the network
 *                          that hangs together holds too few of the anchors, or spans too little: nobody is placed
 * CAIRN_ERR_ARG            self is NULL
 *
 * Work: as cairn_coldstart_step, and twice a pass over the anchors, about 40 operations each, once with all their links.
 */
CAIRN_MUST_CHECK cairn_status cairn_flat_step(cairn_flat_t *self, uint32_t operations);

/**
 * What the job is doing now.
 *
 * self  begun job
 *
 * Returns the stage. Work: O(1).
 */
cairn_flat_stage cairn_flat_get_stage(const cairn_flat_t *self);

/**
 * The cold start that makes the map, for its getters: iterations, repairs, cost.
 *
 * self  begun job
 *
 * Returns the job, which lives as long as self. Work: O(1).
 */
const cairn_coldstart_t *cairn_flat_get_cold(const cairn_flat_t *self);

/**
 * Rough share of the job that is done, for a progress bar; never falls.
 *
 * self  begun job
 *
 * Returns 0 to 1. Work: O(1).
 */
cairn_real cairn_flat_get_progress(const cairn_flat_t *self);

#ifdef __cplusplus
}
#endif
#endif
