/* SPDX-License-Identifier: MIT
 * Tracking: a place from the last ranges alone, for start and re-lock. From several places on the sphere round the anchor
 * heard last, Gauss-Newton rounds with Cauchy weights whose scale shrinks from the range to the noise (graduated
 * non-convexity: Blake and Zisserman 1987); the place that most links agree with wins. A round folds link after link into
 * a covariance, as the tracker itself does: no system to solve, and the deviation comes with the place. */
#include "locate/track_links_internal.h"

#define ROUNDS      8
#define NARROWER    0.0625f /* variance that forgives, from round to round */
#define WIDE_NOISE2 1e4f    /* start variance of a step, over that of a range: what no link measures stays as it is */
#define NEAR_M      1e-3f
#define APART2      9 /* squared deviations, all axes together, from which on a place is another one */

bool cairn_track_is_fresh(const cairn_track_links_t *links, const cairn_track_cfg_t *cfg, size_t link, uint32_t t_us,
                          cairn_real *age_s)
{
    const cairn_track_link_t *last = &links->link[link];
    const uint32_t age_us = t_us - last->t_us;

    *age_s = (cairn_real)(age_us <= UINT32_C(0x7FFFFFFF) ? age_us : 0u - age_us) * 1e-6f;
    return last->range_m > 0 && *age_s <= cfg->fresh_s;
}

size_t cairn_track_n_fresh(const cairn_track_links_t *links, const cairn_track_cfg_t *cfg, uint32_t t_us)
{
    size_t n = 0;
    cairn_real age_s;

    for (size_t link = 0; link < links->n_links; ++link) {
        n += cairn_track_is_fresh(links, cfg, link, t_us, &age_s) ? 1u : 0u;
    }
    return n;
}

/* Range of a fresh link freed of scale and bias, and its variance with age. */
static cairn_real free_range(const cairn_track_links_t *links, const cairn_track_t *track, size_t link,
                             cairn_real age_s, cairn_real *var_m2)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const size_t dim = cfg->dim;
    const cairn_real *scale = track_states_const(track) + dim;
    const cairn_real *covariance = cairn_track_covariance_const(track);
    const cairn_real moved_m = cfg->speed_typical * age_s;
    cairn_real range_m = links->link[link].range_m - scale[1];
    cairn_real var = covariance[track_row(dim + 1u) + dim + 1u] + moved_m * moved_m + cfg->noise_m * cfg->noise_m;

    range_m = cairn_max(range_m / (1 + scale[0]), 0);
    *var_m2 = var + (covariance[track_row(dim) + dim] + cfg->noise_rel * cfg->noise_rel) * range_m * range_m;
    return range_m;
}

cairn_real cairn_track_agreement(const cairn_track_links_t *links, const cairn_track_t *track,
                                 const cairn_real *place_m, cairn_real extra_m2, cairn_real *step)
{
    const size_t dim = track->cfg->dim;
    cairn_real score = 0, age_s, var_m2, u[CAIRN_LOCATE_DIM_MAX], column[CAIRN_LOCATE_DIM_MAX];

    for (size_t link = 0; link < links->n_links; ++link) {
        if (!cairn_track_is_fresh(links, track->cfg, link, track->t_us, &age_s)) {
            continue;
        }
        const cairn_real *anchor_m = links->place_m + link * dim;
        const cairn_real distance_m = cairn_distance(place_m, anchor_m, dim);
        cairn_real error_m = free_range(links, track, link, age_s, &var_m2) - distance_m;
        const cairn_real weight = 1 / (1 + TRACK_CAUCHY * error_m * error_m / (var_m2 + extra_m2));
        score += weight;
        if (step != NULL) {
            for (size_t i = 0; i < dim; ++i) {
                u[i] = (place_m[i] - anchor_m[i]) / cairn_max(distance_m, NEAR_M);
                error_m -= u[i] * step[i];
            }
            const cairn_real own_m2 = cairn_track_product(step + dim, dim, u, column);
            cairn_track_apply(step, step + dim, dim, column, 1 / (own_m2 + var_m2 / weight), error_m);
        }
    }
    return score;
}

/* Polish a start; its covariance is that of the last round. */
static CAIRN_NOINLINE void polish(const cairn_track_links_t *links, const cairn_track_t *track, cairn_real extra_m2,
                                  track_fix_t *fix)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const size_t dim = cfg->dim;
    cairn_real step[TRACK_FIX_REALS];

    for (int round = 0; round < ROUNDS; ++round) {
        memset(step, 0, sizeof step); /* a step begins where the place is */
        cairn_track_add_noise(step + dim, dim, WIDE_NOISE2 * cfg->noise_m * cfg->noise_m);
        (void)cairn_track_agreement(links, track, fix->state, extra_m2, step);
        for (size_t i = 0; i < dim; ++i) {
            step[i] += fix->state[i];
        }
        memcpy(fix->state, step, sizeof step);
        extra_m2 *= NARROWER;
    }
    fix->score = cairn_track_agreement(links, track, fix->state, 0, NULL);
}

/* Whether two places are more than 3 deviations of the first apart. */
static bool are_apart(const track_fix_t *fix, const track_fix_t *other, size_t dim)
{
    const cairn_real distance_m = cairn_distance(fix->state, other->state, dim);

    return distance_m * distance_m > APART2 * cairn_track_trace(fix->state + dim, dim);
}

void cairn_track_fix(const cairn_track_links_t *links, const cairn_track_t *track, size_t link, track_fix_t *fix)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const size_t dim = cfg->dim;
    const cairn_real *anchor_m = links->place_m + link * dim;
    const cairn_real range_m = links->link[link].range_m;
    track_fix_t trial;
    size_t n_starts = 1;

    for (size_t i = 0; i < dim; ++i) {
        n_starts *= 3u;
    }
    fix->score = fix->rival = 0;
    for (size_t start = 0; start < n_starts; ++start) {
        size_t digits = start;
        for (size_t i = 0; i < dim; ++i, digits /= 3u) { /* -1, 0 or 1 range along each axis */
            trial.state[i] = anchor_m[i] + ((cairn_real)(digits % 3u) - 1) * range_m;
        }
        polish(links, track, range_m * range_m, &trial);
        if ((trial.state[dim - 1u] - anchor_m[dim - 1u]) * (cairn_real)cfg->side < 0) {
            continue;
        }
        const bool better = trial.score > fix->score;
        const track_fix_t *best = better ? &trial : fix, *worse = better ? fix : &trial;
        if (fix->score > 0 && worse->score > fix->rival && are_apart(best, worse, dim)) {
            fix->rival = worse->score;
        }
        if (better) {
            trial.rival = fix->rival;
            *fix = trial;
        }
    }
}
