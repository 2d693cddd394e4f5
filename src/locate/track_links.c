/* SPDX-License-Identifier: MIT
 * Tracking: the table of last ranges, start from it, and re-lock when too many ranges disagree. */
#include "locate/track_internal.h"

#define LINKS_MAX     255u
#define RELOCK_GAIN   2  /* the new place must have a cost lower by this */
#define EARLY_BAD     5u /* count from which a fix that leaves no doubt is taken */
#define RELOCK_REST_S 2
#define RELOCK_SPREAD 2 /* variances of a fix are doubled at a re-lock */
#define WIDE_NOISE2   100
#define BAD_PAUSE     4u /* the count after a fix that was not adopted */
#define MIRROR_LOOK   8u /* ranges between two looks at a mirror image */
#define HEIGHT_RATIO2 16 /* the height's deviation is 4 x the largest of the others */
#define HEIGHT_NOISE2 9

cairn_status cairn_track_links_init(cairn_track_links_t *self, const cairn_real *place_m, cairn_track_link_t *link,
                                    cairn_track_bias_t *bias, size_t n_links, const cairn_track_cfg_t *cfg)
{
    if (self == NULL || place_m == NULL || link == NULL || cfg == NULL || n_links < 1u || n_links > LINKS_MAX) {
        return CAIRN_ERR_ARG;
    }
    memset(self, 0, sizeof *self);
    self->place_m = place_m;
    self->link = link;
    self->bias = bias;
    self->n_links = (uint16_t)n_links;
    for (size_t i = 0; i < n_links; ++i) {
        link[i].range_m = 0;
        link[i].t_us = 0;
        if (bias != NULL) {
            bias[i].bias_m = cfg->link_m;
            bias[i].var_m2 = cfg->link_std_m * cfg->link_std_m;
        }
    }
    return CAIRN_OK;
}

/* Entries leave the table before the clock has gone round: one is looked at with each range. */
static void expire(cairn_track_links_t *self, const cairn_track_cfg_t *cfg, uint32_t t_us)
{
    cairn_track_link_t *oldest = &self->link[self->oldest];
    const uint32_t age_us = t_us - oldest->t_us;

    if (age_us <= UINT32_C(0x7FFFFFFF) && (cairn_real)age_us * 1e-6f > cfg->fresh_s) {
        oldest->range_m = 0;
    }
    self->oldest = (uint16_t)((self->oldest + 1u) % self->n_links);
}

static CAIRN_NOINLINE cairn_status start(cairn_track_links_t *self, cairn_track_t *track, uint32_t t_us)
{
    track_view_t view;
    track_fix_t fix;

    cairn_track_view(&view, self, track, t_us);
    if (!cairn_track_fix(&view, &fix) || cairn_track_view_agree(&view, fix.place_m, 0) < track->cfg->dim + 1u ||
        cairn_track_check_place(track->cfg, fix.place_m) != CAIRN_OK) {
        return CAIRN_UNPLACED;
    }
    cairn_track_adopt(track, fix.place_m, fix.cov_m2, true);
    track->t_us = t_us;
    track->flags = (uint8_t)(track->flags | (fix.mirror ? TRACK_MIRROR : 0u));
    ++self->n_starts;
    return CAIRN_OK;
}

/* Largest variance of the place, summed over the axes. */
static cairn_real trace_m2(const cairn_track_t *track)
{
    const cairn_real *covariance = track_states_const(track) + track_n_states(track->cfg);
    cairn_real trace = 0;

    for (size_t i = 0; i < track->cfg->dim; ++i) {
        trace += covariance[track_row(i) + i];
    }
    return trace;
}

/* What a fix must have over the present place: lower cost, and more links that agree. */
typedef struct demand {
    cairn_real gain;
    size_t margin;
    bool all; /* every fresh link must agree with the fix, and there must be one to spare */
} demand_t;

static const demand_t demand_early = {4, 3, true};   /* few ranges have disagreed yet */
static const demand_t demand_late = {2, 2, false};   /* many have */
static const demand_t demand_mirror = {2, 0, false}; /* the place is known to be one of two */

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static bool is_better(const track_view_t *view, const track_fix_t *fix, const cairn_track_t *track,
                      const demand_t *demand)
{
    const cairn_real *place_m = track_states_const(track);
    const size_t n_new = cairn_track_view_agree(view, fix->place_m, 0);
    const size_t n_least =
        demand->all ? larger(cairn_track_view_fresh(view), view->cfg->dim + 2u) : view->cfg->dim + 1u;

    return fix->cost < cairn_track_view_cost(view, place_m) - demand->gain && n_new >= n_least &&
           (demand->margin == 0 || n_new >= cairn_track_view_agree(view, place_m, trace_m2(track)) + demand->margin) &&
           cairn_track_check_place(view->cfg, fix->place_m) == CAIRN_OK;
}

