/* SPDX-License-Identifier: MIT
 * Bounded graph: merging two buffers. Reservoirs merge by drawing how many links of the union come from each side
 * (hypergeometric, one draw a link); priority samples by their keys, since a link's draw depends on its ends alone. */
#include "walk/graph_internal.h"

/* Sizes of the two streams from which slots are still to be drawn. */
typedef struct sides {
    uint32_t mine;
    uint32_t theirs;
} sides_t;

/* How many of n slots go to the other side. */
static uint32_t draw_theirs(cairn_graph_t *self, sides_t left, uint32_t n)
{
    uint32_t n_theirs = 0;

    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t all = left.mine + left.theirs < left.mine ? UINT32_MAX : left.mine + left.theirs;
        if (cairn_rng_below(&self->rng, all > 0 ? all : 1u) < left.theirs) {
            --left.theirs;
            ++n_theirs;
        } else {
            left.mine -= left.mine > 0 ? 1u : 0u;
        }
    }
    return n_theirs;
}

/* Take n links of other, each subset as likely (Knuth 3.4.2, algorithm S), over the normal entry while there is room. */
static void take_sample(cairn_graph_t *self, const cairn_graph_t *other, uint32_t n)
{
    for (uint32_t e = 0; e < other->n_links && n > 0; ++e) {
        if (cairn_rng_below(&self->rng, other->n_links - e) < n) {
            const cairn_status status =
                cairn_graph_add(self, other->memory.id[other->memory.one[e]], other->memory.id[other->memory.other[e]],
                                other->memory.weight[e] / cairn_graph_scale(other));
            --n;
            (void)status; /* refusals are counted by add */
        }
    }
}

static void merge_reservoir(cairn_graph_t *self, const cairn_graph_t *other)
{
    const uint32_t capacity = (uint32_t)self->memory.n_links;
    const uint32_t all = self->n_links + other->n_links;
    const uint32_t n = all < capacity ? all : capacity;
    const sides_t sides = {self->n_distinct, other->n_distinct};
    const uint32_t distinct = sides.mine + sides.theirs < sides.mine ? UINT32_MAX : sides.mine + sides.theirs;
    uint32_t n_theirs = draw_theirs(self, sides, n);

    n_theirs = n_theirs < other->n_links ? n_theirs : other->n_links;
    while (self->n_links > n - n_theirs) {
        cairn_graph_drop_list(self, cairn_rng_below(&self->rng, self->n_links));
    }
    take_sample(self, other, n_theirs);
    self->n_distinct = distinct;
}

/* Every kept link of other, one after the other. */
static void take_all(cairn_graph_t *self, const cairn_graph_t *other)
{
    cairn_walk_t walk;
    cairn_run_t run;
    const cairn_real scale = cairn_graph_scale(other);

    if (cairn_graph_walk(other, &walk) != CAIRN_OK) {
        return;
    }
    for (uint32_t part = 0; part < walk.n_parts; ++part) {
        walk.run(&walk, part, &run);
        for (uint32_t e = 0; e < run.n; ++e) {
            if (run.weight[e] > 0) {
                const cairn_status status =
                    cairn_graph_add(self, other->memory.id[cairn_run_node(&run, e)],
                                    other->memory.id[cairn_run_other(&run, e)], run.weight[e] / scale);
                (void)status; /* refusals are counted by add */
            }
        }
    }
}

/* Running degrees first, so that the links of the other side are judged by the degrees of both streams. */
static void merge_priority(cairn_graph_t *self, const cairn_graph_t *other)
{
    const cairn_real ratio = cairn_graph_scale(self) / cairn_graph_scale(other);
    const cairn_graph_memory_t *theirs = &other->memory;

    for (uint32_t i = 0; i < other->ids.n_ids; ++i) {
        uint32_t node;
        if (cairn_ids_add(&self->ids, theirs->id[i], &node) == CAIRN_OK) {
            const cairn_real count = cairn_graph_count(other, i) * ratio;
            self->memory.seen[node] += count;
            self->total += 0.5f * count;
        }
    }
    self->threshold = cairn_max(self->threshold, other->threshold * ratio);
    for (uint32_t e = 0; e < other->n_links; ++e) {
        const uint32_t a = cairn_ids_find(&self->ids, theirs->id[theirs->one[e]]);
        const uint32_t b = cairn_ids_find(&self->ids, theirs->id[theirs->other[e]]);
        if (a == CAIRN_IDS_NONE || b == CAIRN_IDS_NONE) {
            ++self->counters.n_node_full;
            continue;
        }
        (void)cairn_graph_add_list(self, a, b, theirs->weight[e] * ratio);
    }
}

cairn_status cairn_graph_merge(cairn_graph_t *self, const cairn_graph_t *other)
{
    bool sampled;

    if (self == NULL || other == NULL || self == other) {
        return CAIRN_ERR_ARG;
    }
    sampled = self->cfg->policy == CAIRN_GRAPH_RESERVOIR || self->cfg->policy == CAIRN_GRAPH_PRIORITY;
    if (sampled && self->cfg->policy != other->cfg->policy) {
        return CAIRN_ERR_ARG;
    }
    if (self->cfg->policy == CAIRN_GRAPH_RESERVOIR) {
        merge_reservoir(self, other);
    } else if (self->cfg->policy == CAIRN_GRAPH_PRIORITY) {
        merge_priority(self, other);
    } else {
        take_all(self, other);
    }
    return CAIRN_OK;
}
