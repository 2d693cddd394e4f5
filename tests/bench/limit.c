/* SPDX-License-Identifier: MIT
 * What the ranges of a network allow: range-only least squares from the truth, in double, plain and slow. Gauss-Newton
 * with damping (Marquardt 1963), steps by conjugate gradients with the diagonal, sweeps over single nodes in between. That
 * does not end on large networks: those get Newton's steps, cut off where the curvature is not positive (Steihaug 1983),
 * and a coarse level. Small, sparse ones do not: longer steps leave the truth for minima where weak nodes are folded. */
#include "limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limit_coarse.h"
#include "memory.h"

enum { DIM_MAX = 3, STEPS_MAX = 1000, STEPS_JUDGED = 10, PRODUCTS_MAX = 3000, SWEEPS = 3, LARGE_NODES = 10000 };

static const double cost_tolerance = .01;      /* STEPS_JUDGED steps gain less when it has converged; a range costs 1 */
static const double residual_tolerance = 1e-3; /* of the conjugate gradients */
static const double damping_first = 1e-6;      /* of the diagonal */
static const double damping_least = 1e-9;
static const double step_most = 0.3; /* of a node, radio ranges: loose nodes swing far */

typedef struct problem {
    const generator_t *network;
    size_t dim;
    size_t n_reals;
    double *weight;    /* [n_ranges] */
    size_t *row_begin; /* [n_nodes + 1] ranges of a node: range_of[row_begin[i]] and on */
    size_t *range_of;
    double *place_m; /* [n_reals] */
    double *trial_m;
    double *gradient;
    double *residual;
    double *result; /* preconditioned residual */
    double *direction;
    double *product;
    double *step_m;
    double *diagonal; /* [n_reals] plain diagonal of the Hessian */
    double damping;
    bool large;
    limit_coarse_t coarse; /* of a large network */
} problem_t;

static double distance_between(const problem_t *self, const double *places_m, const range_row_t *row, double *delta)
{
    double sum = 0;
    for (size_t k = 0; k < self->dim; k++) {
        delta[k] = places_m[row->a * self->dim + k] - places_m[row->b * self->dim + k];
        sum += delta[k] * delta[k];
    }
    return sqrt(sum);
}

static double find_cost(const problem_t *self, const double *places_m)
{
    double delta[DIM_MAX];
    double cost = 0;
    for (size_t k = 0; k < self->network->ranges.n_rows; k++) {
        const range_row_t *row = &self->network->ranges.row[k];
        double residual_m = distance_between(self, places_m, row, delta) - row->range_m;
        cost += self->weight[k] * residual_m * residual_m;
    }
    return cost;
}

static bool is_fixed(const problem_t *self, size_t real) { return real < self->network->cfg.n_anchors * self->dim; }

static void find_gradient(problem_t *self)
{
    double delta[DIM_MAX];
    memset(self->gradient, 0, self->n_reals * sizeof *self->gradient);
    memset(self->diagonal, 0, self->n_reals * sizeof *self->diagonal);
    for (size_t r = 0; r < self->network->ranges.n_rows; r++) {
        const range_row_t *row = &self->network->ranges.row[r];
        double distance_m = distance_between(self, self->place_m, row, delta);
        for (size_t k = 0; k < self->dim && distance_m > 0; k++) {
            double unit = delta[k] / distance_m;
            double slope = self->weight[r] * (distance_m - row->range_m) * unit;
            self->gradient[row->a * self->dim + k] += slope;
            self->gradient[row->b * self->dim + k] -= slope;
            self->diagonal[row->a * self->dim + k] += self->weight[r] * unit * unit;
            self->diagonal[row->b * self->dim + k] += self->weight[r] * unit * unit;
        }
    }
}

/* Product of the Hessian with the direction: along a range its weight, across it, in Newton's, what its residual leaves of
 * that. It decides how soft a large network bends: without it steps overshoot. */
