/* SPDX-License-Identifier: MIT
 * Power iteration clustering: labels that stay from one query to the next. New clusters take the number of the old one
 * they overlap most, pair by pair; a node keeps its old label while its links do not clearly speak for the new one. */
#include "walk/pic_internal.h"

#define TAKEN (-1)

static void count_overlaps(cairn_pic_t *self)
{
    const size_t k = self->cfg->n_clusters;
    cairn_real *overlap = pic_overlap(self); /* [new][old] */
    const uint8_t *before = pic_label(self);
    const uint8_t *now = pic_best(self);

    memset(overlap, 0, k * k * sizeof *overlap);
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (now[i] < k && before[i] < k) {
            overlap[now[i] * k + before[i]] += 1;
        }
    }
}

/* Largest overlap of a new and an old cluster that are both free. */
static cairn_real largest_overlap(const cairn_real *overlap, size_t k, size_t *now, size_t *before)
{
    cairn_real largest = 0;

    for (size_t c = 0; c < k; ++c) {
        for (size_t b = 0; b < k; ++b) {
            if (overlap[c * k + b] > largest) {
                largest = overlap[c * k + b];
                *now = c;
                *before = b;
            }
        }
    }
    return largest;
}

/* Clusters without an old one are numbered by their first node. */
static void number_by_first(const cairn_pic_t *self, cairn_real *number, size_t k, cairn_real *used)
{
    const uint8_t *now = pic_best(self);

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (now[i] < k && number[now[i]] < 0) {
            size_t free_number = 0;
            while (used[free_number] > 0) {
                ++free_number;
            }
            used[free_number] = 1;
            number[now[i]] = (cairn_real)free_number;
        }
    }
}

bool cairn_pic_number(cairn_pic_t *self)
{
    bool changes = false;
    const size_t k = self->cfg->n_clusters;
    cairn_real *overlap = pic_overlap(self);
    cairn_real *number = pic_sums(self, 0);
    cairn_real *used = pic_sums(self, 1);
    uint8_t *now = pic_best(self);

    count_overlaps(self);
    for (size_t c = 0; c < k; ++c) {
        number[c] = TAKEN;
        used[c] = 0;
    }
    for (size_t pair = 0; pair < k; ++pair) {
        size_t one = 0;
        size_t old = 0;
        if (!(largest_overlap(overlap, k, &one, &old) > 0)) {
            break;
        }
        number[one] = (cairn_real)old;
        used[old] = 1;
        for (size_t c = 0; c < k; ++c) {
            overlap[one * k + c] = TAKEN;
            overlap[c * k + old] = TAKEN;
        }
    }
    number_by_first(self, number, k, used);
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        now[i] = now[i] < k ? (uint8_t)number[now[i]] : now[i];
        changes = changes || (now[i] < k && pic_label(self)[i] < k && now[i] != pic_label(self)[i]);
    }
    memset(pic_scratch(self), 0, (size_t)self->walk.n_nodes * 2u * sizeof(cairn_real));
    return changes;
}

/* What speaks for a node's new label, then for its old one, [nodes x 2] in the scratch. */
static void add_stay(const cairn_pic_t *self, uint32_t node, uint8_t other_label, cairn_real weight)
{
    const uint8_t now = pic_best(self)[node];
    const uint8_t before = pic_label(self)[node];
    cairn_real *ties = pic_scratch(self) + 2u * (size_t)node;

    if (now != before) {
        ties[0] += other_label == now ? weight : (cairn_real)0;
        ties[1] += other_label == before ? weight : (cairn_real)0;
    }
}

void cairn_pic_add_stays(cairn_pic_t *self, uint32_t begin, uint32_t end)
{
    const uint8_t *now = pic_best(self);
    cairn_run_t run;

    for (uint32_t part = begin; part < end; ++part) {
        self->walk.run(&self->walk, part, &run);
        for (uint32_t e = 0; e < run.n; ++e) {
            const uint32_t a = cairn_run_node(&run, e);
            const uint32_t b = cairn_run_other(&run, e);
            const cairn_real weight = cairn_run_weight(&run, e);
            add_stay(self, a, now[b], weight);
            add_stay(self, b, now[a], weight);
        }
    }
}

void cairn_pic_settle(cairn_pic_t *self)
{
    const size_t k = self->cfg->n_clusters;
    const cairn_real *ties = pic_scratch(self);
    const cairn_real half_link = 0.25f * self->volume / cairn_max(self->walk.n_links, 1);
    const bool sticky = self->cfg->hysteresis > 0 && self->walk.run != NULL;
    uint8_t *label = pic_label(self);

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        const uint8_t now = pic_best(self)[i];
        const bool stays = sticky && label[i] < k && now < k && now != label[i] &&
                           !(ties[2u * (size_t)i] > self->cfg->hysteresis * ties[2u * (size_t)i + 1u] + half_link);
        label[i] = stays ? label[i] : now;
    }
    for (uint32_t i = self->walk.n_nodes; i < self->capacity; ++i) {
        label[i] = CAIRN_PIC_UNKNOWN;
    }
}
