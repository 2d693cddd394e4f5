/* SPDX-License-Identifier: MIT
 * Edge clustering (PIC_E) with the labelers Max, T@p and All. Source: Lin (2012), chapter 7. The walk over links is the
 * walk over nodes at half speed, and a link's value the mean of its ends, so no vector over links is needed: k-means runs
 * in passes over the links and starts from the groups of the nodes. */
#include "cairn/edges.h"

#include "walk/pic_internal.h"

typedef enum edges_stage { EDGES_ROUND = 0, EDGES_COUNT, EDGES_DONE } edges_stage;

#define SETTLED 1e-5f /* a round that lowers the sum of squares by a smaller share is the last */

static size_t n_clusters(const cairn_edges_t *self) { return self->pic->cfg->n_clusters; }

static cairn_real *centre(const cairn_edges_t *self, size_t c) { return self->work + c * self->prefix; }

static cairn_real *sum_of(const cairn_edges_t *self, size_t c)
{
    return self->work + (n_clusters(self) + c) * self->prefix;
}

static cairn_real *weight_of(const cairn_edges_t *self) { return self->work + 2 * n_clusters(self) * self->prefix; }

static void clear_sums(cairn_edges_t *self)
{
    memset(sum_of(self, 0), 0, n_clusters(self) * self->prefix * sizeof(cairn_real));
    memset(weight_of(self), 0, n_clusters(self) * sizeof(cairn_real));
    self->spread_before = self->spread;
    self->spread = 0;
}

/* An empty group stays where it is. */
static void move_centres(cairn_edges_t *self)
{
    for (size_t c = 0; c < n_clusters(self); ++c) {
        for (size_t q = 0; q < self->prefix && weight_of(self)[c] > 0; ++q) {
            centre(self, c)[q] = sum_of(self, c)[q] / weight_of(self)[c];
        }
    }
}

/* Centres of the nodes' groups. */
static void begin_centres(cairn_edges_t *self)
{
    const cairn_pic_t *pic = self->pic;

    memset(self->work, 0, CAIRN_EDGES_REALS(n_clusters(self), self->prefix) * sizeof(cairn_real));
    for (uint32_t i = 0; i < pic->walk.n_nodes; ++i) {
        const uint8_t label = pic_label(pic)[i];
        for (size_t q = 0; q < self->prefix && label < n_clusters(self); ++q) {
            sum_of(self, label)[q] += pic_columns(pic)[(size_t)i * pic->n_columns + q];
        }
        if (label < n_clusters(self)) {
            weight_of(self)[label] += 1;
        }
    }
    move_centres(self);
    clear_sums(self);
}

