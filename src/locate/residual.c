/* SPDX-License-Identifier: MIT
 * Residuals and their pattern. The limits hold for standardized residuals of normal noise, of which the map has taken a
 * part: they are then smaller, never larger. */
#include "cairn/residual.h"

#include "cairn/vector.h"
#include "locate/network_internal.h"

#define FAR            3    /* deviations: beyond it a range counts as long or short; 1 in 370 of a normal set */
#define MEAN_ROOTS     4    /* mean of n residuals beyond this over root n is no chance: 1 in 16,000 */
#define MEAN_LEAST     0.3f /* deviations: a smaller mean does no harm */
#define NOISE_ROOTS    4    /* rms beyond 1 + this over root 2n is no chance */
#define NOISE_LEAST    1.3f /* declared noise within 30 % is right */
#define OUTLIERS_LEAST 2    /* far ranges beyond those expected */
#define SIDED_LEAST    4    /* far ranges on one side, and as many times those on the other */
#define UNIT_RATIO     100  /* units differ by 304.8 or 1000 as a rule; .3048 is a scale error */
#define BROKEN_STD     4    /* deviations by which a triangle must miss */

static void clear(cairn_residual_t *self)
{
    memset(self, 0, sizeof *self);
    self->ratio = 1;
}

static bool is_worse_ratio(cairn_real ratio, cairn_real before)
{
    const cairn_real size = ratio < 1 ? 1 / ratio : ratio;
    const cairn_real size_before = before < 1 ? 1 / before : before;

    return size > size_before;
}

static void add(cairn_residual_t *self, const cairn_network_t *network, uint32_t node, uint32_t j)
{
    const cairn_link_t *link = network_link(network, node, j);
    const uint32_t other = cairn_link_node(link);
    cairn_real residual;
    cairn_real distance_m;
    cairn_real ratio;

    if (!network_is_known(network, node) || !network_is_known(network, other)) {
        return;
    }
    residual = cairn_residual_of_link(network, node, j);
    distance_m = cairn_distance(network_place(network, node), network_place(network, other), network->cfg->dim);
    /* a distance of 0 is measured as one deviation */
    ratio = link->range_m / cairn_max(distance_m, cairn_sqrt(cairn_network_variance(network, link, distance_m)));
    ++self->n;
    self->n_long += residual > FAR ? 1u : 0u;
    self->n_short += residual < -FAR ? 1u : 0u;
    self->mean += (residual - self->mean) / (cairn_real)self->n;
    self->rms += (residual * residual - self->rms) / (cairn_real)self->n;
    if (self->n == 1 || cairn_abs(residual) > cairn_abs(self->worst)) {
        self->worst = residual;
        self->worst_a = node;
        self->worst_b = other;
    }
    /* two nodes nearer than their noise have any ratio */
    if (cairn_abs(residual) > FAR && is_worse_ratio(ratio, self->ratio)) {
        self->ratio = ratio;
        self->ratio_a = node;
        self->ratio_b = other;
    }
}

cairn_real cairn_residual_of_link(const cairn_network_t *network, uint32_t node, uint32_t j)
{
    const cairn_link_t *link = cairn_network_link(network, node, j);
    uint32_t other;
    cairn_real distance_m;

    if (link == NULL) {
        return 0;
    }
    other = cairn_link_node(link);
    if (!network_is_known(network, node) || !network_is_known(network, other)) {
        return 0;
    }
    distance_m = cairn_distance(network_place(network, node), network_place(network, other), network->cfg->dim);
    return (link->range_m - distance_m) / cairn_sqrt(cairn_network_variance(network, link, distance_m));
}

cairn_status cairn_residual_of_node(const cairn_network_t *network, uint32_t node, cairn_residual_t *result)
{
    if (network == NULL || result == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!network->sealed) {
        return CAIRN_ERR_STATE;
    }
    if (node >= network->n_nodes) {
        return CAIRN_ERR_UNKNOWN_ID;
    }
    clear(result);
    for (uint32_t j = 0; j < network_degree(network, node); ++j) {
        add(result, network, node, j);
    }
    result->rms = cairn_sqrt(result->rms);
    return CAIRN_OK;
}

