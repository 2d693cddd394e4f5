/* SPDX-License-Identifier: MIT */
/* How large the map is, and round numbers for its axes. */
#include "apps/locate/app.h"

static void include(extent_t *extent, const cairn_real *local_m)
{
    for (size_t k = 0; k < DIM; ++k) {
        float x_m = (float)local_m[k];
        if (!extent->started || x_m < extent->low_m[k]) {
            extent->low_m[k] = x_m;
        }
        if (!extent->started || x_m > extent->high_m[k]) {
            extent->high_m[k] = x_m;
        }
    }
    extent->started = true;
}

void extent_compute(const app_t *app, extent_t *extent)
{
    extent->started = false;
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real local_m[DIM];
        cairn_status status = cairn_network_get_place(app->network, node, local_m, NULL);
        if (status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE) {
            include(extent, local_m);
        }
        if (errors_get_truth(app, node, local_m)) {
            include(extent, local_m);
        }
    }
}

double extent_round_up(double value)
{
    static const double steps[] = {1.0, 2.0, 5.0, 10.0};
    double power = 1.0;
    if (!(value > 0.0)) {
        return 1.0;
    }
    for (int i = 0; i < 40 && power < value; ++i) {
        power *= 10.0;
    }
    for (int i = 0; i < 40 && power >= value; ++i) {
        power /= 10.0;
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        if (steps[i] * power >= value) {
            return steps[i] * power;
        }
    }
    return 10.0 * power;
}