static void multiply(problem_t *self)
{
    double delta[DIM_MAX];
    for (size_t k = 0; k < self->n_reals; k++) {
        self->product[k] = self->damping * self->diagonal[k] * self->direction[k];
    }
    for (size_t r = 0; r < self->network->ranges.n_rows; r++) {
        const range_row_t *row = &self->network->ranges.row[r];
        double distance_m = distance_between(self, self->place_m, row, delta);
        double across = self->large && distance_m > 0 ? self->weight[r] * (1 - row->range_m / distance_m) : 0;
        double moved[DIM_MAX];
        double along = 0;
        for (size_t k = 0; k < self->dim; k++) {
            moved[k] = self->direction[row->a * self->dim + k] - self->direction[row->b * self->dim + k];
            along += delta[k] * moved[k];
        }
        along *= distance_m > 0 ? (self->weight[r] - across) / (distance_m * distance_m) : 0;
        for (size_t k = 0; k < self->dim; k++) {
            double force = along * delta[k] + across * moved[k];
            self->product[row->a * self->dim + k] += force;
            self->product[row->b * self->dim + k] -= force;
        }
    }
}

/* result = residual / diagonal for free coordinates, and the coarse level; returns their inner product. */
static double precondition(problem_t *self)
{
    double sum = 0;
    for (size_t k = 0; k < self->n_reals; k++) {
        self->residual[k] = is_fixed(self, k) ? 0 : self->residual[k];
        self->result[k] = self->diagonal[k] > 0 ? self->residual[k] / (self->diagonal[k] * (1 + self->damping)) : 0;
    }
    if (self->large) {
        limit_coarse_add(&self->coarse, self->residual, self->result);
    }
    for (size_t k = 0; k < self->n_reals; k++) {
        sum += self->residual[k] * self->result[k];
    }
    return sum;
}

/* Solve H step = - gradient; returns the number of products. */
static size_t find_step(problem_t *self)
{
    size_t n_products = 0;
    double rho;
    double rho_first;
    for (size_t k = 0; k < self->n_reals; k++) {
        self->residual[k] = -self->gradient[k];
        self->step_m[k] = 0;
        self->direction[k] = 0;
    }
    if (self->large) {
        limit_coarse_factor(&self->coarse, self->place_m, self->weight, self->diagonal, self->damping);
    }
    rho = precondition(self);
    rho_first = rho;
    memcpy(self->direction, self->result, self->n_reals * sizeof *self->direction);
    while (n_products < PRODUCTS_MAX && rho > residual_tolerance * residual_tolerance * rho_first) {
        double form = 0;
        double before = rho;
        multiply(self);
        n_products++;
        for (size_t k = 0; k < self->n_reals; k++) {
            form += self->direction[k] * self->product[k];
        }
        if (!(form > 0)) {
            break;
        }
        for (size_t k = 0; k < self->n_reals; k++) {
            self->step_m[k] += rho / form * self->direction[k];
            self->residual[k] -= rho / form * self->product[k];
        }
        rho = precondition(self);
        for (size_t k = 0; k < self->n_reals; k++) {
            self->direction[k] = self->result[k] + rho / before * self->direction[k];
        }
    }
    return n_products;
}

static void clip_steps(problem_t *self)
{
    double most_m = step_most * self->network->cfg.radius_m;
    for (size_t i = 0; i < self->n_reals; i += self->dim) {
        double length2 = 0;
        for (size_t k = i; k < i + self->dim; k++) {
            length2 += self->step_m[k] * self->step_m[k];
        }
        for (size_t k = i; k < i + self->dim && length2 > most_m * most_m; k++) {
            self->step_m[k] *= most_m / sqrt(length2);
        }
    }
}

/* Move one node of the trial to the mean of its projections (its cost never rises). */
static void recenter_node(problem_t *self, size_t node)
{
    double sum[DIM_MAX] = {0, 0, 0};
    double weight_sum = 0;
    for (size_t at = self->row_begin[node]; at < self->row_begin[node + 1]; at++) {
        double delta[DIM_MAX];
        const range_row_t *row = &self->network->ranges.row[self->range_of[at]];
        double weight = self->weight[self->range_of[at]];
        double distance_m = distance_between(self, self->trial_m, row, delta);
        double share = distance_m > 0 ? weight * (row->range_m / distance_m - 1) : 0;
        for (size_t k = 0; k < self->dim; k++) {
            sum[k] += row->a == node ? share * delta[k] : -share * delta[k];
        }
        weight_sum += weight;
    }
    for (size_t k = 0; k < self->dim && weight_sum > 0; k++) {
        self->trial_m[node * self->dim + k] += sum[k] / weight_sum;
    }
}

