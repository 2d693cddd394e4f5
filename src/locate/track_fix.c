/* SPDX-License-Identifier: MIT
 * Tracking: a place from the last ranges alone, for start and re-lock. From several places on the sphere round the anchor
 * heard last, steps along the axes that shrink from the range to the noise, and with them what a link is forgiven
 * (graduated non-convexity: Blake and Zisserman 1987; pattern search: Hooke and Jeeves 1961); the place that most links
 * agree with wins. */
#include "locate/track_links_internal.h"

#define SHRINK    0.75f /* of a step, from round to round */
#define APART     6     /* noises of a range between two places */
#define LAST_STEP 0.25f /* of the noise of a range */

cairn_real cairn_track_link_m2(const cairn_track_links_t *links, const cairn_track_cfg_t *cfg, size_t link,
                               uint32_t t_us)
{
    const cairn_track_link_t *last = &links->link[link];
    const cairn_real age_s = (cairn_real)(int32_t)(t_us - last->t_us) * 1e-6f;
    const cairn_real moved_m = cfg->speed_typical * age_s;

    return last->range_m > 0 && cairn_abs(age_s) <= cfg->fresh_s ? cfg->noise_m * cfg->noise_m + moved_m * moved_m : 0;
}

cairn_real cairn_track_agreement(const cairn_track_links_t *links, const cairn_track_t *track,
                                 const cairn_real *place_m, cairn_real extra_m2)
{
    const size_t dim = track->cfg->dim;
    const cairn_real *scale = track_states_const(track) + dim, *anchor_m = links->place_m;
    const cairn_real *own = track_covariance_const(track) + track_row(dim) + dim; /* of scale; dim + 2 on: of bias */
    const cairn_real rel = track->cfg->noise_rel;
    cairn_real score = 0;
    size_t link = 0;

    do {
        const cairn_real link_m2 = cairn_track_link_m2(links, track->cfg, link, track->t_us);
        if (link_m2 > 0) {
            const cairn_real distance_m = cairn_distance(place_m, anchor_m, dim);
            const cairn_real error_m = links->link[link].range_m - scale[1] - (1 + scale[0]) * distance_m;
            const cairn_real var_m2 =
                TRACK_HALF2 * (link_m2 + extra_m2 + own[dim + 2u] + (own[0] + rel * rel) * distance_m * distance_m);
            score += var_m2 / (var_m2 + error_m * error_m);
        }
        anchor_m += dim;
    } while (++link < links->n_links);
    return score;
}

/* Climb from a start. */
static CAIRN_NOINLINE cairn_real climb(const cairn_track_links_t *links, const cairn_track_t *track, cairn_real step_m,
                                       cairn_real *place_m)
{
    for (; step_m > LAST_STEP * track->cfg->noise_m; step_m *= SHRINK) {
        cairn_real best = cairn_track_agreement(links, track, place_m, step_m * step_m);
        for (size_t way = 0; way < 2u * track->cfg->dim; ++way) { /* both ways along each axis */
            const cairn_real before_m = place_m[way / 2u];
            place_m[way / 2u] = before_m + step_m;
            step_m = -step_m;
            const cairn_real score = cairn_track_agreement(links, track, place_m, step_m * step_m);
            if (score > best) {
                best = score;
            } else {
                place_m[way / 2u] = before_m;
            }
        }
    }
    return cairn_track_agreement(links, track, place_m, 0);
}

void cairn_track_fix(const cairn_track_links_t *links, const cairn_track_t *track, size_t link, track_fix_t *fix)
{
    const cairn_track_cfg_t *cfg = track->cfg;
    const size_t dim = cfg->dim;
    const cairn_real *anchor_m = links->place_m + link * dim;
    const cairn_real range_m = links->link[link].range_m;
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];

    fix->score = fix->rival = 0;
    for (unsigned start = 0; start >> dim == 0; ++start) { /* a corner of the cube round the sphere each */
        for (size_t i = 0; i < dim; ++i) {
            place_m[i] = anchor_m[i] + ((start >> i & 1u) != 0 ? range_m : -range_m);
        }
        const cairn_real score = climb(links, track, 0.5f * range_m, place_m);
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): cairn_track_init has refused dim 0 */
        if ((place_m[dim - 1u] - anchor_m[dim - 1u]) * (cairn_real)cfg->side < 0) {
            continue;
        }
        const cairn_real worse = cairn_min(score, fix->score);
        if (worse > fix->rival && cairn_distance(place_m, fix->place_m, dim) > APART * cfg->noise_m) {
            fix->rival = worse;
        }
        if (score > fix->score) {
            fix->score = score;
            memcpy(fix->place_m, place_m, sizeof place_m);
        }
    }
}
