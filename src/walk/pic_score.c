/* SPDX-License-Identifier: MIT
 * Power iteration clustering: cuts of up to four candidates in one pass. Their labels share a byte; the exclusive or of
 * two bytes is 0 in the field of each candidate that keeps both ends together. */
#include "walk/pic_internal.h"

void cairn_pic_clear_inner(cairn_pic_t *self)
{
    memset(pic_inner(self, 0), 0, (size_t)PIC_LANES * self->cfg->n_clusters * sizeof(cairn_real));
    if (self->walk.run == NULL) {
        memset(pic_scratch(self), 0, (size_t)self->walk.n_nodes * 2u * sizeof(cairn_real));
    }
}

/* The lowest bit of each candidate's field of the byte goes to the bottom of a field of 16. One product moves bit
 * `bits` x lane to 16 x lane: the multiplier has a bit at (16 - bits) x lane, and no two partial products meet. */
PIC_INLINE uint64_t spread_bits(unsigned lowest, unsigned bits)
{
    const unsigned shift = PIC_FIELD_BITS - bits;
    const uint64_t spread = 1u | UINT64_C(1) << shift | UINT64_C(1) << (2 * shift) | UINT64_C(1) << (3 * shift);

    return lowest * spread & UINT64_C(0x0001000100010001);
}

/* One bit for each candidate that agrees: a field of the byte is folded into its lowest bit. */
PIC_INLINE uint64_t agreement(unsigned differ, unsigned bits)
{
    const unsigned lowest = bits == 1 ? 0x0Fu : bits == 2 ? 0x55u : bits == 4 ? 0x11u : 0x01u;
    unsigned folded = differ;

    folded |= bits >= 2 ? folded >> 1 : 0u;
    folded |= bits >= 4 ? folded >> 2 : 0u;
    folded |= bits >= 8 ? folded >> 4 : 0u;
    return spread_bits(~folded & lowest, bits);
}

static void add_counts(cairn_pic_t *self, uint32_t node, uint64_t counts)
{
    for (unsigned lane = 0; lane < self->lane; ++lane) {
        pic_inner(self, lane)[pic_get_trial(self, node, lane)] +=
            2 * (cairn_real)((counts >> (lane * PIC_FIELD_BITS)) & PIC_FIELD_MAX);
    }
}

/* Links of a row of plain links to ends that agree with its own, as counted fields; wide and bits are constants where
 * it is called. Of two clusters the ends in the second are counted, and taken from all where the own one is the first. */
PIC_INLINE uint64_t count_agreeing(const cairn_run_t *run, const uint8_t *trial, uint32_t begin, uint32_t end,
                                   bool wide, unsigned bits)
{
    const unsigned own = trial[run->node];
    uint64_t counts = 0;

    for (uint32_t e = begin; e < end; ++e) {
        const unsigned other = trial[wide ? run->other32[e] : run->other16[e]];
        counts += bits == 1 ? spread_bits(other, 1) : agreement(own ^ other, bits);
    }
    if (bits == 1) {
        const uint64_t first = spread_bits(~own & 0x0Fu, 1);
        counts = (counts & ~(first * PIC_FIELD_MAX)) | (first * (end - begin) - (counts & (first * PIC_FIELD_MAX)));
    }
    return counts;
}

static void add_plain_row(cairn_pic_t *self, const cairn_run_t *run)
{
    const bool wide = run->other16 == NULL;
    const uint8_t *trial = pic_trial(self);
    const unsigned bits = pic_label_bits(self);

    for (uint32_t begin = 0; begin < run->n; begin += PIC_FIELD_MAX) {
        const uint32_t end = run->n - begin < PIC_FIELD_MAX ? run->n : begin + PIC_FIELD_MAX;
        add_counts(self, run->node,
                   bits > 1 ? count_agreeing(run, trial, begin, end, wide, bits)
                   : wide   ? count_agreeing(run, trial, begin, end, true, 1)
                            : count_agreeing(run, trial, begin, end, false, 1));
    }
}

