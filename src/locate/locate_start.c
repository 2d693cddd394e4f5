/* SPDX-License-Identifier: MIT
 * First places. Judge: how far the starts are off, from the ranges alone. Paths: shortest paths from the anchors,
 * scaled by the anchors' own distances, trilaterated linearly and once by Gauss-Newton: measured .36 radio ranges off
 * at degree 10 (the weights below were found by measurement: 1/p^3 for the linear form, 1/p for the second). */
#include "locate/locate_internal.h"

#include "locate/trilaterate_internal.h"

#define START_USABLE    0.5f  /* of the radio range: starts farther off are worse than paths */
#define START_STD_LEAST 0.02f /* of the mean range: starts are never taken as exact */
#define START_STD_FLOOR 1e-6f /* metre; as that of a range */
#define OVERSTATED      6     /* twice the deviations by which residuals fall short of the stated noise */
#define START_STD_BLIND 0.5f  /* of the mean range: assumed where no range leads from a start to a known place */
#define SOURCES_MAX     24u   /* more anchors than this are thinned out: they add time, not accuracy */
#define RIDGE           1e-4f /* of the trace, towards the centre of the anchors */
#define FLAT_RATIO      1e-3f /* anchors whose weighted scatter is flatter than this leave the side open */
#define ALONG           0.7f  /* Hessian of the second pass: share along the path's direction; the rest all round */
#define SCALE_MOST      4.0f  /* measured: .98 to 1.12 for relative noise of .1 */
#define STEP_MAX        0.2f  /* of the anchors' extent */

/* Add up, over the links to nodes above, squared residuals beyond the noise, and how many free ends took part. */
static uint32_t judge_visit(cairn_locate_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const uint32_t begin = upper_rows(network)[node];
    const uint32_t end = upper_rows(network)[node + 1u];

    for (uint32_t k = begin; k < end && network_is_known(network, node); ++k) {
        const cairn_link_t *link = upper_links(network) + k;
        const uint32_t other = cairn_link_node(link);
        const uint32_t n_free = (locate_has_start(self, node) ? 1u : 0u) + (locate_has_start(self, other) ? 1u : 0u);
        if (network_is_known(network, other) && n_free > 0) {
            const cairn_real distance_m =
                cairn_distance(network_place(network, node), network_place(network, other), network->cfg->dim);
            const cairn_real residual_m = distance_m - link->range_m;
            const cairn_real variance = cairn_network_variance(network, link, link->range_m);
            self->sum += residual_m * residual_m - variance;
            self->sum2 += (cairn_real)n_free;
            self->cost += variance;
        }
    }
    return end - begin + 1u;
}

/* Deviation of the starts: from what is left of the residuals beyond the noise. Where they are smaller than the stated
 * noise allows, that tells nothing, and all of them may be the starts'. */
static cairn_real judged_std(const cairn_locate_t *self)
{
    const cairn_real least_m = START_STD_LEAST * self->mean_range_m;
    const bool overstated = self->sum * cairn_sqrt(self->sum2) < -OVERSTATED * self->cost;

    if (!(self->sum2 > 0)) {
        return START_STD_BLIND * self->mean_range_m;
    }
    return cairn_sqrt(cairn_max((overstated ? self->sum + self->cost : self->sum) / self->sum2, least_m * least_m));
}

void cairn_locate_judge(cairn_locate_t *self, int32_t *operations)
{
    const cairn_network_t *network = self->network;

    if (!cairn_locate_pass(self, operations, judge_visit)) {
        return;
    }
    if (network->n_starts > 0) {
        const cairn_real told_m = self->cfg->start_std_m;
        self->start_std_m = cairn_max(told_m > 0 ? told_m : judged_std(self), START_STD_FLOOR);
        self->cost = 0;
    }
    const bool framed = network->n_anchors > network->cfg->dim; /* else paths lead to nothing */
    self->starts_used = network->n_starts > 0 && (!framed || self->start_std_m < START_USABLE * self->radio_range_m);
    const bool all_start = self->starts_used && network->n_starts + network->n_anchors == network->n_nodes;
    cairn_locate_enter(self, all_start || network->n_ranges == 0 ? CAIRN_LOCATE_SWEEP : CAIRN_LOCATE_PATHS);
}

