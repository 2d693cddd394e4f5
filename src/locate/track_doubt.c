/* SPDX-License-Identifier: MIT
 * Tracking: in which state a tracker is. */
#include "locate/track_links_internal.h"

#define HEIGHT_RATIO2 16 /* the height's deviation is 4 x the largest of the others */
#define HEIGHT_NOISE2 9

/* 3-D: whether the height is much worse known than the rest. */
static bool height_unresolved(const cairn_track_t *track)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const cairn_real *covariance = track_covariance_const(track);

    return cfg->dim == 3u && covariance[5] > HEIGHT_RATIO2 * cairn_max(covariance[0], covariance[2]) &&
           covariance[5] > HEIGHT_NOISE2 * cfg->noise_m * cfg->noise_m;
}

cairn_track_state cairn_track_get_state(const cairn_track_t *track, const cairn_track_links_t *self, uint32_t t_us)
{
    if (track == NULL || !track_is_placed(track)) {
        return CAIRN_TRACK_UNPLACED;
    }
    if (self != NULL && cairn_track_n_fresh(self, track->cfg, t_us) < track->cfg->dim) {
        return CAIRN_TRACK_STARVED;
    }
    if (track_bad(track) >= TRACK_DOUBT) {
        return CAIRN_TRACK_DOUBTFUL;
    }
    if ((track->flags & TRACK_MIRROR) != 0) {
        return CAIRN_TRACK_MIRROR;
    }
    return height_unresolved(track) ? CAIRN_TRACK_HEIGHT : CAIRN_TRACK_PLACED;
}
