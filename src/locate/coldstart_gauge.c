/* SPDX-License-Identifier: MIT
 * Networks without anchors and starts: a frame of their own. Landmarks far from one another by path length (max-min,
 * Gonzalez 1985) are laid out by classical scaling of their path lengths (Torgerson 1952), serve as anchors for the first
 * places, and are freed afterwards: the map is right up to a rigid motion and a reflection. */
#include "locate/coldstart_internal.h"

#include "locate/trilaterate_internal.h"

#define PATH_SCALE 0.95f /* true distance over path length, roughly; the solver finds the rest */
#define SIDE       ((size_t)COLDSTART_LANDMARKS)

/* Scratch words, behind what the path searches use: packed matrix, eigenvectors, eigenvalues; landmarks the last. */
static uint32_t *landmarks(const cairn_coldstart_t *self)
{
    return &coldstart_scratch(self)[CAIRN_COLDSTART_FIXED(coldstart_dim(self)) - SIDE].index;
}

/* Entry of two landmarks in the matrix: their squared path length, then their inner product. */
static cairn_real *packed(const cairn_coldstart_t *self, uint32_t a, uint32_t b)
{
    return &coldstart_scratch(self)[PATHS_BUCKETS + (a > b ? a * (a + 1u) / 2u + b : b * (b + 1u) / 2u + a)].real;
}

static cairn_real *axes(const cairn_coldstart_t *self) { return packed(self, 0, 0) + CAIRN_SYMMETRIC_REALS(SIDE); }

static cairn_real *values(const cairn_coldstart_t *self) { return axes(self) + SIDE * SIDE; }

/* Path length to the nearest landmark; negative: not reached. */
static cairn_word_t *nearest(const cairn_coldstart_t *self) { return self->work + 3u * (size_t)self->network->n_nodes; }

static cairn_word_t *heads(const cairn_coldstart_t *self) { return nearest(self) + self->network->n_nodes; }

static void attach(const cairn_coldstart_t *self, paths_t *paths)
{
    cairn_paths_resume(paths, self->network, self->work, heads(self), self->locate.longest_m);
}

static void keep(cairn_coldstart_t *self, const paths_t *paths)
{
    self->locate.bucket = paths->bucket;
    self->locate.n_queued = paths->n_queued;
    self->locate.pops_left = paths->pops_left;
}

static void begin_search(cairn_coldstart_t *self, uint32_t landmark)
{
    paths_t paths;

    landmarks(self)[self->round] = landmark;
    attach(self, &paths);
    cairn_paths_begin(&paths, landmark);
    keep(self, &paths);
}

/* Fold the search into the nearest lengths, and find the node farthest from all landmarks. */
static void nearest_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real length_m = paths_length_m(self->work, i);
        if (self->round == 0 || length_m < nearest(self)[i].real) {
            nearest(self)[i].real = length_m;
        }
        if (nearest(self)[i].real > self->total.sum) {
            self->total.sum = nearest(self)[i].real;
            self->n_suspects = i;
        }
    }
}

static void degree_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        if (network_degree(self->network, i) > network_degree(self->network, self->n_suspects)) {
            self->n_suspects = i;
        }
    }
}

/* Double centring: -1/2 J D J. */
static void centre(const cairn_coldstart_t *self, uint32_t n)
{
    cairn_real mean = 0;
    cairn_real *means = values(self);

    for (uint32_t i = 0; i < n; ++i) {
        means[i] = 0;
        for (uint32_t j = 0; j < n; ++j) {
            means[i] += *packed(self, i, j) / (cairn_real)n;
        }
        mean += means[i] / (cairn_real)n;
    }
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j <= i; ++j) {
            *packed(self, i, j) = -0.5f * (*packed(self, i, j) - means[i] - means[j] + mean);
        }
    }
}

/* Lay the landmarks out and make them anchors. */
static cairn_status lay_out(cairn_coldstart_t *self, uint32_t n)
{
    cairn_network_t *network = self->network;
    const size_t dim = coldstart_dim(self);

    centre(self, n);
    cairn_principal_axes(packed(self, 0, 0), n, values(self), axes(self));
    for (uint32_t i = 0; i < n; ++i) {
        cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
        cairn_status status;
        for (size_t k = 0; k < dim; ++k) {
            const size_t axis = k < n ? n - 1u - k : 0; /* fewer landmarks than dimensions: refused afterwards */
            place_m[k] = PATH_SCALE * cairn_sqrt(cairn_max(values(self)[axis], 0)) * axes(self)[axis * n + i];
        }
        status = cairn_network_set_anchor(network, landmarks(self)[i], place_m);
        if (status != CAIRN_OK) {
            return status;
        }
    }
    return CAIRN_OK;
}

void cairn_coldstart_free_landmarks(cairn_coldstart_t *self)
{
    for (uint32_t i = 0; i < self->n_landmarks; ++i) {
        self->network->memory.flags[landmarks(self)[i]] = CAIRN_NODE_PLACED;
    }
    self->network->n_anchors -= self->n_landmarks;
}

void cairn_coldstart_drop_landmarks(cairn_coldstart_t *self)
{
    cairn_network_t *network = self->network;
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = 0; i < self->n_landmarks; ++i) {
        const uint32_t node = landmarks(self)[i];
        if (network_is_anchor(network, node)) {
            network->memory.flags[node] = CAIRN_NODE_UNPLACED;
            memset(network_place(network, node), 0, dim * sizeof(cairn_real));
            --network->n_anchors;
        }
    }
    self->n_landmarks = 0;
    memset(network->origin_m, 0, sizeof network->origin_m);
    network->origin_set = false;
    network->coordinate_max_m = 0;
}

bool cairn_coldstart_gauge(cairn_coldstart_t *self, int32_t *operations)
{
    enum { DEGREE, SEARCH, NEAREST };
    paths_t paths;

    if (self->phase == DEGREE) {
        if (cairn_coldstart_pass(self, operations, 1, degree_run)) {
            self->phase = SEARCH;
            begin_search(self, self->n_suspects);
        }
        return false;
    }
    if (self->phase == SEARCH) {
        attach(self, &paths);
        paths.bucket = self->locate.bucket;
        paths.n_queued = self->locate.n_queued;
        paths.pops_left = self->locate.pops_left;
        *operations = cairn_paths_step(&paths, *operations);
        keep(self, &paths);
        self->phase = paths.n_queued == 0 ? NEAREST : SEARCH;
        self->total = coldstart_zero();
        return false;
    }
    if (!cairn_coldstart_pass(self, operations, 1, nearest_run)) {
        return false;
    }
    for (uint32_t i = 0; i <= self->round; ++i) {
        const cairn_real length_m = paths_length_m(self->work, landmarks(self)[i]);
        *packed(self, self->round, i) = length_m * length_m;
    }
    ++self->round;
    self->phase = SEARCH;
    if (self->round < SIDE && self->total.sum > 0) {
        begin_search(self, self->n_suspects);
        return false;
    }
    self->n_landmarks = self->round;
    if (lay_out(self, self->round) != CAIRN_OK) {
        cairn_coldstart_drop_landmarks(self); /* the next stage then finds nothing known */
    }
    return true;
}
