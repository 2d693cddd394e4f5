/* SPDX-License-Identifier: MIT
 * Calibrate: one bias per link of a few nodes, learned over many frames in which they may have moved anywhere. */
#ifndef CAIRN_CALIBRATE_H
#define CAIRN_CALIBRATE_H

#include "cairn/network.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_calibrate_cfg {
    cairn_real mean_m; /* expected bias of a link; what the make of radio is known for. UWB as delivered: .2 to .3 m */
    cairn_real std_m;  /* how far a link may be from the others, > 0, typical .2 m */
    cairn_real common_std_m; /* how far all of them together may be from the mean, >= 0, default 0 */
    cairn_real repeats; /* frames that share one error, >= 1: errors of one link stay alike while the nodes move little.
                           Typical 100 at ten frames a second and walking pace; 1: independent frames */
    cairn_real forget;  /* share of what has been learned that is lost a frame, 0 to 1, default 0 */
} cairn_calibrate_cfg_t;

/** Number of pairs among nodes. */
#define CAIRN_CALIBRATE_PAIRS(nodes) ((size_t)(nodes) * ((size_t)(nodes)-1u) / 2u)

/** Reals of work memory, a constant expression: 134 for 4 nodes in 2-D. */
#define CAIRN_CALIBRATE_REALS(nodes, dim)                                                                              \
    (2u * CAIRN_SYMMETRIC_REALS(CAIRN_CALIBRATE_PAIRS(nodes)) + 2u * CAIRN_CALIBRATE_PAIRS(nodes) +                    \
     2u * CAIRN_SYMMETRIC_REALS((size_t)(nodes) * (size_t)(dim)) + (size_t)(nodes) * (size_t)(dim))

/** What has been learned. Private, read by the functions below; 24 bytes with 32-bit pointers. */
typedef struct cairn_calibrate {
    const cairn_calibrate_cfg_t *cfg;
    cairn_real *work; /* information, its right side and the biases; then scratch of one frame */
    uint32_t n_nodes;
    uint32_t dim;
    uint32_t n_frames;
} cairn_calibrate_t;

/**
 * Start with the expected biases.
 *
 * self        out, every field is written
 * cfg         settings, kept by self
 * n_nodes     2 to 64
 * dim         1 to CAIRN_LOCATE_DIM_MAX
 * work        [work_reals] caller's, kept by self; need not be cleared
 * work_reals  >= CAIRN_CALIBRATE_REALS(n_nodes, dim)
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL, or a number or setting out of range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       work too short
 * CAIRN_ERR_ALIGN      work misaligned
 *
 * Work: O(pairs^2).
 */
CAIRN_MUST_CHECK cairn_status cairn_calibrate_init(cairn_calibrate_t *self, const cairn_calibrate_cfg_t *cfg,
                                                   size_t n_nodes, size_t dim, cairn_real *work, size_t work_reals);

/**
 * Bias of a pair: subtract it from the measured range before adding that to the network of a frame.
 *
 * self    started
 * a, b    nodes, different
 * bias_m  out, metres
 *
 * CAIRN_OK              written
 * CAIRN_ERR_ARG         NULL
 * CAIRN_ERR_UNKNOWN_ID  a or b not below n_nodes
 * CAIRN_ERR_SELF        a equals b
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_calibrate_get(const cairn_calibrate_t *self, uint32_t a, uint32_t b,
                                                  cairn_real *bias_m);

/**
 * Learn from one located frame. The places of its sensors are unknowns that are eliminated, so what is learned is only
 * what the ranges tell beyond them: a frame with as many ranges as unknowns teaches nothing.
 *
 * self   started; unchanged if the result is not CAIRN_OK
 * frame  sealed and located network with the same numbers of nodes and dimensions, in which the present biases have been
 *        subtracted from the ranges; nodes without a place are left out
 *
 * CAIRN_OK        learned
 * CAIRN_REJECTED  fewer ranges than unknowns
 * CAIRN_ERR_ARG   NULL, or a network of other numbers
 * CAIRN_ERR_STATE the frame is open
 *
 * Work: for P ranges and N = nodes x dim: P (N^3 / 6 + P N) multiply-adds, and one solve of pairs^3 / 6.
 * Source: derived; the elimination is that of the places in bundle adjustment (Schur complement).
 */
CAIRN_MUST_CHECK cairn_status cairn_calibrate_learn(cairn_calibrate_t *self, const cairn_network_t *frame);

/**
 * Frames learned from.
 *
 * self  started
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_calibrate_get_frames(const cairn_calibrate_t *self);

#ifdef __cplusplus
}
#endif
#endif
