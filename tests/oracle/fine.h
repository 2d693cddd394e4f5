/* SPDX-License-Identifier: MIT
 * The cost that the fine last stage of a cold start descends, slow and plain, in double: over all ranges the integral of
 * w(d) (d - D), w = 1 / variance at the distance d kept within bounds; over measured pairs longer than the radio range and
 * unmeasured ones nearer than it the pushes, those of the latter capped; over starts the square. Its gradient, and a bound of
 * its curvature, a node. Settings are the job's, the mathematics is not. After oracle/cold.h; squared loss only. */
#ifndef CAIRN_ORACLE_FINE_H
#define CAIRN_ORACLE_FINE_H

#include "locate/coldstart_internal.h"

#define FINE_PARTS (TEST_STRIDE == 1u ? 200 : 60) /* of the quadrature, even */

typedef struct fine {
    double radio_range_m, stretch;
    double abs2, rel2, soft2, least2, most2, floor2; /* as in cairn_coldstart_noise_t */
    double push, loose_push, cap, prior, unit_weight;
    bool pulls, far_starts;
} fine_t;

static double fine_gradient[WORLD_REALS];
static double fine_kinks; /* what Simpson's rule with 16 parts leaves open where w has kinks, at most, of all ranges */
static double fine_stiffness[WORLD_NODES]; /* no row of blocks of the Hessian has a larger sum of norms */

static inline fine_t fine_of(const cairn_coldstart_t *job)
{
    fine_t fine;
    fine.radio_range_m = (double)job->radio_range_m;
    fine.stretch = (double)job->stretch;
    fine.abs2 = (double)job->noise.abs2;
    fine.rel2 = (double)job->noise.rel2;
    fine.soft2 = (double)job->noise.soft2;
    fine.least2 = (double)job->noise.least2;
    fine.most2 = (double)job->noise.most2;
    fine.floor2 = (double)job->noise.floor2;
    fine.push = (double)job->push_weight;
    fine.loose_push = (double)job->loose_push_weight;
    fine.cap = (double)job->cap;
    fine.prior = (double)job->prior_weight;
    fine.unit_weight = (double)job->unit_weight;
    fine.pulls = job->pulls;
    fine.far_starts = job->far_starts;
    return fine;
}

static inline double fine_larger(double a, double b) { return a > b ? a : b; }

static inline double fine_smaller(double a, double b) { return a < b ? a : b; }

static inline double fine_weight(const fine_t *self, const cairn_link_t *link, double distance_m)
{
    const double range2 = (double)link->range_m * (double)link->range_m;
    const double judged2 = fine_larger(
        fine_smaller(fine_larger(distance_m * distance_m, range2 * self->least2), range2 * self->most2), self->floor2);
    if (link->node_and_std >> LINK_STD_SHIFT != 0) {
        return 1 / fine_larger((double)cairn_network_variance(&world_net, link, 0), self->soft2 * judged2);
    }
    return 1 / (self->abs2 + self->rel2 * judged2);
}

/* Simpson's rule between two distances. */
static inline double fine_quadrature(const fine_t *self, const cairn_link_t *link, double from_m, double to_m)
{
    const double length_m = self->stretch * (double)link->range_m;
    double sum = 0;
    for (int k = 0; k <= FINE_PARTS; ++k) {
        const double at_m = from_m + (to_m - from_m) * k / FINE_PARTS;
        const int share = k == 0 || k == FINE_PARTS ? 1 : k % 2 == 1 ? 4 : 2;
        sum += share * fine_weight(self, link, at_m) * (at_m - length_m);
    }
    return sum * (to_m - from_m) / (3 * FINE_PARTS);
}

/* With parts of h the rule is off by h^2 / 6 of the jump of the derivative at worst, with the kink amid a
 * pair of parts; here of w'(d) (d - D), w' = -2 rel^2 d w^2. */
static inline double fine_kink(const fine_t *self, const cairn_link_t *link, double at_m, double part_m)
{
    const double weight = fine_weight(self, link, at_m);
    const double off_m = at_m - self->stretch * (double)link->range_m;
    return 2 * self->rel2 * at_m * weight * weight * fine_larger(off_m, -off_m) * part_m * part_m / 6;
}

/* From the range to the distance, a piece at a time between the bounds of w, where it has kinks. */
static inline double fine_integral(const fine_t *self, const cairn_link_t *link, double distance_m)
{
    const double range_m = (double)link->range_m;
    const double begin_m = self->stretch * range_m;
    const double low_m = fine_smaller(begin_m, distance_m), high_m = fine_larger(begin_m, distance_m);
    double kinks_m[3], from_m = low_m, sum = 0;
    kinks_m[0] = range_m * oracle_sqrt(self->least2);
    kinks_m[1] = range_m * oracle_sqrt(self->most2);
    kinks_m[2] = oracle_sqrt(self->floor2);
    for (int piece = 0; piece < 4; ++piece) {
        double to_m = high_m;
        for (int k = 0; k < 3; ++k) {
            if (piece == 0 && kinks_m[k] > low_m && kinks_m[k] < high_m) {
                fine_kinks += fine_kink(self, link, kinks_m[k], (high_m - low_m) / 16);
            }
            to_m = kinks_m[k] > from_m ? fine_smaller(to_m, kinks_m[k]) : to_m;
        }
        sum += fine_quadrature(self, link, from_m, to_m);
        from_m = to_m;
    }
    return distance_m < begin_m ? -sum : sum;
}

