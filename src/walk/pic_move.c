/* SPDX-License-Identifier: MIT
 * Power iteration clustering: moves of single nodes after the walk. Source: Dhillon, Guan, Kulis (2007): the normalised
 * cut is weighted kernel k-means, so each node goes to the group that is nearest under the walk. What we changed: all
 * nodes at once, from one pass over the links for each block of nodes whose ties there is room for (one, up to 5
 * clusters), and the caller keeps the labels only when the cut has fallen clearly. */
#include "walk/pic_internal.h"

#define CLEARLY 1e-4f /* of a node's mass: rounding decides no move, so float and double agree */
#define MANY                                                                                                           \
    0.5f /* of the mean degree: fewer links are too few to outvote the walk, which has seen farther. .25 to
                         .75 do on planted groups, where votes help, and on polblogs, where those of poor nodes harm */

uint32_t cairn_pic_block_nodes(const cairn_pic_t *self)
{
    const size_t room = self->capacity * pic_scratch_width(self) / self->cfg->n_clusters;

    return room < self->walk.n_nodes ? (uint32_t)room : self->walk.n_nodes;
}

/* Nodes [begin, end) of the present block. */
typedef struct block {
    uint32_t begin;
    uint32_t end;
} block_t;

static block_t get_block(const cairn_pic_t *self)
{
    const uint32_t n = cairn_pic_block_nodes(self);
    block_t block = {n * self->block, n * self->block + n};

    block.end = block.end < self->walk.n_nodes ? block.end : self->walk.n_nodes;
    return block;
}

void cairn_pic_clear_ties(cairn_pic_t *self)
{
    const block_t block = get_block(self);

    memset(pic_scratch(self), 0, (block.end - block.begin) * (size_t)self->cfg->n_clusters * sizeof(cairn_real));
}

PIC_INLINE void tie_any_run(const cairn_pic_t *self, const cairn_run_t *run, block_t block)
{
    const size_t k = self->cfg->n_clusters;
    const uint8_t *label = pic_best(self);
    const uint32_t n = block.end - block.begin;
    cairn_real *ties = pic_scratch(self);

    for (uint32_t e = 0; e < run->n; ++e) {
        const uint32_t a = cairn_run_node(run, e);
        const uint32_t b = cairn_run_other(run, e);
        const uint32_t row_a = a - block.begin; /* wraps below the block */
        const uint32_t row_b = b - block.begin;
        const cairn_real weight = cairn_run_weight(run, e);
        if (row_a < n && label[b] < k) {
            ties[row_a * k + label[b]] += weight;
        }
        if (row_b < n && label[a] < k) {
            ties[row_b * k + label[a]] += weight;
        }
    }
}

/* A row of plain links of a large graph, up to four clusters and one block: the links to each are counted in a field of
 * 16 bits. All nodes have a label, as they have links. wide is a constant where it is called. */
PIC_INLINE void tie_plain_row(const cairn_pic_t *self, const cairn_run_t *run, bool wide)
{
    const size_t k = self->cfg->n_clusters;
    const uint8_t *label = pic_best(self);
    cairn_real *mine = pic_scratch(self) + run->node * k;
    cairn_real *theirs = pic_scratch(self) + label[run->node];

    for (uint32_t begin = 0; begin < run->n; begin += PIC_FIELD_MAX) {
        const uint32_t end = run->n - begin < PIC_FIELD_MAX ? run->n : begin + PIC_FIELD_MAX;
        uint64_t counts = 0;
        for (uint32_t e = begin; e < end; ++e) {
            const size_t other = wide ? run->other32[e] : run->other16[e];
            counts += UINT64_C(1) << (label[other] * PIC_FIELD_BITS);
            theirs[other * k] += 1;
        }
        for (unsigned c = 0; c < k; ++c) {
            mine[c] += (cairn_real)((counts >> (c * PIC_FIELD_BITS)) & PIC_FIELD_MAX);
        }
    }
}

void cairn_pic_add_ties(cairn_pic_t *self, uint32_t begin, uint32_t end)
{
    const block_t block = get_block(self);
    const bool countable = self->cfg->n_clusters <= 4 && block.begin == 0 && block.end == self->walk.n_nodes;
    cairn_run_t run;

    for (uint32_t part = begin; part < end; ++part) {
        self->walk.run(&self->walk, part, &run);
        if (!countable || !cairn_run_is_plain(&run)) {
            tie_any_run(self, &run, block);
        } else if (run.other16 != NULL) {
            tie_plain_row(self, &run, false);
        } else {
            tie_plain_row(self, &run, true);
        }
    }
}

