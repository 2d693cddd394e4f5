/* SPDX-License-Identifier: MIT
 * Tracking: the table of last ranges, start from it, and re-lock when too many ranges disagree. */
#include "locate/track_links_internal.h"

#define LINKS_MAX      255u
#define MISSED         0.75f /* of the agreement that dim + 1 links could have, a fix may miss so much */
#define EARLY_BAD      5u    /* count from which a fix that leaves no doubt is taken */
#define EARLY_GAIN     2.5f  /* agreement that it must have over the present place */
#define GAIN           0.75f /* the same at the full count, and over a place that is known to be one of two */
#define RELOCK_REST_US UINT32_C(2000000)
#define START_NOISES   7  /* deviation of a fix before it is told the ranges, over that of a range */
#define BAD_PAUSE      4u /* the count after a fix that was not adopted */
#define SCALE_STDS     2  /* a scale beyond so many of its deviations, and EARLY_BAD: a false place has bent it */
#define MIRROR_LOOK    8u /* ranges between two looks at a mirror image */

cairn_status cairn_track_links_init(cairn_track_links_t *self, const cairn_real *place_m, cairn_track_link_t *link,
                                    size_t n_links)
{
    if (self == NULL || place_m == NULL || link == NULL || n_links < 1u || n_links > LINKS_MAX) {
        return CAIRN_ERR_ARG;
    }
    memset(self, 0, sizeof *self);
    memset(link, 0, n_links * sizeof *link);
    self->place_m = place_m;
    self->link = link;
    self->n_links = (uint16_t)n_links;
    return CAIRN_OK;
}

/* Fold in a range to an anchor of the table. */
static CAIRN_NOINLINE cairn_status hear(const cairn_track_links_t *self, cairn_track_t *track, size_t link,
                                        cairn_real range_m, cairn_real std_m, uint32_t t_us,
                                        cairn_track_innovation_t *innovation)
{
    const cairn_track_peer_t peer = {self->place_m + link * track->cfg->dim, NULL, (uint8_t)link, (uint8_t)link};

    return cairn_track_range(track, &peer, range_m, std_m, t_us, innovation);
}

/* Agreement that another place must exceed: that of the present one, and a gain. */
static cairn_real least_score(const cairn_track_links_t *self, cairn_track_t *track)
{
    const unsigned bad = track_bad(track);
    const cairn_real own_m2 = bad < EARLY_BAD ? 0 : cairn_track_trace(track_covariance(track), track->cfg->dim);

    return cairn_track_agreement(self, track, track_states(track), own_m2) +
           (bad - EARLY_BAD < TRACK_BAD - EARLY_BAD ? EARLY_GAIN : GAIN);
}

/* Look for a place, the first or a better one: one with which enough links agree, and more than with the present one. It is
 * told the ranges it was found by; a first one learns scale and biases from later ranges only. */
static CAIRN_NOINLINE cairn_status find(cairn_track_links_t *self, cairn_track_t *track, size_t link)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const bool placed = track_is_placed(track);
    const cairn_real least = placed ? least_score(self, track) : 0;
    cairn_status status = CAIRN_UNPLACED;
    track_fix_t fix;

    cairn_track_fix(self, track, link, &fix);
    if (fix.score > least && (size_t)(fix.score + MISSED) > cfg->dim) {
        const cairn_real std_m = START_NOISES * cfg->noise_m;
        cairn_track_adopt(track, fix.place_m, std_m * std_m);
        link = 0;
        do {
            const cairn_real link_m2 = cairn_track_link_m2(self, cfg, link, track->t_us);
            if (link_m2 > 0) {
                (void)hear(self, track, link, self->link[link].range_m, cairn_sqrt(link_m2), track->t_us, NULL);
            }
        } while (++link < self->n_links);
        if (!placed) {
            cairn_track_start_states(track, cfg->dim, cfg->dim + 2u);
        }
        self->relock_us = track->t_us;
        ++self->n_found[placed];
        status = CAIRN_OK;
    } else if (track_bad(track) >= EARLY_BAD) {
        if (track_bad(track) >= TRACK_BAD) {
            track_set_bad(track, BAD_PAUSE);
        }
        return CAIRN_UNPLACED;
    }
    const unsigned mirror = fix.rival > fix.score - TRACK_RIVAL_GAIN ? TRACK_MIRROR : 0;
    track->flags = (uint8_t)((track->flags & ~TRACK_MIRROR) | mirror);
    return status;
}

static void keep(cairn_track_links_t *self, const cairn_track_t *track, size_t link, cairn_real range_m, uint32_t t_us)
{
    self->link[link].range_m = range_m;
    self->link[link].t_us = t_us;
    /* entries leave the table before the clock has gone round: one is looked at with each range */
    const size_t oldest = ++self->n_ranges % self->n_links;
    if (!(cairn_track_link_m2(self, track->cfg, oldest, track->t_us) > 0)) {
        self->link[oldest].range_m = 0;
    }
}

cairn_status cairn_track_lock_range(cairn_track_links_t *self, cairn_track_t *track, size_t link, cairn_real range_m,
                                    cairn_real std_m, uint32_t t_us, cairn_track_innovation_t *innovation)
{
    if (self == NULL || track == NULL) {
        return CAIRN_ERR_ARG;
    }
    cairn_status status = link < self->n_links ? hear(self, track, link, range_m, std_m, t_us, innovation)
                                               : cairn_track_refuse(track, CAIRN_ERR_UNKNOWN_ID);
    if (status < 0) {
        return status;
    }
    keep(self, track, link, range_m, t_us);
    if (status == CAIRN_UNPLACED) {
        return find(self, track, link);
    }
    const unsigned bad = track_bad(track);
    if (bad >= EARLY_BAD && cairn_abs(track_states(track)[track->cfg->dim]) > SCALE_STDS * track->cfg->scale_std) {
        cairn_track_start_states(track, track->cfg->dim, track->cfg->dim + 2u);
        track->flags = 0;
        memset(self->link, 0, self->n_links * sizeof *self->link);
        return CAIRN_UNPLACED;
    }
    if ((bad >= EARLY_BAD || ((track->flags & TRACK_MIRROR) != 0 && self->n_ranges % MIRROR_LOOK == 0)) &&
        track->t_us - self->relock_us >= RELOCK_REST_US) {
        (void)find(self, track, link);
    }
    return status;
}
