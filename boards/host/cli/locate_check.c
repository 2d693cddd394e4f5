/* SPDX-License-Identifier: MIT
 * What the residuals of a located network point at, in words. */
#include "locate_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ANCHORS_MAX = 64, WORK_REALS = CAIRN_SUSPECT_WORK_REALS(CAIRN_LOCATE_DIM_MAX) };

static const double bad_node_rms = 3;

static void find_doubles(locate_check_t *self, const cairn_network_t *network)
{
    cairn_real work[WORK_REALS];
    for (uint32_t i = 0; i < network->n_nodes && self->n_doubles < LOCATE_DOUBLES_MAX; i++) {
        cairn_residual_t residual;
        cairn_suspect_t costs;
        if (cairn_residual_of_node(network, i, &residual) == CAIRN_OK && (double)residual.rms > bad_node_rms &&
            cairn_suspect_double(network, i, work, WORK_REALS, self->double_m[self->n_doubles], &costs) ==
                CAIRN_REJECTED) {
            self->double_node[self->n_doubles++] = i;
        }
    }
}

static void find_swap(locate_check_t *self, const cairn_network_t *network)
{
    cairn_real work[WORK_REALS];
    uint32_t a = 0;
    uint32_t b = 0;
    while (network->n_anchors <= ANCHORS_MAX && cairn_suspect_next_pair(network, &a, &b)) {
        cairn_suspect_t costs;
        if (cairn_suspect_swap(network, a, b, work, WORK_REALS, &costs) == CAIRN_REJECTED &&
            (!self->swapped || costs.as_is - costs.otherwise > self->swap_costs.as_is - self->swap_costs.otherwise)) {
            self->swapped = true;
            self->swap_a = a;
            self->swap_b = b;
            self->swap_costs = costs;
        }
    }
}

void locate_check_run(locate_check_t *self, const cairn_network_t *network)
{
    memset(self, 0, sizeof *self);
    if (cairn_residual_of_network(network, &self->residual) < 0 ||
        cairn_residual_triangles(network, &self->triangles) < 0) {
        return;
    }
    self->suspicion = cairn_residual_judge(&self->residual);
    if ((self->suspicion & CAIRN_SUSPECT_NOISE) == 0) {
        return;
    }
    find_swap(self, network);
    if (!self->swapped) {
        find_doubles(self, network);
    }
}

static void print_place(const cairn_real *place_m, const double *origin_m, size_t dim)
{
    for (size_t k = 0; k < dim; k++) {
        fprintf(stderr, "%s%.6g", k > 0 ? ", " : "(", origin_m[k] + (double)place_m[k]);
    }
    fputs(")", stderr);
}

static void print_nodes(const locate_check_t *self, const uint32_t *id, const double *origin_m, size_t dim)
{
    if (self->swapped) {
        fprintf(stderr,
                "suspect: anchors %lu and %lu seem exchanged: their ranges cost %.4g as stated, %.4g exchanged\n",
                (unsigned long)id[self->swap_a], (unsigned long)id[self->swap_b], (double)self->swap_costs.as_is,
                (double)self->swap_costs.otherwise);
    }
    for (uint32_t k = 0; k < self->n_doubles; k++) {
        fprintf(stderr, "suspect: id %lu seems to be two devices, near ", (unsigned long)id[self->double_node[k]]);
        print_place(self->double_m[k], origin_m, dim);
        fputs(" and ", stderr);
        print_place(self->double_m[k] + dim, origin_m, dim);
        fputs("\n", stderr);
    }
}

static void print_ranges(const locate_check_t *self, const uint32_t *id)
{
    const cairn_residual_t *residual = &self->residual;
    if ((self->suspicion & CAIRN_SUSPECT_UNITS) != 0) {
        fprintf(stderr, "suspect: the range of %lu and %lu is %.4g times their distance: another unit?\n",
                (unsigned long)id[residual->ratio_a], (unsigned long)id[residual->ratio_b], (double)residual->ratio);
    }
    if ((self->suspicion & CAIRN_SUSPECT_ONE_SIDED) != 0) {
        bool too_long = residual->mean > 0;
        fprintf(stderr,
                "suspect: ranges are too %s as a rule, by %.2g deviations on average, %lu far too long and %lu far "
                "too short: %s\n",
                too_long ? "long" : "short", fabs((double)residual->mean), (unsigned long)residual->n_long,
                (unsigned long)residual->n_short,
                too_long ? "a bias or blocked sight; see --bias and --loss" : "a bias; see --bias");
    }
    if ((self->suspicion & CAIRN_SUSPECT_OUTLIERS) != 0) {
        fprintf(stderr, "suspect: %lu of %lu ranges are off by more than 3 deviations; see --loss\n",
                (unsigned long)(residual->n_long + residual->n_short), (unsigned long)residual->n);
    }
}

void locate_check_print(const locate_check_t *self, const uint32_t *id, const double *origin_m, size_t dim)
{
    const cairn_residual_t *residual = &self->residual;
    if (2 * self->triangles.n_broken > self->triangles.n) {
        fprintf(
            stderr,
            "suspect: %lu of %lu pairs of ranges to two anchors cannot be; together they are %.3g times the anchors' "
            "distance: another unit, or other anchors?\n",
            (unsigned long)self->triangles.n_broken, (unsigned long)self->triangles.n, (double)self->triangles.ratio);
    }
    if (self->suspicion == 0) {
        return;
    }
    print_nodes(self, id, origin_m, dim);
    print_ranges(self, id);
    if ((self->suspicion & CAIRN_SUSPECT_NOISE) != 0) {
        fprintf(stderr,
                "suspect: residuals are %.3g times the declared noise; the worst is that of %lu and %lu, %.3g\n",
                (double)residual->rms, (unsigned long)id[residual->worst_a], (unsigned long)id[residual->worst_b],
                (double)residual->worst);
    }
}