cairn_status cairn_residual_of_network(const cairn_network_t *network, cairn_residual_t *result)
{
    if (network == NULL || result == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!network->sealed) {
        return CAIRN_ERR_STATE;
    }
    clear(result);
    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        const uint32_t n_lower = lower_rows(network)[i + 1u] - lower_rows(network)[i];
        for (uint32_t j = n_lower; j < network_degree(network, i); ++j) {
            add(result, network, i, j);
        }
    }
    result->rms = cairn_sqrt(result->rms);
    return CAIRN_OK;
}

uint32_t cairn_residual_judge(const cairn_residual_t *residual)
{
    const cairn_real n = (cairn_real)residual->n;
    const cairn_real root = cairn_sqrt(n);
    const uint32_t n_far = residual->n_long + residual->n_short;
    const uint32_t expected = residual->n / 100u + OUTLIERS_LEAST;
    const uint32_t many = residual->n_long > residual->n_short ? residual->n_long : residual->n_short;
    const cairn_real shift = cairn_abs(residual->mean);
    uint32_t bits = 0;

    if (residual->n == 0) {
        return 0;
    }
    if (residual->rms > cairn_max(1 + (cairn_real)NOISE_ROOTS / cairn_sqrt(2 * n), NOISE_LEAST)) {
        bits |= CAIRN_SUSPECT_NOISE;
    }
    if ((shift > MEAN_LEAST && shift * root > MEAN_ROOTS) ||
        (many >= expected + SIDED_LEAST && many >= SIDED_LEAST * (n_far - many))) {
        bits |= CAIRN_SUSPECT_ONE_SIDED;
    }
    if (n_far > expected && 2 * n_far < residual->n) {
        bits |= CAIRN_SUSPECT_OUTLIERS;
    }
    if (residual->ratio > UNIT_RATIO || residual->ratio < 1 / (cairn_real)UNIT_RATIO) {
        bits |= CAIRN_SUSPECT_UNITS;
    }
    return bits;
}

/* Sums for the mean ratio. */
typedef struct lengths {
    cairn_real ranges_m;
    cairn_real sides_m;
} lengths_t;

static void add_triangle(const cairn_network_t *network, const cairn_link_t *first, const cairn_link_t *second,
                         cairn_triangles_t *self, lengths_t *lengths)
{
    const cairn_real side_m = cairn_distance(network_place(network, cairn_link_node(first)),
                                             network_place(network, cairn_link_node(second)), network->cfg->dim);
    const cairn_real allowed_m =
        (cairn_real)BROKEN_STD * cairn_sqrt(cairn_network_variance(network, first, first->range_m) +
                                            cairn_network_variance(network, second, second->range_m));
    const cairn_real difference_m = cairn_abs(first->range_m - second->range_m);
    const cairn_real sum_m = first->range_m + second->range_m;

    ++self->n;
    self->n_broken += difference_m > side_m + allowed_m || sum_m < side_m - allowed_m ? 1u : 0u;
    lengths->ranges_m += sum_m;
    lengths->sides_m += side_m;
}

static void add_triangles_of(const cairn_network_t *network, uint32_t sensor, cairn_triangles_t *self,
                             lengths_t *lengths)
{
    for (uint32_t j = 1; j < network_degree(network, sensor); ++j) {
        const cairn_link_t *first = network_link(network, sensor, j);
        for (uint32_t k = 0; k < j && network_is_anchor(network, cairn_link_node(first)); ++k) {
            const cairn_link_t *second = network_link(network, sensor, k);
            if (network_is_anchor(network, cairn_link_node(second))) {
                add_triangle(network, first, second, self, lengths);
            }
        }
    }
}

cairn_status cairn_residual_triangles(const cairn_network_t *network, cairn_triangles_t *result)
{
    cairn_triangles_t counted = {0, 0, 0};
    lengths_t lengths = {0, 0};

    if (network == NULL || result == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!network->sealed) {
        return CAIRN_ERR_STATE;
    }
    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        if (!network_is_anchor(network, i)) {
            add_triangles_of(network, i, &counted, &lengths);
        }
    }
    counted.ratio = lengths.sides_m > 0 ? lengths.ranges_m / lengths.sides_m : 0;
    *result = counted;
    return CAIRN_OK;
}
