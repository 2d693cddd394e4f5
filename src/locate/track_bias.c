/* SPDX-License-Identifier: MIT
 * Tracking: biases of single links beside the state, a scalar filter each. */
#include "locate/track_links_internal.h"

cairn_status cairn_track_bias_init(cairn_track_bias_t *bias, size_t n_links, const cairn_track_cfg_t *cfg)
{
    if (bias == NULL || cfg == NULL) {
        return CAIRN_ERR_ARG;
    }
    for (size_t i = 0; i < n_links; ++i) {
        bias[i].bias_m = cfg->link_m;
        bias[i].var_m2 = cfg->link_std_m * cfg->link_std_m;
    }
    return CAIRN_OK;
}

/* Variance of a bias that has wandered since the last range of its link. Of one that has left the table it is known when it
 * was, unless the clock has gone round: at least cfg->fresh_s ago. */
static CAIRN_NOINLINE cairn_real wandered_m2(const cairn_track_bias_t *bias, const cairn_track_links_t *links,
                                             const cairn_track_cfg_t *cfg, size_t link, uint32_t t_us)
{
    const cairn_real most_m2 = cfg->link_std_m * cfg->link_std_m;
    const cairn_track_link_t *last = &links->link[link];
    cairn_real age_s = cairn_abs((cairn_real)(int32_t)(t_us - last->t_us) * 1e-6f);

    if (!(last->range_m > 0)) {
        age_s = cairn_max(age_s, cfg->fresh_s);
    }
    return cairn_max(bias->var_m2, cairn_min(bias->var_m2 + cfg->link_walk * cfg->link_walk * age_s, most_m2));
}

/* Standard deviation of a range whose bias is uncertain by var_m2, without what grows with the distance: that is added
 * where the range is looked at. */
static CAIRN_NOINLINE cairn_real total_std_m(const cairn_track_cfg_t *cfg, cairn_real std_m, cairn_real var_m2)
{
    const cairn_real own_m = std_m > 0 ? std_m : cfg->noise_m;

    return cairn_min(cairn_sqrt(own_m * own_m + var_m2), TRACK_REAL_MAX);
}

cairn_status cairn_track_bias_range(cairn_track_bias_t *bias, cairn_track_links_t *self, cairn_track_t *track,
                                    size_t link, cairn_real range_m, cairn_real std_m, uint32_t t_us,
                                    cairn_track_innovation_t *innovation)
{
    cairn_track_innovation_t here = {0, 0, 0, {0}};

    if (bias == NULL || self == NULL || track == NULL) {
        return CAIRN_ERR_ARG;
    }
    const cairn_track_cfg_t *cfg = track->cfg;
    /* refused there, as they were measured: a bias must not turn them into numbers that pass */
    if (link >= self->n_links ||
        !(std_m >= 0 && std_m <= TRACK_REAL_MAX && range_m > 0 && range_m <= cfg->range_max_m)) {
        return cairn_track_links_range(self, track, link, range_m, std_m, t_us, innovation);
    }
    const cairn_real var_m2 = wandered_m2(&bias[link], self, cfg, link, t_us);
    const cairn_status status = cairn_track_links_range(self, track, link, range_m - bias[link].bias_m,
                                                        total_std_m(cfg, std_m, var_m2), t_us, &here);
    if (status >= 0 && here.var_m2 > 0) {
        const cairn_real gain = here.weight * var_m2 / here.var_m2;
        bias[link].bias_m += gain * here.difference_m;
        bias[link].var_m2 = cairn_abs(var_m2 - gain * var_m2); /* rounding may make it negative */
        if (innovation != NULL) {
            *innovation = here;
        }
    }
    return status;
}
