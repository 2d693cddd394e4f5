/* SPDX-License-Identifier: MIT
 * k-means on a prefix of the columns: starts by k-means++ (Arthur, Vassilvitskii 2007), each centre the best of three
 * draws, then Lloyd's rounds. */
#include "walk/pic_internal.h"

#define DRAWS   3     /* measured: .02 NMI better than one on eight clusters */
#define SETTLED 1024u /* a start ends when at most one node in so many changes its cluster */
#define SAMPLE  1024u /* starts of larger graphs use about so many nodes; the best start then goes on with all */
#define NEARLY  256u  /* and ends, as it has settled before, when at most one node in so many changes */

/* Starts look at every stride-th node; the round after the last start at all. */
static uint32_t get_stride(const cairn_pic_t *self)
{
    return self->start < self->cfg->n_starts && self->walk.n_nodes > 4 * SAMPLE ? self->walk.n_nodes / SAMPLE : 1u;
}

/* Prefixes here have two columns at least. */
PIC_INLINE cairn_real squared_distance(const cairn_real *a, const cairn_real *b, size_t n)
{
    cairn_real sum = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);

    for (size_t c = 2; c < n; ++c) {
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    }
    return sum;
}

/* What the squares would sum to with one more centre. */
static cairn_real potential(const cairn_pic_t *self, const cairn_real *centre)
{
    const size_t r = self->n_columns;
    const cairn_real *nearest = pic_scratch(self);
    const cairn_real *degree = pic_degree(self);
    const uint32_t stride = get_stride(self);
    const cairn_real *x = pic_columns(self);
    pic_sum_t sum = {0, 0, 0};

    for (uint32_t i = 0; i < self->walk.n_nodes; i += stride, x += r * stride) {
        if (degree[i] > 0) {
            pic_sum_add(&sum, cairn_min(nearest[i], squared_distance(x, centre, self->prefix)));
        }
    }
    return pic_sum_get(&sum);
}

/* A node drawn in proportion to its distance from the nearest centre, squared. Summed up in blocks, as the total was:
 * rounding then hardly ever decides. */
static uint32_t draw_far(cairn_pic_t *self, cairn_real total)
{
    const cairn_real *nearest = pic_scratch(self);
    cairn_real left = cairn_rng_uniform(&self->rng) * total;
    const uint32_t stride = get_stride(self);
    const uint32_t n = self->walk.n_nodes;
    uint32_t last = 0;

    for (uint32_t begin = 0; begin < n; begin += PIC_BLOCK * stride) {
        const uint32_t end = n - begin < PIC_BLOCK * stride ? n : begin + PIC_BLOCK * stride;
        cairn_real sum = 0;
        for (uint32_t i = begin; i < end; i += stride) {
            if (!pic_is_active(self, i) || !(nearest[i] > 0)) {
                continue;
            }
            last = i;
            sum += nearest[i];
            if (sum > left) {
                return last;
            }
        }
        left -= sum;
    }
    return last;
}

/* The first centre is any linked node. */
static uint32_t draw_any(cairn_pic_t *self)
{
    uint32_t left = cairn_rng_below(&self->rng, self->n_active);
    uint32_t node = 0;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (pic_is_active(self, i)) {
            node = i;
            if (left-- == 0) {
                break;
            }
        }
    }
    return node;
}

static void take_centre(cairn_pic_t *self, size_t c, uint32_t node)
{
    const size_t r = self->n_columns;
    cairn_real *centre = pic_centres(self, 0) + c * r;
    cairn_real *nearest = pic_scratch(self);
    const cairn_real *x = pic_columns(self);
    const uint32_t stride = get_stride(self);

    memcpy(centre, pic_columns(self) + node * r, self->prefix * sizeof *centre);
    for (uint32_t i = 0; i < self->walk.n_nodes; i += stride, x += r * stride) {
        const cairn_real square = squared_distance(x, centre, self->prefix);
        nearest[i] = c == 0 ? square : cairn_min(nearest[i], square);
    }
}

bool cairn_pic_has_sample(const cairn_pic_t *self) { return self->walk.n_nodes > 4 * SAMPLE; }

static void draw_centres(cairn_pic_t *self)
{
    const size_t r = self->n_columns;
    cairn_real total;

    take_centre(self, 0, draw_any(self));
    total = potential(self, pic_centres(self, 0));
    for (size_t c = 1; c < self->cfg->n_clusters; ++c) {
        uint32_t best = 0;
        cairn_real least = CAIRN_REAL_MAX;
        for (int draw = 0; draw < DRAWS; ++draw) {
            const uint32_t node = draw_far(self, total);
            const cairn_real value = potential(self, pic_columns(self) + node * r);
            if (value < least) {
                least = value;
                best = node;
            }
        }
        take_centre(self, c, best);
        total = least;
    }
}

