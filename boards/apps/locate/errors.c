/* SPDX-License-Identifier: MIT */
/* How far the places are from the truth; kept in the work array, which the finished job left free. */
#include "apps/locate/app.h"

#include "cairn/vector.h"

/* The work array by node: true place, error or deviation, order by it, whether the truth is known. */
enum { TRUTH = 0, JUDGED = DIM, ORDER = DIM + 1, KNOWN = DIM + 2 };

#define NOTHING    ((cairn_real)-1)
#define HASH_START 2166136261u
#define HASH_PRIME 16777619u

static bool is_placed(cairn_status status) { return status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE; }

static cairn_word_t *part(const app_t *app, size_t which) { return app->work + which * app->n_nodes; }

void errors_clear_truth(app_t *app)
{
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        part(app, KNOWN)[node].index = 0;
    }
    app->has_truth = false;
}

void errors_set_truth(app_t *app, uint32_t node, const cairn_real *local_m)
{
    for (size_t k = 0; k < DIM; ++k) {
        part(app, TRUTH + k)[node].real = local_m[k];
    }
    part(app, KNOWN)[node].index = 1;
    app->has_truth = true;
}

bool errors_get_truth(const app_t *app, uint32_t node, cairn_real *local_m)
{
    if (part(app, KNOWN)[node].index == 0u) {
        return false;
    }
    for (size_t k = 0; k < DIM; ++k) {
        local_m[k] = part(app, TRUTH + k)[node].real;
    }
    return true;
}

float errors_of(const app_t *app, uint32_t node) { return (float)part(app, JUDGED)[node].real; }

uint32_t errors_worst(const app_t *app, uint32_t j) { return part(app, ORDER)[j].index; }

/* Error of a sensor, or its deviation when nothing is known of the truth; counts it. */
static cairn_real judge(const app_t *app, uint32_t node, errors_t *errors)
{
    cairn_real place_m[DIM], truth_m[DIM], std_m;
    cairn_node_state state = cairn_network_get_state(app->network, node);
    if (state == CAIRN_NODE_ANCHOR) {
        return NOTHING;
    }
    ++errors->n_sensors;
    errors->n_placed += state == CAIRN_NODE_PLACED ? 1u : 0u;
    errors->n_flip += state == CAIRN_NODE_FLIP_POSSIBLE ? 1u : 0u;
    cairn_status status = cairn_network_get_place(app->network, node, place_m, &std_m);
    if (!is_placed(status)) {
        ++errors->n_unplaced;
        return NOTHING;
    }
    if (!app->has_truth) {
        return std_m;
    }
    if (!errors_get_truth(app, node, truth_m)) {
        return NOTHING;
    }
    cairn_real x_m = place_m[0] - truth_m[0], y_m = place_m[1] - truth_m[1];
    cairn_real error_m = cairn_sqrt(x_m * x_m + y_m * y_m);
    ++errors->n_judged;
    errors->n_within += error_m <= (cairn_real)ERRORS_STD_95 * std_m ? 1u : 0u;
    return error_m;
}

/* Misfit of the ranges of a node to nodes after it. */
static double misfit_of(const app_t *app, uint32_t node)
{
    double sum = 0.0;
    cairn_real place_m[DIM], other_m[DIM];
    bool placed = is_placed(cairn_network_get_place(app->network, node, place_m, NULL));
    for (uint32_t j = 0; placed && j < cairn_network_degree(app->network, node); ++j) {
        const cairn_link_t *link = cairn_network_link(app->network, node, j);
        uint32_t other = cairn_link_node(link);
        if (other > node && is_placed(cairn_network_get_place(app->network, other, other_m, NULL))) {
            cairn_real distance_m = cairn_distance(place_m, other_m, DIM);
            cairn_real residual_m = distance_m - link->range_m;
            sum += (double)(residual_m * residual_m / cairn_network_variance(app->network, link, distance_m));
        }
    }
    return sum;
}

/* Insertion sort, worst first, ties by index: few nodes, no scratch. */
static void sort(app_t *app)
{
    cairn_word_t *order = part(app, ORDER);
    const cairn_word_t *judged = part(app, JUDGED);
    for (uint32_t i = 0; i < app->n_nodes; ++i) {
        uint32_t at = i;
        for (; at > 0u && judged[order[at - 1u].index].real < judged[i].real; --at) {
            order[at] = order[at - 1u];
        }
        order[at].index = i;
    }
}

void errors_compute(app_t *app, errors_t *errors)
{
    static const errors_t none;
    double sum_m2 = 0.0;
    *errors = none;
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real judged = judge(app, node, errors);
        part(app, JUDGED)[node].real = judged;
        errors->misfit += misfit_of(app, node);
        sum_m2 += judged > 0 ? (double)judged * (double)judged : 0.0;
    }
    sort(app);
    uint32_t n = errors->n_judged;
    if (n > 0u) {
        errors->rmse_m = (double)cairn_sqrt((cairn_real)(sum_m2 / n));
        errors->max_m = (double)errors_of(app, errors_worst(app, 0));
        errors->median_m = 0.5 * ((double)errors_of(app, errors_worst(app, n / 2u)) +
                                  (double)errors_of(app, errors_worst(app, (n - 1u) / 2u)));
    }
}

static uint32_t hash_word(uint32_t hash, uint32_t word)
{
    for (int i = 0; i < 4; ++i, word >>= 8) {
        hash = (hash ^ (word & 255u)) * HASH_PRIME;
    }
    return hash;
}

uint32_t errors_places_hash(const app_t *app)
{
    uint32_t hash = HASH_START;
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real place_m[DIM];
        cairn_status status = cairn_network_get_place(app->network, node, place_m, NULL);
        for (size_t k = 0; k < DIM; ++k) {
            uint32_t bits = UINT32_MAX;
            if (is_placed(status)) {
                float coordinate_m = (float)place_m[k];
                memcpy(&bits, &coordinate_m, sizeof bits);
            }
            hash = hash_word(hash, bits);
        }
    }
    return hash;
}