/* Weighted links: each candidate in turn, so that the counters of a row stay in registers. */
static void add_any_run(cairn_pic_t *self, const cairn_run_t *run)
{
    const uint8_t *trial = pic_trial(self);
    const unsigned bits = pic_label_bits(self);

    for (unsigned lane = 0; lane < self->lane; ++lane) {
        const unsigned mask = ((1u << bits) - 1u) << (lane * bits);
        cairn_real *inner = pic_inner(self, lane);
        if (run->node16 == NULL && run->other16 != NULL && run->weight != NULL) {
            const unsigned own = trial[run->node] & mask;
            cairn_real sum = 0;
            for (uint32_t e = 0; e < run->n; ++e) {
                sum += (trial[run->other16[e]] & mask) == own ? run->weight[e] : (cairn_real)0;
            }
            inner[own >> (lane * bits)] += 2 * sum;
            continue;
        }
        for (uint32_t e = 0; e < run->n; ++e) {
            const unsigned own = trial[cairn_run_node(run, e)] & mask;
            if ((trial[cairn_run_other(run, e)] & mask) == own) {
                inner[own >> (lane * bits)] += 2 * cairn_run_weight(run, e);
            }
        }
    }
}

/* Without links to look at: the inner weight of a cluster is 1^T A 1 over its members. One product each. */
static void add_products(cairn_pic_t *self)
{
    const uint32_t n = self->walk.n_nodes;
    cairn_real *x = pic_scratch(self);
    cairn_real *y = x + n;

    for (unsigned lane = 0; lane < self->lane; ++lane) {
        for (size_t c = 0; c < self->cfg->n_clusters; ++c) {
            pic_sum_t sum = {0, 0, 0};
            for (uint32_t i = 0; i < n; ++i) {
                x[i] = pic_is_active(self, i) && pic_get_trial(self, i, lane) == c ? (cairn_real)1 : (cairn_real)0;
                y[i] = 0;
            }
            self->walk.multiply(&self->walk, 0, self->walk.n_parts, 1, x, y);
            for (uint32_t i = 0; i < n; ++i) {
                pic_sum_add(&sum, x[i] * y[i]);
            }
            pic_inner(self, lane)[c] = pic_sum_get(&sum);
        }
    }
}

void cairn_pic_add_inner(cairn_pic_t *self, uint32_t begin, uint32_t end)
{
    cairn_run_t run;

    if (self->walk.run == NULL) {
        if (end == self->walk.n_parts) {
            add_products(self);
        }
        return;
    }
    for (uint32_t part = begin; part < end; ++part) {
        self->walk.run(&self->walk, part, &run);
        if (cairn_run_is_plain(&run)) {
            add_plain_row(self, &run);
        } else {
            add_any_run(self, &run);
        }
    }
}

cairn_real cairn_pic_score(cairn_pic_t *self, unsigned lane)
{
    const size_t k = self->cfg->n_clusters;
    cairn_real *volume = pic_sums(self, 1);
    cairn_real *size = pic_sums(self, 2);
    const cairn_real *inner = pic_inner(self, lane);
    cairn_real score = self->cfg->objective == CAIRN_PIC_NCUT ? (cairn_real)0 : (cairn_real)1;

    memset(volume, 0, k * sizeof *volume);
    memset(size, 0, k * sizeof *size);
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (pic_is_active(self, i)) {
            const unsigned label = pic_get_trial(self, i, lane);
            volume[label] += pic_degree(self)[i];
            size[label] += 1;
        }
    }
    for (size_t c = 0; c < k; ++c) {
        if (self->cfg->objective == CAIRN_PIC_MODULARITY) {
            const cairn_real share = volume[c] / self->volume;
            score -= inner[c] / self->volume - share * share;
            continue;
        }
        if (!(size[c] > 0)) {
            score += 1; /* an empty cluster is no good one */
            continue;
        }
        score += 1 - (inner[c] + self->tau * size[c] * size[c] / (cairn_real)self->n_active) /
                         (volume[c] + self->tau * size[c]);
    }
    return score;
}
