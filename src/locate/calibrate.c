/* SPDX-License-Identifier: MIT
 * Calibrate. A frame's ranges are r = d(x) + b + noise with x and b unknown; with J = dd/dx and W the weights, the
 * information on b alone is W - W J (J^T W J)^-1 J^T W. It is added up over the frames, linearised at each frame's own
 * map. The expectation is one more measurement, with what all links share as a common part. */
#include "cairn/calibrate.h"

#include "cairn/space.h"
#include "locate/network_internal.h"

#define NODES_MAX 64
#define RIDGE     1e-4f /* of the mean diagonal: shift and rotation of a frame without anchors stay solvable */

/* Layout of the work array. */
static size_t n_pairs(const cairn_calibrate_t *self) { return CAIRN_CALIBRATE_PAIRS(self->n_nodes); }

static size_t n_unknowns(const cairn_calibrate_t *self) { return (size_t)self->n_nodes * self->dim; }

static cairn_real *information(const cairn_calibrate_t *self) { return self->work; }

static cairn_real *right_side(const cairn_calibrate_t *self)
{
    return information(self) + CAIRN_SYMMETRIC_REALS(n_pairs(self));
}

static cairn_real *biases(const cairn_calibrate_t *self) { return right_side(self) + n_pairs(self); }

static cairn_real *factors(const cairn_calibrate_t *self) { return biases(self) + n_pairs(self); }

static cairn_real *frame_hessian(const cairn_calibrate_t *self)
{
    return factors(self) + CAIRN_SYMMETRIC_REALS(n_pairs(self));
}

static cairn_real *frame_factors(const cairn_calibrate_t *self)
{
    return frame_hessian(self) + CAIRN_SYMMETRIC_REALS(n_unknowns(self));
}

static cairn_real *gradient(const cairn_calibrate_t *self)
{
    return frame_factors(self) + CAIRN_SYMMETRIC_REALS(n_unknowns(self));
}

static size_t packed(size_t i, size_t j) { return i > j ? i * (i + 1u) / 2u + j : j * (j + 1u) / 2u + i; }

static size_t pair_number(const cairn_calibrate_t *self, uint32_t a, uint32_t b)
{
    const size_t low = a < b ? a : b;
    const size_t high = a < b ? b : a;

    return low * self->n_nodes - low * (low + 1u) / 2u + (high - low - 1u);
}

/* Add share times the information of the expectation: the inverse of std^2 I + common^2 1 1^T. */
static void add_expectation(cairn_calibrate_t *self, cairn_real share)
{
    const cairn_calibrate_cfg_t *cfg = self->cfg;
    const cairn_real n = (cairn_real)n_pairs(self);
    const cairn_real own = cfg->std_m * cfg->std_m;
    const cairn_real common = cfg->common_std_m * cfg->common_std_m;
    const cairn_real coupling = common / (own + n * common);

    for (size_t k = 0; k < n_pairs(self); ++k) {
        for (size_t l = 0; l <= k; ++l) {
            information(self)[packed(k, l)] += share / own * ((k == l ? 1.0f : 0.0f) - coupling);
        }
        right_side(self)[k] += share / own * cfg->mean_m * (1 - n * coupling);
    }
}

static cairn_status check(const cairn_calibrate_cfg_t *cfg)
{
    if (!cairn_isfinite(cfg->mean_m) || !cairn_isfinite(cfg->std_m) || !cairn_isfinite(cfg->common_std_m) ||
        !cairn_isfinite(cfg->repeats) || !cairn_isfinite(cfg->forget)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!(cfg->std_m > 0) || cfg->common_std_m < 0 || cfg->repeats < 1 || cfg->forget < 0 || cfg->forget > 1) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

cairn_status cairn_calibrate_init(cairn_calibrate_t *self, const cairn_calibrate_cfg_t *cfg, size_t n_nodes, size_t dim,
                                  cairn_real *work, size_t work_reals)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || work == NULL || n_nodes < 2 || n_nodes > NODES_MAX || dim < 1 ||
        dim > CAIRN_LOCATE_DIM_MAX) {
        return CAIRN_ERR_ARG;
    }
    status = check(cfg);
    if (status != CAIRN_OK) {
        return status;
    }
    if (!cairn_aligned(work, sizeof *work)) {
        return CAIRN_ERR_ALIGN;
    }
    if (work_reals < CAIRN_CALIBRATE_REALS(n_nodes, dim)) {
        return CAIRN_ERR_SIZE;
    }
    self->cfg = cfg;
    self->work = work;
    self->n_nodes = (uint32_t)n_nodes;
    self->dim = (uint32_t)dim;
    self->n_frames = 0;
    for (size_t k = 0; k < CAIRN_CALIBRATE_REALS(n_nodes, dim); ++k) {
        work[k] = 0;
    }
    add_expectation(self, 1);
    for (size_t k = 0; k < n_pairs(self); ++k) {
        biases(self)[k] = cfg->mean_m;
    }
    return CAIRN_OK;
}