/* Whether the paths may set this node's place. */
static bool wants_path(const cairn_locate_t *self, uint32_t node)
{
    return !network_is_anchor(self->network, node) && !(self->starts_used && locate_has_start(self, node));
}

static uint32_t clear_visit(cairn_locate_t *self, uint32_t node)
{
    cairn_real *sums = locate_sums(self, node);

    for (size_t k = 0; k < locate_sum_reals(self->network->cfg->dim); ++k) {
        sums[k] = 0;
    }
    return 1;
}

/* Length of the true way over length of the path, summed over the other anchors. */
static uint32_t scale_visit(cairn_locate_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;

    if (network_is_anchor(network, node) && paths_length_m(self->work, node) > 0) {
        self->sum +=
            cairn_distance(network_place(network, node), network_place(network, self->source), network->cfg->dim);
        self->sum2 += paths_length_m(self->work, node);
    }
    return 1;
}

static uint32_t linear_visit(cairn_locate_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;
    const cairn_real path_m = paths_length_m(self->work, node);
    cairn_real anchor_m[CAIRN_LOCATE_DIM_MAX];

    if (wants_path(self, node) && path_m > 0) {
        const cairn_real share = self->mean_range_m / path_m; /* near 1 for a direct link: keeps the cube in range */
        for (size_t k = 0; k < dim; ++k) {
            anchor_m[k] = network_place(self->network, self->source)[k] - self->centre_m[k];
        }
        cairn_trilaterate_add(locate_sums(self, node), dim, anchor_m, self->sum * path_m, share * share * share);
    }
    return 1;
}

static uint32_t linear_solve_visit(cairn_locate_t *self, uint32_t node)
{
    cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real *place;

    if (!wants_path(self, node) || !cairn_trilaterate_solve(locate_sums(self, node), dim, RIDGE, place_m) ||
        !(cairn_dot(place_m, place_m, dim) <= CAIRN_NETWORK_LENGTH_MOST * CAIRN_NETWORK_LENGTH_MOST)) {
        return 1; /* not reached, or anchors in a heap far from it */
    }
    place = network_place(network, node);
    for (size_t k = 0; k < dim; ++k) {
        place[k] = self->centre_m[k] + place_m[k];
    }
    if (!locate_has_start(self, node)) {
        /* positive definite even when lowered: the anchors span all dimensions */
        const bool spanned = cairn_trilaterate_solve(locate_sums(self, node), dim, -FLAT_RATIO, place_m);
        network->memory.flags[node] = spanned ? CAIRN_NODE_PLACED : CAIRN_NODE_FLIP_POSSIBLE;
    }
    return 1;
}

static uint32_t newton_visit(cairn_locate_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    const cairn_real path_m = paths_length_m(self->work, node);
    cairn_real away[CAIRN_LOCATE_DIM_MAX];
    cairn_real *sums = locate_sums(self, node);

    if (wants_path(self, node) && network_is_known(network, node) && path_m > 0) {
        const cairn_space_metric_t metric =
            cairn_space_euclidean.metric(&cairn_space_euclidean, network_place(network, node),
                                         network_place(network, self->source), dim, node, away);
        const cairn_real weight = self->mean_range_m / path_m;
        const cairn_real residual_m = metric.distance - self->sum * path_m;
        for (size_t k = 0; k < dim; ++k) {
            for (size_t l = 0; l <= k; ++l) {
                *sums++ += weight * (ALONG * away[k] * away[l] + (k == l ? 1 - ALONG : 0));
            }
        }
        for (size_t k = 0; k < dim; ++k) {
            *sums++ += weight * residual_m * away[k];
        }
    }
    return 1;
}

