/* SPDX-License-Identifier: MIT
 * Tracking of whole networks: each set of ranges is a maximum a posteriori problem whose priors are the last places. The
 * solver is that of the cold start, pushes between pairs without a range included. */
#include "cairn/track_network.h"

#include "locate/network_internal.h"

#define PLACED_MOST 2 /* the last deviation counts for at most this many movements: one lost node must not loosen all */

cairn_status cairn_track_network_init(cairn_track_network_t *self, const cairn_track_network_cfg_t *cfg,
                                      cairn_network_t *network, cairn_word_t *work, size_t work_len)
{
    if (self == NULL || cfg == NULL || network == NULL || work == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(cfg->motion_m) || !cairn_isfinite(cfg->radio_range_m)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!(cfg->motion_m > 0) || cfg->radio_range_m < 0) {
        return CAIRN_ERR_ARG;
    }
    if (work_len < CAIRN_TRACK_NETWORK_WORDS(network->n_nodes, network->cfg->dim)) {
        return CAIRN_ERR_SIZE;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->network = network;
    self->work = work;
    self->work_len = work_len;
    return CAIRN_OK;
}

/* Deviation of the priors: the movement, and the mean of what was stated last, 0 for starts that the caller gave. */
static cairn_real prior_std_m(const cairn_track_network_t *self)
{
    const cairn_network_t *network = self->network;
    const cairn_real motion_m2 = self->cfg->motion_m * self->cfg->motion_m;
    cairn_real mean_m2 = 0;
    uint32_t n = 0;

    for (uint32_t node = 0; node < network->n_nodes; ++node) {
        if (!network_is_anchor(network, node) && network_state(network, node) != CAIRN_NODE_UNPLACED) {
            const cairn_real std_m = network->memory.std_m[node];
            mean_m2 += (cairn_min(std_m * std_m, PLACED_MOST * PLACED_MOST * motion_m2) - mean_m2) / (cairn_real)++n;
        }
    }
    return cairn_sqrt(motion_m2 + mean_m2);
}

cairn_status cairn_track_network_begin(cairn_track_network_t *self)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->busy) {
        return CAIRN_ERR_STATE;
    }
    const cairn_coldstart_cfg_t before = self->solver_cfg;
    self->solver_cfg = cairn_coldstart_cfg_default;
    self->solver_cfg.locate.start_std_m = prior_std_m(self);
    self->solver_cfg.locate.radio_range_m = self->cfg->radio_range_m;
    self->solver_cfg.fine = 1;
    const cairn_status status =
        cairn_coldstart_init(&self->solver, &self->solver_cfg, self->network, self->work, self->work_len);
    self->busy = status == CAIRN_OK;
    if (!self->busy) {
        self->solver_cfg = before;
    }
    return status;
}

cairn_status cairn_track_network_step(cairn_track_network_t *self, uint32_t operations)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!self->busy) {
        return CAIRN_ERR_STATE;
    }
    const cairn_status status = cairn_coldstart_step(&self->solver, operations);
    self->busy = status == CAIRN_MORE;
    return status;
}