static inline const cairn_link_t *fine_link(uint32_t a, uint32_t b)
{
    for (uint32_t j = 0; j < network_degree(&world_net, a); ++j) {
        if (cairn_link_node(network_link(&world_net, a, j)) == b) {
            return network_link(&world_net, a, j);
        }
    }
    return NULL;
}

/* No anchor, and with no more ranges than dimensions. */
static inline bool fine_is_loose(uint32_t node)
{
    return node >= world.n_anchors && network_degree(&world_net, node) <= world.dim;
}

/* Add what a pair owes to the gradient, and returns its cost. */
static inline double fine_pair(const fine_t *self, uint32_t a, uint32_t b)
{
    const cairn_link_t *link = fine_link(a, b);
    double delta[3] = {0, 0, 0}, distance_m = 0, slope = 0, curvature = 0, cost = 0;
    for (uint32_t k = 0; k < world.dim; ++k) {
        delta[k] = (double)world_place[world.dim * a + k] - (double)world_place[world.dim * b + k];
        distance_m += delta[k] * delta[k];
    }
    distance_m = fine_larger(oracle_sqrt(distance_m), 1e-6 * self->radio_range_m);
    if (link != NULL) {
        const double weight = fine_weight(self, link, distance_m);
        const double off_m = distance_m - self->stretch * (double)link->range_m;
        cost = fine_integral(self, link, distance_m);
        slope = weight * off_m;
        curvature = weight * (1 + 2 * fine_larger(off_m, -off_m) / distance_m);
    }
    if (link != NULL ? self->pulls && distance_m > self->radio_range_m : distance_m < self->radio_range_m) {
        const double short_m = self->radio_range_m - distance_m;
        const bool loose = link == NULL && (fine_is_loose(a) || fine_is_loose(b));
        const double push = loose ? self->loose_push : self->push;
        const double whole = 0.5 * push * short_m * short_m;
        double fade = 1;
        if (link == NULL && self->cap > 0) {
            const double base = 1 / (1 + whole / (4 * self->cap));
            fade = base * base * base * base * base;
            cost += self->cap * (1 - base * base * base * base);
        } else {
            cost += whole;
        }
        slope -= fade * push * short_m;
        curvature += push * fine_larger(1, short_m / distance_m);
    }
    for (uint32_t k = 0; k < world.dim; ++k) {
        fine_gradient[world.dim * a + k] += slope * delta[k] / distance_m;
        fine_gradient[world.dim * b + k] -= slope * delta[k] / distance_m;
    }
    fine_stiffness[a] += 2 * curvature;
    fine_stiffness[b] += 2 * curvature;
    return cost;
}

static inline double fine_start(const fine_t *self, uint32_t node)
{
    double cost = 0;
    if (network_state(&world_net, node) != CAIRN_NODE_STARTED ||
        (self->far_starts && network_degree(&world_net, node) > world.dim)) {
        return 0;
    }
    for (uint32_t k = 0; k < world.dim; ++k) {
        const double off_m =
            (double)world_place[world.dim * node + k] - (double)locate_start(&cold_job.locate, node)[k];
        cost += 0.5 * self->prior * off_m * off_m;
        fine_gradient[world.dim * node + k] += self->prior * off_m;
    }
    fine_stiffness[node] += self->prior;
    return cost;
}

/* Cost of the present places, and gradient and stiffness. Between anchors there is nothing to be had. */
static inline double fine_cost(const fine_t *self)
{
    double cost = 0;
    fine_kinks = 0;
    memset(fine_gradient, 0, sizeof fine_gradient);
    memset(fine_stiffness, 0, sizeof fine_stiffness);
    for (uint32_t b = world.n_anchors; b < world.n_nodes; ++b) {
        if (!network_is_known(&world_net, b)) {
            continue;
        }
        cost += fine_start(self, b);
        for (uint32_t a = 0; a < b; ++a) {
            cost += network_is_known(&world_net, a) ? fine_pair(self, a, b) : 0;
        }
    }
    return cost;
}

/* Length of a node's gradient. */
static inline double fine_pull(uint32_t node)
{
    double square = 0;
    for (uint32_t k = 0; k < world.dim; ++k) {
        square += fine_gradient[world.dim * node + k] * fine_gradient[world.dim * node + k];
    }
    return oracle_sqrt(square);
}

#endif