static void adopt_again(cairn_track_links_t *self, cairn_track_t *track, track_fix_t *fix)
{
    for (size_t i = 0; i < CAIRN_SYMMETRIC_REALS(track->cfg->dim); ++i) {
        fix->cov_m2[i] *= RELOCK_SPREAD;
    }
    cairn_track_adopt(track, fix->place_m, fix->cov_m2, false);
    track->flags = (uint8_t)(track->flags | (fix->mirror ? TRACK_MIRROR : 0u));
    ++self->n_relocks;
    self->relock_us = track->t_us;
}

/* Too few links for a fix: the place is at least as uncertain as the ranges say. */
static void widen(cairn_track_t *track, cairn_real difference_m)
{
    cairn_real *covariance = track_states(track) + track_n_states(track->cfg);
    const cairn_real limit_m2 = track->cfg->range_max_m * track->cfg->range_max_m;

    for (size_t i = 0; i < track->cfg->dim && trace_m2(track) < limit_m2; ++i) {
        covariance[track_row(i) + i] += difference_m * difference_m;
    }
}

static CAIRN_NOINLINE void relock(cairn_track_links_t *self, cairn_track_t *track, cairn_real difference_m)
{
    track_view_t view;
    track_fix_t fix;
    const uint32_t since_us = track->t_us - self->relock_us;
    const bool early = track_bad(track) < TRACK_BAD;

    if (self->n_relocks > 0 && (cairn_real)since_us * 1e-6f < RELOCK_REST_S) {
        return;
    }
    cairn_track_view(&view, self, track, track->t_us);
    if (cairn_track_view_fresh(&view) < track->cfg->dim + 1u) {
        if (!early) {
            widen(track, difference_m);
            track_set_bad(track, 0);
            track->flags |= TRACK_MIRROR;
        }
    } else if (cairn_track_fix(&view, &fix) && is_better(&view, &fix, track, early ? &demand_early : &demand_late)) {
        adopt_again(self, track, &fix);
    } else if (!early) {
        track_set_bad(track, BAD_PAUSE);
    }
}

/* Whether the mirror image still fits; the better one of the two is taken. */
static CAIRN_NOINLINE void look_at_mirror(cairn_track_links_t *self, cairn_track_t *track)
{
    track_view_t view;
    track_fix_t fix;

    cairn_track_view(&view, self, track, track->t_us);
    if (!cairn_track_fix(&view, &fix) || fix.mirror) {
        return;
    }
    if (is_better(&view, &fix, track, &demand_mirror)) {
        adopt_again(self, track, &fix);
    } else if (cairn_track_view_cost(&view, track_states(track)) < fix.cost + RELOCK_GAIN) {
        track->flags &= (uint8_t)~TRACK_MIRROR;
    }
}

/* So uncertain that a fix is worth its work with every range. */
static bool is_wide(const cairn_track_t *track)
{
    return trace_m2(track) > WIDE_NOISE2 * track->cfg->noise_m * track->cfg->noise_m;
}

/* A range of a placed tracker has been folded in: is the place still right? */
static void watch(cairn_track_links_t *self, cairn_track_t *track, cairn_real difference_m)
{
    cairn_track_keep_sides(self, track);
    if (track_bad(track) >= EARLY_BAD) {
        relock(self, track, difference_m);
    } else if ((track->flags & TRACK_MIRROR) != 0 && (is_wide(track) || self->n_ranges % MIRROR_LOOK == 0)) {
        look_at_mirror(self, track);
    }
}

/* The bias of a link wanders between its ranges. */
static void walk_bias(const cairn_track_links_t *self, const cairn_track_t *track, size_t link, uint32_t t_us)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const uint32_t since_us = t_us - self->link[link].t_us;
    const cairn_real most_m2 = cfg->link_std_m * cfg->link_std_m;

    if (self->link[link].range_m > 0 && since_us <= UINT32_C(0x7FFFFFFF)) {
        const cairn_real var_m2 =
            self->bias[link].var_m2 + cfg->link_walk * cfg->link_walk * (cairn_real)since_us * 1e-6f;
        self->bias[link].var_m2 = var_m2 < most_m2 ? var_m2 : cairn_max(most_m2, self->bias[link].var_m2);
    }
}

