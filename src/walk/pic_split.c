/* SPDX-License-Identifier: MIT
 * Exact k-means of numbers: sort, then the best k intervals by dynamic programming. The best split point moves right with
 * the right end (Wu 1991), so each layer takes n log n looks; ends are taken coarse to fine, which needs no stack. Where
 * there is no room for all layers, the last ones are kept, and made again up to the one that is asked for. */
#include "walk/pic_internal.h"
#include "walk/sort_internal.h"

/* The arrays of one split: prefix sums of the sorted numbers, best gains of two layers, and where each interval begins. */
typedef struct splitter {
    size_t n;
    size_t n_kept; /* layers that there is room for */
    size_t n_made; /* layers made; the last n_kept are there */
    cairn_real *prefix;
    cairn_real *gain;      /* layer before */
    cairn_real *gain_next; /* layer being made */
    uint16_t *begin16;     /* [n_kept][n], layer l in row l modulo n_kept; one of the two */
    uint32_t *begin32;
} splitter_t;

/* What an interval [i, j] takes off the sum of squares: its sum squared over its size. */
static cairn_real interval_gain(const splitter_t *self, size_t i, size_t j)
{
    const cairn_real sum = self->prefix[j] - (i > 0 ? self->prefix[i - 1] : (cairn_real)0);

    return sum * sum / (cairn_real)(j - i + 1);
}

static size_t get_begin(const splitter_t *self, size_t layer, size_t j)
{
    const size_t at = layer % self->n_kept * self->n + j;

    return self->begin16 != NULL ? self->begin16[at] : self->begin32[at];
}

static void set_begin(splitter_t *self, size_t layer, size_t j, size_t begin)
{
    const size_t at = layer % self->n_kept * self->n + j;

    if (self->begin16 != NULL) {
        self->begin16[at] = (uint16_t)begin;
    } else {
        self->begin32[at] = (uint32_t)begin;
    }
}

/* Best begin in [low, high] of the last interval when it ends at j; writes the gain. */
static size_t best_begin(const splitter_t *self, size_t low, size_t high, size_t j, cairn_real *gain)
{
    size_t best = low;

    *gain = -1;
    for (size_t i = low; i <= high; ++i) {
        const cairn_real total = self->gain[i - 1] + interval_gain(self, i, j);
        if (total > *gain) {
            *gain = total;
            best = i;
        }
    }
    return best;
}

/* One more interval: layer l holds the begins of interval l + 1. */
static void make_layer(splitter_t *self, size_t layer)
{
    const size_t first = layer + 1; /* so many intervals come before, each with a number at least */
    size_t step = 1;
    cairn_real *swap;

    while (step < self->n) {
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        for (size_t j = step - 1; j < self->n; j += 2 * step) {
            size_t low = first;
            size_t high = j;
            if (j < first) {
                self->gain_next[j] = -1; /* too few numbers */
                set_begin(self, layer, j, first);
                continue;
            }
            low = j >= step + first ? get_begin(self, layer, j - step) : low;
            high =
                j + step < self->n && get_begin(self, layer, j + step) < high ? get_begin(self, layer, j + step) : high;
            low = low < high ? low : high; /* rounding may order the neighbours the other way */
            set_begin(self, layer, j, best_begin(self, low, high, j, &self->gain_next[j]));
        }
    }
    swap = self->gain;
    self->gain = self->gain_next;
    self->gain_next = swap;
}

static void make_layers(splitter_t *self, size_t n_layers)
{
    for (size_t j = 0; j < self->n; ++j) {
        self->gain[j] = interval_gain(self, 0, j);
    }
    for (size_t layer = 0; layer < n_layers; ++layer) {
        make_layer(self, layer);
    }
    self->n_made = n_layers;
}

/* The same from layers that may have to be made again; asked for from the last layer down. */
static size_t recall_begin(splitter_t *self, size_t layer, size_t j)
{
    if (layer + self->n_kept < self->n_made) {
        make_layers(self, layer + 1u);
    }
    return get_begin(self, layer, j);
}

static cairn_real interval_mean(const splitter_t *self, size_t i, size_t j)
{
    return (self->prefix[j] - (i > 0 ? self->prefix[i - 1] : (cairn_real)0)) / (cairn_real)(j - i + 1);
}

/* Thresholds half way between the means of neighbouring intervals: in the best split each number is nearest to its own
 * mean. */
static void find_thresholds(splitter_t *self, size_t k, cairn_real *threshold)
{
    size_t end = self->n - 1;
    cairn_real mean_after = 0;
    cairn_real gain;

    for (size_t c = k; c-- > 0;) {
        const size_t begin = c == 0       ? 0
                             : c == k - 1 ? best_begin(self, c, end, end, &gain)
                                          : recall_begin(self, c - 1, end);
        const cairn_real mean = interval_mean(self, begin, end);
        if (c + 1 < k) {
            threshold[c] = 0.5f * (mean + mean_after);
        }
        mean_after = mean;
        end = begin - (c > 0 ? 1u : 0u);
    }
}

static void label_by_thresholds(cairn_pic_t *self, unsigned lane, const cairn_real *threshold, size_t n_thresholds,
                                cairn_real shift)
{
    const size_t r = self->n_columns;
    const cairn_real *u = pic_columns(self);

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        unsigned label = 0;
        while (label < n_thresholds && u[i * r] - shift > threshold[label]) {
            ++label;
        }
        pic_set_trial(self, i, lane, label);
    }
}

/* Copy the first column of linked nodes, centred, sorted, and turn it into prefix sums. Returns the mean. */
static cairn_real sort_column(const cairn_pic_t *self, splitter_t *split)
{
    const size_t r = self->n_columns;
    const cairn_real *u = pic_columns(self);
    pic_sum_t sum = {0, 0, 0};
    cairn_real mean;

    split->n = 0;
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (pic_is_active(self, i)) {
            split->prefix[split->n++] = u[i * r];
            pic_sum_add(&sum, u[i * r]);
        }
    }
    mean = pic_sum_get(&sum) / (cairn_real)split->n;
    cairn_walk_sort(split->prefix, split->n);
    split->prefix[0] -= mean;
    for (size_t i = 1; i < split->n; ++i) {
        split->prefix[i] = split->prefix[i - 1] + (split->prefix[i] - mean);
    }
    return mean;
}

void cairn_pic_split(cairn_pic_t *self, unsigned lane)
{
    const size_t capacity = self->capacity;
    cairn_real *threshold = pic_centres(self, 0);
    splitter_t split = {0};
    size_t k = self->cfg->n_clusters;
    const size_t bytes = (pic_scratch_width(self) - 3u) * sizeof(cairn_real); /* of a node, for begins */
    cairn_real mean;

    split.prefix = pic_scratch(self);
    split.gain = split.prefix + capacity;
    split.gain_next = split.gain + capacity;
    if (capacity <= UINT16_MAX) {
        split.begin16 = (void *)(split.gain_next + capacity);
        split.n_kept = bytes / sizeof *split.begin16;
    } else {
        split.begin32 = (void *)(split.gain_next + capacity);
        split.n_kept = bytes / sizeof *split.begin32;
    }
    mean = sort_column(self, &split);
    k = k < split.n ? k : split.n;
    make_layers(&split, k > 2u ? k - 2u : 0u);
    find_thresholds(&split, k, threshold);
    label_by_thresholds(self, lane, threshold, k - 1, mean);
}