cairn_status cairn_calibrate_get(const cairn_calibrate_t *self, uint32_t a, uint32_t b, cairn_real *bias_m)
{
    if (self == NULL || bias_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (a >= self->n_nodes || b >= self->n_nodes) {
        return CAIRN_ERR_UNKNOWN_ID;
    }
    if (a == b) {
        return CAIRN_ERR_SELF;
    }
    *bias_m = biases(self)[pair_number(self, a, b)];
    return CAIRN_OK;
}

/* One range of the frame between placed nodes. */
typedef struct sight {
    uint32_t a;
    uint32_t b;
    cairn_real away[CAIRN_LOCATE_DIM_MAX]; /* unit vector from b to a */
    cairn_real weight;
    cairn_real residual_m; /* range beyond the distance */
} sight_t;

/* Row of link k of the upper rows, at or after row a. */
static uint32_t row_of(const cairn_network_t *frame, uint32_t a, uint32_t k)
{
    while (upper_rows(frame)[a + 1u] <= k) {
        ++a;
    }
    return a;
}

/* Link k of the upper rows, in row a, as a sight. Returns false when an end has no place. */
static bool look(const cairn_calibrate_t *self, const cairn_network_t *frame, uint32_t a, uint32_t k, sight_t *sight)
{
    const cairn_link_t *link = upper_links(frame) + k;
    cairn_space_metric_t metric;

    sight->a = a;
    sight->b = cairn_link_node(link);
    if (!network_is_known(frame, a) || !network_is_known(frame, sight->b)) {
        return false;
    }
    metric = cairn_space_euclidean.metric(&cairn_space_euclidean, network_place(frame, a),
                                          network_place(frame, sight->b), self->dim, a, sight->away);
    sight->weight = 1 / (self->cfg->repeats * cairn_network_variance(frame, link, metric.distance));
    sight->residual_m = link->range_m - metric.distance;
    return true;
}

/* The derivative of the distance by the coordinate i: of either end, unless it is an anchor. */
static cairn_real slope(const cairn_network_t *frame, const sight_t *sight, size_t i, size_t dim)
{
    const uint32_t node = (uint32_t)(i / dim);

    if ((node != sight->a && node != sight->b) || network_is_anchor(frame, node)) {
        return 0;
    }
    return node == sight->a ? sight->away[i % dim] : -sight->away[i % dim];
}

/* hessian += weight slope slope^T of one range. */
static void add_sight(const cairn_network_t *frame, const sight_t *sight, size_t dim, size_t n, cairn_real *hessian)
{
    for (size_t i = 0; i < n; ++i) {
        const cairn_real weighted = sight->weight * slope(frame, sight, i, dim);
        for (size_t j = 0; j <= i; ++j) {
            *hessian++ += weighted * slope(frame, sight, j, dim);
        }
    }
}

/* J^T W J of the frame, and how many ranges it has. */
static size_t add_frame(const cairn_calibrate_t *self, const cairn_network_t *frame)
{
    const size_t n = n_unknowns(self);
    cairn_real *hessian = frame_hessian(self);
    cairn_real trace = 0;
    size_t n_sights = 0;

    memset(hessian, 0, CAIRN_SYMMETRIC_REALS(n) * sizeof *hessian);
    for (uint32_t a = 0, k = 0; k < frame->n_ranges; ++k) {
        sight_t sight;
        a = row_of(frame, a, k);
        if (look(self, frame, a, k, &sight)) {
            add_sight(frame, &sight, self->dim, n, hessian);
            ++n_sights;
        }
    }
    for (size_t i = 0; i < n; ++i) {
        trace += hessian[packed(i, i)];
    }
    for (size_t i = 0; i < n; ++i) {
        hessian[packed(i, i)] += RIDGE * trace / (cairn_real)n;
    }
    return n_sights;
}

/* Unknown coordinates that a frame's shape has: without anchors, shifts and rotations are no unknowns. */
static size_t n_shape(const cairn_calibrate_t *self, const cairn_network_t *frame)
{
    size_t n = 0;
    const size_t motions = frame->n_anchors == 0 ? (size_t)self->dim * (self->dim + 1u) / 2u : 0;

    for (uint32_t i = 0; i < self->n_nodes; ++i) {
        n += network_is_known(frame, i) && !network_is_anchor(frame, i) ? self->dim : 0;
    }
    return n > motions ? n - motions : 0;
}

/* How much a range grows with the coordinates. */
static cairn_real along(const cairn_network_t *frame, const sight_t *sight, const cairn_real *coordinates, size_t dim)
{
    cairn_real sum = 0;

    for (size_t i = 0; i < dim; ++i) {
        sum += slope(frame, sight, sight->a * dim + i, dim) * coordinates[sight->a * dim + i];
        sum += slope(frame, sight, sight->b * dim + i, dim) * coordinates[sight->b * dim + i];
    }
    return sum;
}

/* Row of one range: W - W J (J^T W J)^-1 J^T W, added to the information and the right side. */
static void add_row(cairn_calibrate_t *self, const cairn_network_t *frame, const sight_t *sight)
{
    const size_t n = n_unknowns(self);
    const size_t row = pair_number(self, sight->a, sight->b);
    cairn_real *solved = gradient(self);

    memcpy(frame_factors(self), frame_hessian(self), CAIRN_SYMMETRIC_REALS(n) * sizeof *solved);
    for (size_t i = 0; i < n; ++i) {
        solved[i] = sight->weight * slope(frame, sight, i, self->dim);
    }
    if (!cairn_symmetric_solve(frame_factors(self), solved, n)) {
        return; /* not positive definite to working precision: the row tells nothing */
    }
    for (uint32_t a = 0, k = 0; k < frame->n_ranges; ++k) {
        sight_t other;
        a = row_of(frame, a, k);
        if (look(self, frame, a, k, &other)) {
            const size_t column = pair_number(self, other.a, other.b);
            const cairn_real own = row == column ? sight->weight : 0;
            const cairn_real element = own - other.weight * along(frame, &other, solved, self->dim);
            information(self)[packed(row, column)] += column <= row ? element : 0;
            right_side(self)[row] += element * (other.residual_m + biases(self)[column]);
        }
    }
}

static void solve(cairn_calibrate_t *self)
{
    const size_t n = n_pairs(self);

    memcpy(factors(self), information(self), CAIRN_SYMMETRIC_REALS(n) * sizeof(cairn_real));
    memcpy(biases(self), right_side(self), n * sizeof(cairn_real));
    if (!cairn_symmetric_solve(factors(self), biases(self), n)) {
        for (size_t k = 0; k < n; ++k) {
            biases(self)[k] = self->cfg->mean_m;
        }
    }
}

cairn_status cairn_calibrate_learn(cairn_calibrate_t *self, const cairn_network_t *frame)
{
    const size_t n = self != NULL ? CAIRN_SYMMETRIC_REALS(n_pairs(self)) : 0;

    if (self == NULL || frame == NULL || frame->n_nodes != self->n_nodes || frame->cfg->dim != self->dim) {
        return CAIRN_ERR_ARG;
    }
    if (!frame->sealed) {
        return CAIRN_ERR_STATE;
    }
    if (add_frame(self, frame) <= n_shape(self, frame)) {
        return CAIRN_REJECTED;
    }
    for (size_t k = 0; k < n + n_pairs(self); ++k) {
        self->work[k] *= 1 - self->cfg->forget; /* information and right side lie together */
    }
    add_expectation(self, self->cfg->forget);
    for (uint32_t a = 0, k = 0; k < frame->n_ranges; ++k) {
        sight_t sight;
        a = row_of(frame, a, k);
        if (look(self, frame, a, k, &sight)) {
            add_row(self, frame, &sight);
        }
    }
    solve(self);
    ++self->n_frames;
    return CAIRN_OK;
}

uint32_t cairn_calibrate_get_frames(const cairn_calibrate_t *self) { return self->n_frames; }