/* A valid range of a known link: core, table, start or watch. */
static cairn_status take(cairn_track_links_t *self, cairn_track_t *track, const cairn_track_peer_t *peer,
                         cairn_real range_m, cairn_real std_m, uint32_t t_us, cairn_track_innovation_t *innovation)
{
    cairn_track_innovation_t here = {0, 0, 0};
    const bool alone = cairn_track_is_alone(self, track, peer->tie, t_us);
    cairn_real bearing_var = 0;
    cairn_status status;

    if (alone && (track->flags & TRACK_PLACED) != 0 && std_m >= 0 &&
        cairn_track_check_range(track, peer, range_m, std_m) == CAIRN_OK) {
        status = cairn_track_predict(track, t_us);
        if (status != CAIRN_OK) {
            return status;
        }
        bearing_var = cairn_track_bearing_var(track, peer->place_m);
    }
    status = cairn_track_range(track, peer, range_m, std_m, t_us, &here);
    if (status < 0) {
        return status;
    }
    if (alone && status != CAIRN_UNPLACED) {
        cairn_track_keep_bearing(track, peer->place_m, bearing_var);
    }
    self->link[peer->tie].range_m = range_m;
    self->link[peer->tie].t_us = t_us;
    ++self->n_ranges;
    self->n_disbelieved += status == CAIRN_REJECTED ? 1u : 0u;
    if (status == CAIRN_UNPLACED) {
        status = start(self, track, t_us);
    } else {
        watch(self, track, here.difference_m);
    }
    expire(self, track->cfg, t_us);
    if (innovation != NULL && status != CAIRN_UNPLACED) {
        *innovation = here;
    }
    return status;
}

cairn_status cairn_track_links_range(cairn_track_links_t *self, cairn_track_t *track, size_t link, cairn_real range_m,
                                     cairn_real std_m, uint32_t t_us, cairn_track_innovation_t *innovation)
{
    cairn_track_peer_t peer = {NULL, NULL, NULL, 0, 0};
    cairn_status status;

    if (self == NULL || track == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (link >= self->n_links) {
        return cairn_track_refuse(track, CAIRN_ERR_UNKNOWN_ID);
    }
    peer.place_m = self->place_m + link * track->cfg->dim;
    peer.link = (uint8_t)link;
    peer.tie = (uint8_t)link;
    if (self->bias == NULL) {
        return take(self, track, &peer, range_m, std_m, t_us, innovation);
    }
    peer.bias = &self->bias[link];
    const cairn_track_bias_t before = *peer.bias;
    walk_bias(self, track, link, t_us);
    status = take(self, track, &peer, range_m, std_m, t_us, innovation);
    if (status < 0) {
        *peer.bias = before;
    }
    return status;
}

/* 3-D: whether the height is much worse known than the rest. */
static bool height_unresolved(const cairn_track_t *track)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const cairn_real *covariance = track_states_const(track) + track_n_states(cfg);

    if (cfg->dim < 3u) {
        return false;
    }
    const cairn_real level_m2 = cairn_max(covariance[0], covariance[track_row(1) + 1u]);
    const cairn_real height_m2 = covariance[track_row(2) + 2u];
    return height_m2 > HEIGHT_RATIO2 * level_m2 && height_m2 > HEIGHT_NOISE2 * cfg->noise_m * cfg->noise_m;
}

cairn_track_state cairn_track_get_state(const cairn_track_t *track, const cairn_track_links_t *self, uint32_t t_us)
{
    track_view_t view;

    if (track == NULL || (track->flags & TRACK_PLACED) == 0) {
        return CAIRN_TRACK_UNPLACED;
    }
    if (self != NULL) {
        cairn_track_view(&view, self, track, t_us);
        if (cairn_track_view_fresh(&view) < track->cfg->dim) {
            return CAIRN_TRACK_STARVED;
        }
    }
    if (track_bad(track) >= TRACK_DOUBT) {
        return CAIRN_TRACK_DOUBTFUL;
    }
    if ((track->flags & TRACK_MIRROR) != 0) {
        return CAIRN_TRACK_MIRROR;
    }
    return height_unresolved(track) ? CAIRN_TRACK_HEIGHT : CAIRN_TRACK_PLACED;
}
