/* SPDX-License-Identifier: MIT
 * Shared by start, re-lock and states of a tracker: its last ranges as seen from a place. */
#ifndef CAIRN_TRACK_LINKS_INTERNAL_H
#define CAIRN_TRACK_LINKS_INTERNAL_H

#include "locate/track_internal.h"

#define TRACK_FIX_REALS (CAIRN_LOCATE_DIM_MAX + CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX))

/* A place fitted to the fresh links. */
typedef struct track_fix {
    cairn_real state[TRACK_FIX_REALS]; /* place [dim], then its packed covariance */
    cairn_real score;                  /* fresh links that agree, each counted by its weight */
    cairn_real rival;                  /* the same of the best other place, 0: none */
} track_fix_t;

/* Whether a link has a range from the last cfg->fresh_s before or after t_us; its age. */
bool cairn_track_is_fresh(const cairn_track_links_t *links, const cairn_track_cfg_t *cfg, size_t link, uint32_t t_us,
                          cairn_real *age_s);

size_t cairn_track_n_fresh(const cairn_track_links_t *links, const cairn_track_cfg_t *cfg, uint32_t t_us);

/* The fresh links that agree with a place whose own variance is extra_m2, each counted by its Cauchy weight. With a step
 * (a change of the place [dim], then its packed covariance), each is folded into that. */
cairn_real cairn_track_agreement(const cairn_track_links_t *links, const cairn_track_t *track,
                                 const cairn_real *place_m, cairn_real extra_m2, cairn_real *step);

/* After a range of a placed tracker with n_fresh fresh links: keep open what they do not tell. */
void cairn_track_keep_sides(const cairn_track_links_t *links, cairn_track_t *track, size_t link, size_t n_fresh,
                            const cairn_track_innovation_t *innovation);

/* Fit a place, beginning round the anchor of a link. */
void cairn_track_fix(const cairn_track_links_t *links, const cairn_track_t *track, size_t link, track_fix_t *fix);

#endif