/* Nearest centre to a point; the lowest wins a tie. */
PIC_INLINE unsigned nearest_centre(const cairn_pic_t *self, const cairn_real *centre, const cairn_real *x,
                                   cairn_real *square)
{
    const size_t r = self->n_columns;
    const unsigned k = self->cfg->n_clusters;
    const size_t n = self->prefix;
    cairn_real least = CAIRN_REAL_MAX;
    unsigned nearest = 0;

    for (unsigned c = 0; c < k; ++c, centre += r) {
        const cairn_real sum = squared_distance(x, centre, n);
        if (sum < least) {
            least = sum;
            nearest = c;
        }
    }
    *square = least;
    return nearest;
}

PIC_INLINE void add_to_centre(cairn_real *centre, const cairn_real *x, size_t n)
{
    for (size_t q = 0; q < n; ++q) {
        centre[q] += x[q];
    }
}

/* Move centres to the means; an empty one stays where it is. */
static void move_centres(cairn_pic_t *self)
{
    const size_t r = self->n_columns;
    cairn_real *centres = pic_centres(self, 0);
    const cairn_real *sums = pic_centres(self, 1);
    const cairn_real *counts = pic_sums(self, 0);

    for (size_t c = 0; c < self->cfg->n_clusters; ++c) {
        for (size_t q = 0; q < self->prefix && counts[c] > 0; ++q) {
            centres[c * r + q] = sums[c * r + q] / counts[c];
        }
    }
}

/* Centres at the means of the candidate before, which has one column less: where a warm start begins. */
static void take_earlier_centres(cairn_pic_t *self, unsigned lane)
{
    const size_t r = self->n_columns;
    const unsigned earlier = lane > 0 ? lane - 1u : pic_lanes(self) - 1u;
    cairn_real *counts = pic_sums(self, 0);

    memset(pic_centres(self, 1), 0, self->cfg->n_clusters * r * sizeof(cairn_real));
    memset(counts, 0, self->cfg->n_clusters * sizeof *counts);
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (pic_is_active(self, i)) {
            const unsigned label = pic_get_trial(self, i, earlier);
            add_to_centre(pic_centres(self, 1) + label * r, pic_columns(self) + i * r, self->prefix);
            counts[label] += 1;
        }
    }
    memset(pic_centres(self, 0), 0, self->cfg->n_clusters * r * sizeof(cairn_real));
    move_centres(self);
}

static void end_start(cairn_pic_t *self)
{
    if (self->spread <= self->spread_least) {
        self->spread_least = self->spread;
        memcpy(pic_centres(self, 2), pic_centres(self, 0),
               (size_t)self->cfg->n_clusters * self->n_columns * sizeof(cairn_real));
    }
}

bool cairn_pic_round(cairn_pic_t *self, unsigned lane)
{
    const size_t r = self->n_columns;
    const cairn_real *degree = pic_degree(self);
    const cairn_real *x = pic_columns(self);
    const cairn_real *centres = pic_centres(self, 0);
    cairn_real *sums = pic_centres(self, 1);
    cairn_real *counts = pic_sums(self, 0);
    const unsigned shift = lane * pic_label_bits(self);
    const unsigned mask = (1u << pic_label_bits(self)) - 1u;
    uint8_t *trial = pic_trial(self);
    uint32_t n_changed = 0;
    const uint32_t stride = get_stride(self);
    const uint32_t settled = self->start < self->cfg->n_starts ? SETTLED : NEARLY;
    pic_sum_t spread = {0, 0, 0};

    memset(sums, 0, self->cfg->n_clusters * r * sizeof *sums);
    memset(counts, 0, self->cfg->n_clusters * sizeof *counts);
    for (uint32_t i = 0; i < self->walk.n_nodes; i += stride, x += r * stride) {
        cairn_real square;
        unsigned c;
        if (!(degree[i] > 0)) {
            continue;
        }
        c = nearest_centre(self, centres, x, &square);
        pic_sum_add(&spread, square);
        if (((trial[i] >> shift) & mask) != c) {
            ++n_changed;
            trial[i] = (uint8_t)((trial[i] & ~(mask << shift)) | c << shift);
        }
        counts[c] += 1;
        add_to_centre(sums + c * r, x, self->prefix);
    }
    self->spread = pic_sum_get(&spread);
    ++self->round;
    if ((n_changed <= self->n_active / stride / settled && self->round > 1) || self->round >= self->cfg->rounds_max) {
        end_start(self);
        return true;
    }
    move_centres(self);
    return false;
}

void cairn_pic_choose_centres(cairn_pic_t *self, unsigned lane)
{
    const size_t r = self->n_columns;

    if (self->start == self->cfg->n_starts) { /* go on from the best start, with all nodes */
        memcpy(pic_centres(self, 0), pic_centres(self, 2), self->cfg->n_clusters * r * sizeof(cairn_real));
        self->spread_least = CAIRN_REAL_MAX;
    } else if (self->cfg->warm && self->start == 0) {
        take_earlier_centres(self, lane);
    } else {
        draw_centres(self);
    }
}

void cairn_pic_take_best_centres(cairn_pic_t *self, unsigned lane)
{
    const size_t r = self->n_columns;

    if (self->spread <= self->spread_least) {
        return; /* the last start was the best: its labels stand */
    }
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        cairn_real square;
        pic_set_trial(self, i, lane, nearest_centre(self, pic_centres(self, 2), pic_columns(self) + i * r, &square));
    }
}
