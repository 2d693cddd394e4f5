/* SPDX-License-Identifier: MIT
 * Anchor discovery: place one node from known neighbours, without a start, and say whether its mirror image fits too. */
#ifndef CAIRN_ANCHORS_H
#define CAIRN_ANCHORS_H

#include "cairn/place.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Scratch reals of `cairn_anchors_fix` in dim dimensions, 24 in 2-D: two candidates, the neighbours' centre, the linear
 * system and its axes; the placements reuse the room of the latter. */
#define CAIRN_ANCHORS_WORK_REALS(dim)                                                                                  \
    (((size_t)(dim) + 1u) * ((size_t)(dim) + 4u) / 2u + CAIRN_SYMMETRIC_REALS(dim) +                                   \
     (size_t)(dim) * ((size_t)(dim) + 4u))

/** Settings of a fix. */
typedef struct cairn_anchors_cfg {
    cairn_place_cfg_t place;    /* how the two candidates are polished; the space must be R^k */
    cairn_real flip_cost;       /* a mirror image whose cost is higher by less than this may be the truth, >= 0;
                                   with weights 1/variance: 9 means odds of about 90 to 1 */
    cairn_real collinear_ratio; /* neighbours whose smallest variance is below this share of the largest do not fix the
                                   side of a node off their line, 0 to 1, default .001 */
} cairn_anchors_cfg_t;

/** Defaults: default place settings, flip_cost 9, collinear_ratio .001. */
extern const cairn_anchors_cfg_t cairn_anchors_cfg_default;

/** Outcome of a fix. */
typedef struct cairn_anchors_result {
    cairn_real cost;        /* at the returned place */
    cairn_real mirror_cost; /* at the best place on the other side of the neighbours */
} cairn_anchors_result_t;

/**
 * Place a node among known neighbours: the linearised solution and its mirror image in the neighbours' principal
 * plane, both polished by PLACE; the cheaper one is returned. (Thesis chapter 5, FINDMOREANCHORS, draws up to 30 random
 * restarts instead; the two starts reach the truth where random ones and the centroid do not.)
 *
 * cfg           settings
 * neighbours    supplies them, as for cairn_place; priors and one-sided neighbours steer the polish only
 * context       passed to `neighbours`
 * n_neighbours  how many, >= 1
 * dim           1 to 3
 * work          [work_reals] scratch
 * work_reals    >= CAIRN_ANCHORS_WORK_REALS(dim)
 * place         [dim] out; written only if the result is >= 0
 * result        out, nullable; written only if the result is >= 0
 *
 * CAIRN_OK             placed, the mirror image does not fit
 * CAIRN_FLIP_POSSIBLE  placed, but the mirror image fits nearly as well, or the node is off a line of collinear
 *                      neighbours (in 3-D coplanar, in 1-D a single one)
 * CAIRN_ERR_ANCHORS    no neighbour with a weight
 * CAIRN_ERR_GEOMETRY   all neighbours in one point, in 2-D and 3-D
 * CAIRN_ERR_ARG, CAIRN_ERR_SIZE, CAIRN_ERR_ALIGN, CAIRN_ERR_NONFINITE  as for cairn_place
 *
 * Work: 3 passes over the neighbours and two placements.
 */
CAIRN_MUST_CHECK cairn_status cairn_anchors_fix(const cairn_anchors_cfg_t *cfg, cairn_neighbour_fn neighbours,
                                                const void *context, size_t n_neighbours, size_t dim, cairn_real *work,
                                                size_t work_reals, cairn_real *place, cairn_anchors_result_t *result);

#ifdef __cplusplus
}
#endif
#endif
