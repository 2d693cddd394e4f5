/* SPDX-License-Identifier: MIT
 * Shared by start, re-lock and states of a tracker: its last ranges as seen from a place. */
#ifndef CAIRN_TRACK_LINKS_INTERNAL_H
#define CAIRN_TRACK_LINKS_INTERNAL_H

#include "locate/track_internal.h"

#define TRACK_RIVAL_GAIN 0.5f /* agreement over a rival that could be the truth */

/* A place fitted to the fresh links. */
typedef struct track_fix {
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real score; /* fresh links that agree, each counted by its weight */
    cairn_real rival; /* the same of the best other place, 0: none */
} track_fix_t;

/* Variance of the last range of a link, grown by what the sensor may have moved since; 0 if it is not from within
 * cfg->fresh_s before or after t_us. */
cairn_real cairn_track_link_m2(const cairn_track_links_t *links, const cairn_track_cfg_t *cfg, size_t link,
                               uint32_t t_us);

/* The fresh links that agree with a place whose own variance is extra_m2, each counted by its Cauchy weight. */
cairn_real cairn_track_agreement(const cairn_track_links_t *links, const cairn_track_t *track,
                                 const cairn_real *place_m, cairn_real extra_m2);

size_t cairn_track_n_fresh(const cairn_track_links_t *links, const cairn_track_cfg_t *cfg, uint32_t t_us);

/* Fit a place, beginning round the anchor of a link. */
void cairn_track_fix(const cairn_track_links_t *links, const cairn_track_t *track, size_t link, track_fix_t *fix);

#endif
