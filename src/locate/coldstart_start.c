/* SPDX-License-Identifier: MIT
 * Starts of unknown deviation. Where the ranges show them to be near, the map begins there; else it begins cold, and what
 * the starts are worth is measured on the map: the median distance, which folds and fliers do not move, found by halving.
 * From then on each start is one more neighbour, at range 0: it decides flips and holds what the ranges leave loose. */
#include "locate/coldstart_internal.h"

#define USABLE    0.75f /* of the radio range: starts farther off are not begun from */
#define HALVINGS  24u
#define MEDIAN_2D 1.386f /* median of |x - x0|^2 over the variance of a coordinate: 2 log 2 */
#define MEDIAN_1D 0.455f
#define MEDIAN_3D 2.366f
#define STD_LEAST 0.02f /* of the radio range */

bool cairn_coldstart_begin_at_starts(const cairn_coldstart_t *self)
{
    return self->has_starts && self->locate.start_std_m < USABLE * self->radio_range_m;
}

void cairn_coldstart_set_prior(cairn_coldstart_t *self, cairn_real std_m)
{
    const cairn_real kept_m = cairn_max(std_m, STD_LEAST * self->radio_range_m);

    self->locate.start_std_m = kept_m;
    self->prior_weight = 1 / (kept_m * kept_m);
}

static void count_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real *place_m = network_place(self->network, i);
        const cairn_real *start_m = locate_start(&self->locate, i);
        cairn_real sum = 0;
        for (size_t k = 0; k < dim; ++k) {
            sum += (place_m[k] - start_m[k]) * (place_m[k] - start_m[k]);
        }
        if (locate_has_start(&self->locate, i)) {
            self->n_changed += sum < self->alpha ? 1u : 0u;
        }
    }
}

/* Halve the interval (rho_first, rho) of the median of the squared distances. */
bool cairn_coldstart_measure_starts(cairn_coldstart_t *self, int32_t *operations)
{
    const cairn_real medians[] = {MEDIAN_1D, MEDIAN_2D, MEDIAN_3D};

    if (self->phase == 0) {
        self->rho_first = 0;
        self->rho = 4 * self->radio_range_m * self->radio_range_m * COLDSTART_START_RANGES * COLDSTART_START_RANGES;
        self->phase = 1;
        self->n_changed = 0;
    }
    self->alpha = (self->rho_first + self->rho) / 2;
    if (!cairn_coldstart_pass(self, operations, 1, count_run)) {
        return false;
    }
    if (2u * self->n_changed > self->network->n_starts) {
        self->rho = self->alpha;
    } else {
        self->rho_first = self->alpha;
    }
    self->n_changed = 0;
    if (self->phase++ < HALVINGS) {
        return false;
    }
    cairn_coldstart_set_prior(self, cairn_sqrt(self->rho / medians[coldstart_dim(self) - 1u]));
    return true;
}