/* What the distance of a node from a group is made of: slope x the node's mass - tie x its ties. */
typedef struct groups {
    cairn_real *slope; /* of each group */
    cairn_real *tie;
    cairn_real *spread; /* ties to all nodes of the group alike */
} groups_t;

/* Mass and size of each group, then the coefficients in their place. */
static groups_t measure_groups(cairn_pic_t *self)
{
    const size_t k = self->cfg->n_clusters;
    const uint8_t *label = pic_best(self);
    const bool cut = self->cfg->objective == CAIRN_PIC_NCUT;
    const groups_t groups = {pic_sums(self, 0), pic_sums(self, 1), pic_sums(self, 2)};
    const cairn_real *inner = pic_inner_kept(self);
    cairn_real *mass = groups.slope;
    cairn_real *size = groups.spread;

    memset(mass, 0, 3u * k * sizeof *mass); /* they lie one behind the other */
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (label[i] < k) {
            mass[label[i]] += cut ? pic_mass(self, i) : pic_degree(self)[i];
            size[label[i]] += 1;
        }
    }
    for (size_t c = 0; c < k; ++c) {
        const cairn_real share = cut ? self->tau * size[c] / (cairn_real)self->n_active : (cairn_real)0;
        const cairn_real all = mass[c];
        groups.slope[c] = !cut      ? all / self->volume
                          : all > 0 ? (inner[c] + share * size[c]) / all / all
                                    : CAIRN_REAL_MAX;
        groups.tie[c] = !cut ? (cairn_real)1 : all > 0 ? 2 / all : (cairn_real)0;
        groups.spread[c] = share;
    }
    return groups;
}

/* The nearest group; the present one where no other is clearly nearer. */
static uint8_t nearest_group(const cairn_pic_t *self, const groups_t *groups, uint32_t node, const cairn_real *ties)
{
    const cairn_real mass = self->cfg->objective == CAIRN_PIC_NCUT ? pic_mass(self, node) : pic_degree(self)[node];
    const uint8_t own = pic_best(self)[node];
    const cairn_real margin = CLEARLY * mass * groups->tie[own];
    cairn_real least = groups->slope[own] * mass - groups->tie[own] * (ties[own] + groups->spread[own]) - margin;
    uint8_t nearest = own;

    for (uint8_t c = 0; c < self->cfg->n_clusters; ++c) {
        const cairn_real value = groups->slope[c] * mass - groups->tie[c] * (ties[c] + groups->spread[c]);
        if (value < least && c != own) {
            nearest = c;
            least = value - margin;
        }
    }
    return nearest;
}

uint32_t cairn_pic_move(cairn_pic_t *self)
{
    uint32_t n_movers = 0;
    const groups_t groups = measure_groups(self);
    const block_t block = get_block(self);
    const cairn_real *ties = pic_scratch(self);

    for (uint32_t i = block.begin; i < block.end; ++i, ties += self->cfg->n_clusters) {
        if (pic_is_active(self, i)) {
            const uint8_t group = nearest_group(self, &groups, i, ties);
            n_movers += group != pic_best(self)[i] ? 1u : 0u;
            pic_set_trial(self, i, 0, group);
        }
    }
    return n_movers;
}

uint32_t cairn_pic_vote(cairn_pic_t *self, unsigned lane)
{
    const size_t k = self->cfg->n_clusters;
    const cairn_real many = MANY * self->volume / (cairn_real)self->n_active;
    const block_t block = get_block(self);
    const cairn_real *ties = pic_scratch(self);
    uint32_t n_movers = 0;

    for (uint32_t i = block.begin; i < block.end; ++i, ties += k) {
        const cairn_real degree = pic_degree(self)[i];
        const uint8_t own = pic_best(self)[i];
        uint8_t most = own;
        if (!(degree > 0)) {
            continue;
        }
        for (uint8_t c = 0; c < k && degree >= many; ++c) {
            most = ties[c] > ties[most] + CLEARLY * degree ? c : most;
        }
        n_movers += most != own ? 1u : 0u;
        pic_set_trial(self, i, lane, most);
    }
    return n_movers;
}
