/* SPDX-License-Identifier: MIT
 * Tracking: the table of last ranges, start from it, and re-lock when too many ranges disagree. */
#include "locate/track_links_internal.h"

#define LINKS_MAX     255u
#define MISSED        0.7f /* a fix may miss so much of the agreement that dim + 1 links could have */
#define EARLY_BAD     5u   /* count from which a fix that leaves no doubt is taken */
#define EARLY_GAIN    2.5f /* agreement that it must have over the present place */
#define LATE_GAIN     1.5f
#define MIRROR_GAIN   0.7f /* over a place that is known to be one of two */
#define RIVAL_GAIN    0.5f /* over a rival that could be the truth */
#define RELOCK_REST_S 2
#define FIX_SPREAD    2 /* variances of a fix are doubled, at a re-lock once more */
#define WIDE_NOISE2   100
#define BAD_PAUSE     4u /* the count after a fix that was not adopted */
#define MIRROR_LOOK   8u /* ranges between two looks at a mirror image */

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

static cairn_real trace_m2(const cairn_track_t *track)
{
    return cairn_track_trace(cairn_track_covariance_const(track), track->cfg->dim);
}

/* A fix that agrees with enough links, and more than the present place does by `gain`, becomes the place. */
static bool take_fix(cairn_track_t *track, const track_fix_t *fix, cairn_real gain, cairn_real spread)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const size_t dim = cfg->dim;
    cairn_real *covariance = cairn_track_covariance(track);

    if (!(fix->score > gain && fix->score > (cairn_real)dim + 1 - MISSED) ||
        cairn_track_check_place(cfg, fix->state) != CAIRN_OK) {
        return false;
    }
    cairn_track_adopt(track, fix->state, !track_is_placed(track));
    for (size_t i = 0; i < CAIRN_SYMMETRIC_REALS(dim); ++i) {
        covariance[i] = spread * fix->state[dim + i];
    }
    cairn_track_add_noise(covariance, dim, cfg->noise_m * cfg->noise_m);
    if (fix->rival > fix->score - RIVAL_GAIN) {
        track->flags |= TRACK_MIRROR;
    }
    return true;
}

/* Too many ranges disagree, or the place is one of two: look for a better one. */
static CAIRN_NOINLINE void look_again(cairn_track_links_t *self, cairn_track_t *track, size_t link)
{
    const unsigned bad = track_bad(track);
    const cairn_real own_m2 = bad >= EARLY_BAD ? trace_m2(track) : 0;
    const cairn_real gain = bad >= TRACK_BAD ? LATE_GAIN : bad >= EARLY_BAD ? EARLY_GAIN : MIRROR_GAIN;
    track_fix_t fix;

    cairn_track_fix(self, track, link, &fix);
    const cairn_real now = cairn_track_agreement(self, track, track_states(track), own_m2, NULL);
    if (take_fix(track, &fix, now + gain, FIX_SPREAD * FIX_SPREAD)) {
        ++self->n_relocks;
        self->relock_us = track->t_us;
    } else if (bad >= TRACK_BAD) {
        track_set_bad(track, BAD_PAUSE);
    } else if (bad < EARLY_BAD && !(fix.rival > fix.score - RIVAL_GAIN)) {
        track->flags &= (uint8_t)~TRACK_MIRROR;
    }
}

/* Too few links for a fix, and they disagree: the place is at least as uncertain as the ranges say. */
static void widen(cairn_track_t *track, cairn_real difference_m)
{
    const cairn_real limit_m = track->cfg->range_max_m;

    if (trace_m2(track) < limit_m * limit_m) {
        cairn_track_add_noise(cairn_track_covariance(track), track->cfg->dim, difference_m * difference_m);
    }
    track_set_bad(track, 0);
    track->flags |= TRACK_MIRROR;
}

/* A range of a placed tracker has been folded in: is the place still right? */
static void watch(cairn_track_links_t *self, cairn_track_t *track, size_t link, size_t n_fresh, cairn_real difference_m)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const uint32_t since_us = track->t_us - self->relock_us;
    const unsigned bad = track_bad(track);
    const bool wide = trace_m2(track) > WIDE_NOISE2 * cfg->noise_m * cfg->noise_m;

    if (bad < EARLY_BAD && ((track->flags & TRACK_MIRROR) == 0 || !(wide || self->n_ranges % MIRROR_LOOK == 0))) {
        return;
    }
    if (n_fresh > cfg->dim) {
        if (self->n_relocks == 0 || (cairn_real)since_us * 1e-6f >= RELOCK_REST_S) {
            look_again(self, track, link);
        }
    } else if (bad >= TRACK_BAD) {
        widen(track, difference_m);
    }
}

static CAIRN_NOINLINE cairn_status start(cairn_track_links_t *self, cairn_track_t *track, size_t link)
{
    track_fix_t fix;

    cairn_track_fix(self, track, link, &fix);
    if (!take_fix(track, &fix, 0, FIX_SPREAD)) {
        return CAIRN_UNPLACED;
    }
    ++self->n_starts;
    return CAIRN_OK;
}

cairn_status cairn_track_links_range(cairn_track_links_t *self, cairn_track_t *track, size_t link, cairn_real range_m,
                                     cairn_real std_m, uint32_t t_us, cairn_track_innovation_t *innovation)
{
    cairn_track_innovation_t here = {0, 0, 0, {0}};
    cairn_real age_s;

    if (self == NULL || track == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (link >= self->n_links) {
        return cairn_track_refuse(track, CAIRN_ERR_UNKNOWN_ID);
    }
    const cairn_track_peer_t peer = {self->place_m + link * track->cfg->dim, NULL, (uint8_t)link, (uint8_t)link};
    cairn_status status = cairn_track_range(track, &peer, range_m, std_m, t_us, &here);
    if (status < 0) {
        return status;
    }
    self->link[link].range_m = range_m;
    self->link[link].t_us = t_us;
    ++self->n_ranges;
    if (status == CAIRN_UNPLACED) {
        status = start(self, track, link);
    } else {
        const size_t n_fresh = cairn_track_n_fresh(self, track->cfg, track->t_us);
        self->n_disbelieved += status == CAIRN_REJECTED ? 1u : 0u;
        cairn_track_keep_sides(self, track, link, n_fresh, &here);
        watch(self, track, link, n_fresh, here.difference_m);
    }
    /* entries leave the table before the clock has gone round: one is looked at with each range */
    self->oldest = (uint16_t)((self->oldest + 1u) % self->n_links);
    if (!cairn_track_is_fresh(self, track->cfg, self->oldest, track->t_us, &age_s)) {
        self->link[self->oldest].range_m = 0;
    }
    if (innovation != NULL && status != CAIRN_UNPLACED) {
        *innovation = here;
    }
    return status;
}
