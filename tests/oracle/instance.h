/* SPDX-License-Identifier: MIT
 * Random PLACE problems over all spaces, losses, weights, sides and starts, and the check that the cost never rises. */
#ifndef CAIRN_ORACLE_INSTANCE_H
#define CAIRN_ORACLE_INSTANCE_H

#include "oracle/place.h"
#include "oracle/random.h"
#include "support/test.h"

/* Spaces: R^1, R^2, R^3, R^5, S^1, S^2, S^3. */
enum { INSTANCE_NEIGHBOURS_MAX = 8, INSTANCE_N_SPACES = 7 };

typedef struct instance {
    cairn_space_t space;
    cairn_loss_t loss;
    cairn_place_cfg_t cfg;
    oracle_problem_t problem;
    cairn_neighbour_t neighbours[INSTANCE_NEIGHBOURS_MAX];
    cairn_real places[INSTANCE_NEIGHBOURS_MAX * ORACLE_DIM_MAX];
    cairn_real x[ORACLE_DIM_MAX];
    cairn_real work[CAIRN_PLACE_WORK_REALS(ORACLE_DIM_MAX)];
    cairn_real size;
} instance_t;

static inline void instance_neighbour(const void *context, size_t j, cairn_neighbour_t *neighbour)
{
    *neighbour = ((const instance_t *)context)->neighbours[j];
}

static inline cairn_status instance_place(instance_t *self, uint16_t rounds_max, cairn_place_result_t *result)
{
    self->cfg.rounds_max = rounds_max;
    return cairn_place(&self->cfg, instance_neighbour, self, self->problem.n_neighbours, self->x, self->problem.dim,
                       self->work, CAIRN_PLACE_WORK_REALS(self->problem.dim), result);
}

static inline double instance_cost(const instance_t *self, double *bound)
{
    double x[ORACLE_DIM_MAX] = {0.0};
    oracle_widen(self->x, self->problem.dim, x);
    return oracle_cost(&self->problem, x, bound);
}

static inline void instance_set(instance_t *self, uint32_t space, uint32_t kind, cairn_place_method_t method)
{
    static const uint8_t dims[INSTANCE_N_SPACES] = {1, 2, 3, 5, 2, 3, 4};
    static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_absolute,
                                                 &cairn_loss_squared_distances, &cairn_loss_huber,
                                                 &cairn_loss_redescend};
    self->size = space < 4u ? 10 : 2;
    self->problem.dim = dims[space];
    self->problem.radius = space < 4u ? 0.0 : (double)self->size;
    self->problem.kind = (oracle_loss_kind)kind;
    self->problem.p = 1.5;
    self->problem.neighbours = self->neighbours;
    self->space = cairn_space_euclidean;
    if (space >= 4u) {
        CHECK_EQ(cairn_space_sphere(&self->space, self->size), CAIRN_OK);
    }
    if (kind == (uint32_t)ORACLE_POWER) {
        CHECK_EQ(cairn_loss_power(&self->loss, (cairn_real)1.5), CAIRN_OK);
    } else {
        self->loss = *losses[kind];
    }
    self->cfg = cairn_place_cfg_default;
    self->cfg.space = &self->space;
    self->cfg.loss = &self->loss;
    self->cfg.method = method;
}

static inline void instance_draw_point(const instance_t *self, cairn_rng_t *rng, cairn_real *x)
{
    random_point(rng, self->problem.dim, self->size, (cairn_real)self->problem.radius, x);
}

/* Everything that has broken such iterations: zero weights, priors, one-sided neighbours, coincident neighbours,
 * wild ranges, a start on a neighbour. variety 0: plain ranges with noise around a true place. */
static inline void instance_draw(instance_t *self, cairn_rng_t *rng, bool variety)
{
    cairn_real truth[ORACLE_DIM_MAX];
    size_t dim = self->problem.dim;
    self->problem.n_neighbours = 1u + cairn_rng_below(rng, INSTANCE_NEIGHBOURS_MAX);
    instance_draw_point(self, rng, truth);
    instance_draw_point(self, rng, self->x);
    for (size_t j = 0; j < self->problem.n_neighbours; ++j) {
        cairn_neighbour_t *neighbour = &self->neighbours[j];
        cairn_real *place = self->places + j * dim;
        uint32_t kind = variety ? cairn_rng_below(rng, 16u) : 15u;
        instance_draw_point(self, rng, place);
        if (kind == 0u && j > 0) {
            memcpy(place, place - dim, dim * sizeof *place);
        }
        cairn_real range = self->space.metric(&self->space, truth, place, dim, 0u, self->work).distance;
        range *= 1 + (cairn_real)0.1 * random_normal(rng);
        neighbour->place = place;
        neighbour->range = kind == 1u ? 0 : kind == 2u ? 10 * self->size : range > 0 ? range : 0;
        neighbour->weight = kind == 3u ? 0 : variety ? random_between(rng, (cairn_real)0.01, 3) : 1;
        neighbour->scale = random_between(rng, (cairn_real)0.02, (cairn_real)0.2) * self->size;
        neighbour->tie = (uint32_t)j * 2u + 1u;
        neighbour->side = kind == 4u ? CAIRN_SIDE_AT_LEAST : kind == 5u ? CAIRN_SIDE_AT_MOST : CAIRN_SIDE_BOTH;
        if (kind == 6u) {
            memcpy(self->x, place, dim * sizeof *place);
        }
    }
}

/* Round by round: the cost in double may not rise by more than its rounding in cairn_real before and after, the
 * reported cost is that of the returned place, and a refusal to move is final. */
static inline void instance_check_descent(instance_t *self, int n_rounds)
{
    double bound = 0.0;
    double cost = instance_cost(self, &bound);
    bool stopped = false;
    for (int round = 0; round < n_rounds; ++round) {
        cairn_place_result_t result = {-1, 0, 0};
        cairn_real before[ORACLE_DIM_MAX];
        double next_bound = 0.0;
        memcpy(before, self->x, sizeof before);
        cairn_status status = instance_place(self, 1u, &result);
        CHECK(status == CAIRN_OK || status == CAIRN_NOT_CONVERGED || status == CAIRN_UNPLACED);
        CHECK(cairn_all_finite(self->x, self->problem.dim));
        double next = instance_cost(self, &next_bound);
        CHECK_NEAR(result.cost, next, next_bound);
        CHECK(next <= cost + bound + next_bound);
        if (stopped || status == CAIRN_UNPLACED) {
            CHECK_MEM(self->x, before, self->problem.dim * sizeof before[0]);
        }
        stopped = stopped || memcmp(self->x, before, self->problem.dim * sizeof before[0]) == 0;
        cost = next;
        bound = next_bound;
        if (stopped) {
            break;
        }
    }
}

#endif