/* Take the step when it lowers the cost, with less damping next time; else more. */
static void take_step(problem_t *self, double *cost)
{
    double cost_after;
    clip_steps(self);
    for (size_t k = 0; k < self->n_reals; k++) {
        self->trial_m[k] = self->place_m[k] + self->step_m[k];
    }
    /* a linear step stretches pairs that turn; sweeps over single nodes take that back, above all for short, stiff ones */
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = self->network->cfg.n_anchors; i < self->network->cfg.n_nodes; i++) {
            recenter_node(self, i);
        }
    }
    cost_after = find_cost(self, self->trial_m);
    if (cost_after > *cost) {
        self->damping *= 10;
        return;
    }
    *cost = cost_after;
    self->damping = fmax(self->damping / 3, damping_least);
    memcpy(self->place_m, self->trial_m, self->n_reals * sizeof *self->place_m);
}

static void allocate(problem_t *self, const generator_t *network)
{
    memset(self, 0, sizeof *self);
    self->network = network;
    self->dim = network->cfg.dim;
    self->n_reals = network->cfg.n_nodes * self->dim;
    self->weight = memory_zeroed(network->ranges.n_rows + 1, sizeof *self->weight);
    double **vectors[] = {&self->place_m,   &self->trial_m, &self->gradient, &self->residual, &self->result,
                          &self->direction, &self->product, &self->step_m,   &self->diagonal};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        *vectors[k] = memory_zeroed(self->n_reals, sizeof(double));
    }
    memcpy(self->place_m, network->place_m, self->n_reals * sizeof *self->place_m);
    limit_list_ranges(network, &self->row_begin, &self->range_of);
    self->large = network->cfg.n_nodes > LARGE_NODES;
    if (self->large) {
        limit_coarse_init(&self->coarse, network);
    }
}

static void release(problem_t *self)
{
    double *vectors[] = {self->weight, self->place_m,   self->trial_m, self->gradient, self->residual,
                         self->result, self->direction, self->product, self->step_m,   self->diagonal};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        free(vectors[k]);
    }
    free(self->row_begin);
    free(self->range_of);
    limit_coarse_free(&self->coarse);
}

static void compare(const problem_t *self, const bool *core, limit_t *result)
{
    double sum = 0;
    double sum_core = 0;
    for (size_t i = self->network->cfg.n_anchors; i < self->network->cfg.n_nodes; i++) {
        double error_m2 = 0;
        for (size_t k = 0; k < self->dim; k++) {
            double error_m = self->place_m[i * self->dim + k] - self->network->place_m[i * self->dim + k];
            error_m2 += error_m * error_m;
        }
        sum += error_m2;
        sum_core += core[i] ? error_m2 : 0;
        result->n_core += core[i];
    }
    result->rmse_m = sqrt(sum / (double)(self->network->cfg.n_nodes - self->network->cfg.n_anchors));
    result->rmse_core_m = result->n_core > 0 ? sqrt(sum_core / (double)result->n_core) : 0;
}

static void solve(problem_t *self, const bool *core, limit_t *result)
{
    const generator_t *network = self->network;
    double delta[DIM_MAX];
    for (size_t k = 0; k < network->ranges.n_rows; k++) {
        double std_m =
            network->cfg.noise_rel * distance_between(self, network->place_m, &network->ranges.row[k], delta);
        self->weight[k] = 1 / (std_m * std_m);
    }
    self->damping = damping_first;
    result->cost = find_cost(self, self->place_m);
    double cost_judged = result->cost;
    while (result->n_steps < STEPS_MAX && !result->converged) {
        find_gradient(self);
        result->n_products += find_step(self);
        take_step(self, &result->cost);
        result->n_steps++;
        if (result->n_steps % STEPS_JUDGED == 0) {
            result->converged = cost_judged - result->cost < cost_tolerance;
            cost_judged = result->cost;
        }
    }
    compare(self, core, result);
}

void limit_solve(const generator_t *network, const bool *core, limit_t *result)
{
    problem_t self;
    memset(result, 0, sizeof *result);
    allocate(&self, network);
    solve(&self, core, result);
    release(&self);
}

void limit_solve_from(const generator_t *network, const bool *core, double *place_m, limit_t *result)
{
    problem_t self;
    size_t n_fixed = network->cfg.n_anchors * network->cfg.dim;
    memset(result, 0, sizeof *result);
    allocate(&self, network);
    memcpy(self.place_m + n_fixed, place_m + n_fixed, (self.n_reals - n_fixed) * sizeof *place_m);
    solve(&self, core, result);
    memcpy(place_m, self.place_m, self.n_reals * sizeof *place_m);
    release(&self);
}