cairn_status cairn_edges_begin(cairn_edges_t *self, const cairn_pic_t *pic, uint16_t rounds_max, cairn_real *work,
                               size_t n_work, uint16_t *count, size_t n_count)
{
    if (self == NULL || pic == NULL || work == NULL || count == NULL || rounds_max == 0) {
        return CAIRN_ERR_ARG;
    }
    if (pic->stage != PIC_DONE) {
        return CAIRN_ERR_STATE;
    }
    if (pic->cfg->n_clusters > CAIRN_EDGES_CLUSTERS_MAX || pic->walk.run == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (n_work < CAIRN_EDGES_REALS(pic->cfg->n_clusters, pic->cfg->n_vectors) ||
        n_count < CAIRN_EDGES_COUNTS(pic->walk.n_nodes, pic->cfg->n_clusters)) {
        return CAIRN_ERR_SIZE;
    }
    memset(self, 0, sizeof *self);
    self->pic = pic;
    self->work = work;
    self->count = count;
    self->rounds_max = rounds_max;
    self->prefix = pic->best_prefix > 0 ? pic->best_prefix : (uint8_t)1;
    self->spread = CAIRN_REAL_MAX;
    memset(count, 0, CAIRN_EDGES_COUNTS(pic->walk.n_nodes, n_clusters(self)) * sizeof *count);
    begin_centres(self);
    return CAIRN_OK;
}

/* Nearest group of the point half way between two nodes. */
static size_t nearest(const cairn_edges_t *self, uint32_t a, uint32_t b, cairn_real *square)
{
    const size_t r = self->pic->n_columns;
    const cairn_real *x = pic_columns(self->pic) + (size_t)a * r;
    const cairn_real *y = pic_columns(self->pic) + (size_t)b * r;
    size_t best = 0;

    *square = CAIRN_REAL_MAX;
    for (size_t c = 0; c < n_clusters(self); ++c) {
        cairn_real sum = 0;
        for (size_t q = 0; q < self->prefix; ++q) {
            const cairn_real difference = 0.5f * (x[q] + y[q]) - centre(self, c)[q];
            sum += difference * difference;
        }
        if (sum < *square) {
            *square = sum;
            best = c;
        }
    }
    return best;
}

static void add_link(cairn_edges_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    const size_t r = self->pic->n_columns;
    cairn_real square;
    const size_t c = nearest(self, a, b, &square);

    self->spread += weight * square;
    weight_of(self)[c] += weight;
    for (size_t q = 0; q < self->prefix; ++q) {
        sum_of(self, c)[q] += weight * 0.5f * (pic_columns(self->pic)[a * r + q] + pic_columns(self->pic)[b * r + q]);
    }
}

static void count_link(cairn_edges_t *self, uint32_t a, uint32_t b)
{
    cairn_real square;
    const size_t c = nearest(self, a, b, &square);
    uint16_t *of_a = self->count + a * n_clusters(self) + c;
    uint16_t *of_b = self->count + b * n_clusters(self) + c;

    *of_a = (uint16_t)(*of_a < UINT16_MAX ? *of_a + 1 : *of_a);
    *of_b = (uint16_t)(*of_b < UINT16_MAX ? *of_b + 1 : *of_b);
}

static uint32_t visit_part(cairn_edges_t *self, uint32_t part)
{
    cairn_run_t run;

    self->pic->walk.run(&self->pic->walk, part, &run);
    for (uint32_t e = 0; e < run.n; ++e) {
        const uint32_t a = cairn_run_node(&run, e);
        const uint32_t b = cairn_run_other(&run, e);
        const cairn_real weight = cairn_run_weight(&run, e);
        if (!(weight > 0)) {
            continue;
        }
        if (self->stage == EDGES_ROUND) {
            add_link(self, a, b, weight);
        } else {
            count_link(self, a, b);
        }
    }
    return run.n + 1u;
}

static void end_pass(cairn_edges_t *self)
{
    self->cursor = 0;
    if (self->stage == EDGES_COUNT) {
        self->stage = EDGES_DONE;
        return;
    }
    move_centres(self);
    ++self->round;
    if (self->round >= self->rounds_max || !(self->spread < self->spread_before * (1 - SETTLED))) {
        self->stage = EDGES_COUNT;
    }
    clear_sums(self);
}

cairn_status cairn_edges_step(cairn_edges_t *self, uint32_t operations)
{
    int64_t left = operations > 0 ? (int64_t)operations : 1;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    while (left > 0 && self->stage != EDGES_DONE) {
        if (self->cursor < self->pic->walk.n_parts) {
            left -= visit_part(self, self->cursor++);
        } else {
            end_pass(self);
        }
    }
    return self->stage == EDGES_DONE ? CAIRN_OK : CAIRN_MORE;
}

uint8_t cairn_edges_get_label(const cairn_edges_t *self, uint32_t a, uint32_t b)
{
    cairn_real square;

    if (a >= self->pic->walk.n_nodes || b >= self->pic->walk.n_nodes) {
        return CAIRN_PIC_UNKNOWN;
    }
    return (uint8_t)nearest(self, a, b, &square);
}

uint32_t cairn_edges_get_groups(const cairn_edges_t *self, uint32_t node, cairn_real share)
{
    const size_t k = n_clusters(self);
    const uint16_t *count;
    uint32_t all = 0;
    uint32_t groups = 0;
    size_t most = 0;

    if (node >= self->pic->walk.n_nodes) {
        return 0;
    }
    count = self->count + node * k;
    for (size_t c = 0; c < k; ++c) {
        all += count[c];
        most = count[c] > count[most] ? c : most;
    }
    for (size_t c = 0; c < k; ++c) {
        if (count[c] > 0 && (cairn_real)count[c] >= share * (cairn_real)all) {
            groups |= UINT32_C(1) << c;
        }
    }
    return groups != 0 || all == 0 ? groups : UINT32_C(1) << most;
}
