/* SPDX-License-Identifier: MIT
 * Anchors that do not fit: where a wide part of the map is folded so that it lies off by about a radio range, an anchor
 * in it sits on the wrong side of its neighbours, too few to pull all of it back. The place where the anchor would fit
 * is looked for, and the map around that is shifted so that the anchor comes to lie there, less and less with the
 * distance: an even strain that the solver takes out, but no fold. */
#include "locate/coldstart_internal.h"

#define GAIN_LEAST  10.0f /* of cost, where the anchor fits */
#define LINKS_LEAST 2u    /* beyond the dimension: fewer ranges fit elsewhere by chance */
#define AWAY_LEAST  0.3f  /* radio ranges from the anchor to where it fits; nearer, the solver finds there by itself */
#define AWAY_MOST   2.0f  /* farther, the anchor is a wrong one */
#define REACH       8.0f  /* radio ranges from there to where nothing moves: shifts of a radio range strain by 1/8 */
#define STEPS_FIT   8

/* Where an anchor fits best among its neighbours; returns what that saves. */
static CAIRN_NOINLINE cairn_real find_fit(cairn_coldstart_t *self, uint32_t anchor)
{
    cairn_real candidates_m[COLDSTART_CANDIDATES_MAX][CAIRN_LOCATE_DIM_MAX];
    const size_t n_candidates = cairn_coldstart_candidates(self, anchor, candidates_m);
    const cairn_real own = cairn_coldstart_own_cost(self, anchor, 1);
    cairn_real least = own;
    cairn_real gain;

    for (size_t c = 0; c < n_candidates; ++c) {
        const cairn_real cost = cairn_coldstart_polish(self, anchor, STEPS_FIT, candidates_m[c], &gain);
        if (cost < least) {
            least = cost;
            memcpy(self->shift_from_m, candidates_m[c], sizeof self->shift_from_m);
        }
    }
    return own - least;
}

static bool is_misfit(cairn_coldstart_t *self, uint32_t anchor)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real *anchor_m = network_place(self->network, anchor);
    cairn_real away_m;

    if (!network_is_anchor(self->network, anchor) || network_degree(self->network, anchor) < dim + LINKS_LEAST ||
        !(cairn_coldstart_normalised_cost(self, anchor) > COLDSTART_MISFIT) || !(find_fit(self, anchor) > GAIN_LEAST)) {
        return false;
    }
    away_m = cairn_distance(anchor_m, self->shift_from_m, dim);
    for (size_t k = 0; k < dim; ++k) {
        self->shift_m[k] = anchor_m[k] - self->shift_from_m[k];
    }
    return away_m > AWAY_LEAST * self->radio_range_m && away_m < AWAY_MOST * self->radio_range_m;
}

bool cairn_coldstart_next_misfit(cairn_coldstart_t *self, int32_t *operations)
{
    while (*operations > 0 && self->cursor < self->network->n_nodes) {
        const uint32_t node = self->cursor++;
        *operations -= network_is_anchor(self->network, node) ? (int32_t)network_degree(self->network, node) : 1;
        if (is_misfit(self, node)) {
            return true;
        }
    }
    return false;
}

void cairn_coldstart_shift_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real reach_m = REACH * self->radio_range_m;

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real *place_m = network_place(self->network, i);
        const cairn_real share = 1 - cairn_distance(place_m, self->shift_from_m, dim) / reach_m;
        for (size_t k = 0; k < dim && share > 0 && coldstart_is_free(self, i); ++k) {
            place_m[k] += share * self->shift_m[k];
        }
    }
}