static uint32_t newton_solve_visit(cairn_locate_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;
    cairn_real *hessian = locate_sums(self, node);
    cairn_real *step_m = hessian + CAIRN_SYMMETRIC_REALS(dim);

    if (wants_path(self, node) && cairn_symmetric_solve(hessian, step_m, dim) && cairn_all_finite(step_m, dim)) {
        const cairn_real length_m = cairn_sqrt(cairn_dot(step_m, step_m, dim));
        const cairn_real most_m = STEP_MAX * self->extent_m;
        const cairn_real share = length_m > most_m ? most_m / length_m : 1;
        for (size_t k = 0; k < dim; ++k) {
            network_place(self->network, node)[k] -= share * step_m[k];
        }
    }
    return 1;
}

/* The next anchor to search from, after `node`; n_nodes when there is none. Thinned out evenly by index. */
static uint32_t next_source(const cairn_locate_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    uint32_t skip = (network->n_anchors + SOURCES_MAX - 1u) / SOURCES_MAX;

    for (; node < network->n_nodes; ++node) {
        if (network_is_anchor(network, node) && --skip == 0) {
            break;
        }
    }
    return node;
}

static CAIRN_NOINLINE void search_slice(cairn_locate_t *self, int32_t *operations)
{
    paths_t paths;

    cairn_paths_resume(&paths, self->network, self->work, locate_heads(self), self->longest_m);
    paths.bucket = self->bucket;
    paths.n_queued = self->n_queued;
    paths.pops_left = self->pops_left;
    *operations = cairn_paths_step(&paths, *operations);
    self->bucket = paths.bucket;
    self->n_queued = paths.n_queued;
    self->pops_left = paths.pops_left;
}

/* Phases of each of the two passes: clear the sums; for every anchor search, scale and add; solve. */
enum { CLEAR, SEARCH, SCALE, ADD, SOLVE };

/* Begin the search from the next anchor, or the solution when all have been searched. */
static CAIRN_NOINLINE void next_search(cairn_locate_t *self, uint32_t after, int32_t *operations)
{
    paths_t paths;

    self->source = next_source(self, after);
    if (self->source >= self->network->n_nodes) {
        self->phase = SOLVE;
        return;
    }
    cairn_paths_resume(&paths, self->network, self->work, locate_heads(self), self->longest_m);
    cairn_paths_begin(&paths, self->source);
    self->bucket = paths.bucket;
    self->n_queued = paths.n_queued;
    self->pops_left = paths.pops_left;
    self->sum = 0;
    self->sum2 = 0;
    self->phase = SEARCH;
    *operations -= (int32_t)self->network->n_nodes;
}

/* True ways over paths; 1 where the anchors do not reach each other. Bounded: ranges of wild noise must not blow the map
 * up beyond what can be repaired. */
static cairn_real path_scale(cairn_real true_m, cairn_real path_m)
{
    if (!(true_m > 0 && path_m > 0)) {
        return 1;
    }
    return cairn_min(cairn_max(true_m / path_m, 1 / SCALE_MOST), SCALE_MOST);
}

static void end_of_pass(cairn_locate_t *self)
{
    self->phase = CLEAR;
    if (++self->pass == 2) {
        cairn_locate_enter(self, CAIRN_LOCATE_DISCOVER);
    }
}

/* The two passes, by phase: visits to every node. */
static const locate_visit_fn visits[2][SOLVE + 1] = {
    {clear_visit, NULL, scale_visit, linear_visit, linear_solve_visit},
    {clear_visit, NULL, scale_visit, newton_visit, newton_solve_visit},
};

void cairn_locate_paths(cairn_locate_t *self, int32_t *operations)
{
    if (self->phase == SEARCH) {
        search_slice(self, operations);
        self->phase = self->n_queued == 0 ? SCALE : SEARCH;
        return;
    }
    if (!cairn_locate_pass(self, operations, visits[self->pass][self->phase])) {
        return;
    }
    switch (self->phase) {
    case CLEAR: next_search(self, 0, operations); break;
    case SCALE:
        self->sum = path_scale(self->sum, self->sum2);
        self->phase = ADD;
        break;
    case ADD: next_search(self, self->source + 1u, operations); break;
    default: end_of_pass(self); break;
    }
}
