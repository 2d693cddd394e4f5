/* SPDX-License-Identifier: MIT
 * Power iteration clustering, shared by its stages: layout of the work memory, stages. */
#ifndef CAIRN_PIC_INTERNAL_H
#define CAIRN_PIC_INTERNAL_H

#include "cairn/pic.h"
#include "walk/walk_internal.h"

#define PIC_BLOCK 256u /* nodes summed up before the sum is added to the total: long sums keep their digits */
/* For what stands in the innermost loops: compilers that optimize for size would call it there. */
#if defined(__GNUC__)
#define PIC_INLINE static inline __attribute__((always_inline))
#else
#define PIC_INLINE static inline
#endif

#define PIC_LANES 4u /* candidates whose labels share a byte, at most */

/* Counters of plain links, four in a word of 64 bits. */
#define PIC_FIELD_BITS 16u
#define PIC_FIELD_MAX  65535u

typedef enum pic_stage {
    PIC_IDLE = 0,
    PIC_DEGREE, /* pass: degrees */
    PIC_WALK,   /* pass: a step of the walk */
    PIC_RITZ,   /* pass: the product that the eigenvalues are estimated from */
    PIC_LABEL,  /* k-means of the next candidate, a round at a time */
    PIC_SCORE,  /* pass: the cuts of the candidates that wait */
    PIC_MOVE,   /* pass: ties of each node to each group, to move nodes */
    PIC_MOVED,  /* pass: the cut after moving */
    PIC_STABLE, /* pass: ties again, for labels to stay from query to query */
    PIC_DONE
} pic_stage;

/* Work memory: columns, degrees, scratch (the product; k-means), small tables. */
PIC_INLINE cairn_real *pic_columns(const cairn_pic_t *self) { return self->memory.work; }

PIC_INLINE cairn_real *pic_degree(const cairn_pic_t *self)
{
    return self->memory.work + (size_t)self->capacity * self->cfg->n_vectors;
}

static inline cairn_real *pic_scratch(const cairn_pic_t *self) { return pic_degree(self) + self->capacity; }

/* Reals of scratch a node. */
static inline size_t pic_scratch_width(const cairn_pic_t *self)
{
    const size_t split = CAIRN_PIC_SPLIT_REALS(self->capacity, self->cfg->n_clusters);
    const size_t vectors = self->cfg->n_vectors;

    return split > vectors ? split : vectors;
}

static inline cairn_real *pic_tables(const cairn_pic_t *self)
{
    return pic_scratch(self) + self->capacity * pic_scratch_width(self);
}

/* Tables: two matrices [vectors x vectors]; counts, volumes and sizes [clusters]; centres, sums and best centres
 * [clusters x vectors], inner weights [lanes x clusters], and of the labels kept [clusters]; when a query ends, overlaps
 * [clusters x clusters] in place of the latter. */
static inline cairn_real *pic_matrix(const cairn_pic_t *self, size_t which)
{
    return pic_tables(self) + which * self->cfg->n_vectors * self->cfg->n_vectors;
}

static inline cairn_real *pic_sums(const cairn_pic_t *self, size_t which)
{
    return pic_matrix(self, 2) + which * self->cfg->n_clusters;
}

static inline cairn_real *pic_centres(const cairn_pic_t *self, size_t which)
{
    return pic_sums(self, 3) + which * self->cfg->n_clusters * self->cfg->n_vectors;
}

static inline cairn_real *pic_inner(const cairn_pic_t *self, size_t lane)
{
    return pic_centres(self, 3) + lane * self->cfg->n_clusters;
}

static inline cairn_real *pic_inner_kept(const cairn_pic_t *self) { return pic_inner(self, PIC_LANES); }

static inline cairn_real *pic_overlap(const cairn_pic_t *self) { return pic_sums(self, 3); }

/* Labels: of the last query, best of this one, candidates (several in a byte). */
static inline uint8_t *pic_label(const cairn_pic_t *self) { return self->memory.label; }

static inline uint8_t *pic_best(const cairn_pic_t *self) { return self->memory.label + self->capacity; }

PIC_INLINE uint8_t *pic_trial(const cairn_pic_t *self) { return self->memory.label + 2 * (size_t)self->capacity; }

PIC_INLINE bool pic_is_active(const cairn_pic_t *self, uint32_t node) { return pic_degree(self)[node] > 0; }

/* Share of a node in the stationary distribution, times volume + n tau. */
PIC_INLINE cairn_real pic_mass(const cairn_pic_t *self, uint32_t node) { return pic_degree(self)[node] + self->tau; }

static inline cairn_real pic_total_mass(const cairn_pic_t *self)
{
    return self->volume + self->tau * (cairn_real)self->n_active;
}

/* Bits of a label, and labels in a byte. */
PIC_INLINE unsigned pic_label_bits(const cairn_pic_t *self)
{
    const unsigned k = self->cfg->n_clusters;

    return k <= 2 ? 1u : k <= 4 ? 2u : k <= 16 ? 4u : 8u;
}

static inline unsigned pic_lanes(const cairn_pic_t *self)
{
    const unsigned lanes = 8u / pic_label_bits(self);

    return lanes < PIC_LANES ? lanes : PIC_LANES;
}

PIC_INLINE uint8_t pic_get_trial(const cairn_pic_t *self, uint32_t node, unsigned lane)
{
    const unsigned bits = pic_label_bits(self);

    return (uint8_t)(((unsigned)pic_trial(self)[node] >> (lane * bits)) & ((1u << bits) - 1u));
}

PIC_INLINE void pic_set_trial(const cairn_pic_t *self, uint32_t node, unsigned lane, unsigned label)
{
    const unsigned bits = pic_label_bits(self);
    const unsigned mask = ((1u << bits) - 1u) << (lane * bits);

    pic_trial(self)[node] = (uint8_t)((pic_trial(self)[node] & ~mask) | (label << (lane * bits)));
}

/* A sum over many nodes in blocks, so that its rounding error does not grow with their number. */
typedef struct pic_sum {
    cairn_real total;
    cairn_real block;
    uint32_t n;
} pic_sum_t;

PIC_INLINE void pic_sum_add(pic_sum_t *self, cairn_real x)
{
    self->block += x;
    if (++self->n == PIC_BLOCK) {
        self->total += self->block;
        self->block = 0;
        self->n = 0;
    }
}

static inline cairn_real pic_sum_get(const pic_sum_t *self) { return self->total + self->block; }

/* Block of columns (pic_block.c). */
void cairn_pic_draw_columns(cairn_pic_t *self);
void cairn_pic_finish_step(cairn_pic_t *self);
void cairn_pic_orthogonalise(cairn_pic_t *self);
void cairn_pic_rotate(cairn_pic_t *self);

/* First steps on a part of the links (pic_thin.c): whether walks begin so, and parts of such a product; y is that of all
 * links but for the sampling once it has been scaled. */
#define PIC_THIN_STEPS 4u
#define PIC_THIN_SHARE 8u /* one link in so many */
bool cairn_pic_begins_thin(const cairn_pic_t *self);
void cairn_pic_add_thin(cairn_pic_t *self, uint32_t begin, uint32_t end);
void cairn_pic_scale_thin(cairn_pic_t *self);

/* Exact k-means on the first column (pic_split.c); fewer clusters where linked nodes are fewer. */
void cairn_pic_split(cairn_pic_t *self, unsigned lane);

/* k-means on several columns (pic_kmeans.c). */
bool cairn_pic_has_sample(const cairn_pic_t *self); /* one more start, with all nodes, ends a candidate */
void cairn_pic_choose_centres(cairn_pic_t *self, unsigned lane);
bool cairn_pic_round(cairn_pic_t *self, unsigned lane);
void cairn_pic_take_best_centres(cairn_pic_t *self, unsigned lane);

/* Cuts (pic_score.c): parts of a pass, and the judgement after it. */
void cairn_pic_clear_inner(cairn_pic_t *self);
void cairn_pic_add_inner(cairn_pic_t *self, uint32_t begin, uint32_t end);
cairn_real cairn_pic_score(cairn_pic_t *self, unsigned lane);

/* Ties of the nodes of a block to each group of the labels kept (pic_move.c), [nodes x clusters] in the scratch. */
uint32_t cairn_pic_block_nodes(const cairn_pic_t *self); /* of a block; 0: there is no room for one node */
void cairn_pic_clear_ties(cairn_pic_t *self);
void cairn_pic_add_ties(cairn_pic_t *self, uint32_t begin, uint32_t end);
/* Moves of the nodes of a block, to lane 0 of the trial labels, and, to another lane, of those whose own links decide;
 * how many go. */
uint32_t cairn_pic_move(cairn_pic_t *self);
uint32_t cairn_pic_vote(cairn_pic_t *self, unsigned lane);

/* Labels from query to query (pic_stable.c): parts of a pass after the numbering, which returns whether a node would
 * change its label, and the judgement. */
bool cairn_pic_number(cairn_pic_t *self);
void cairn_pic_add_stays(cairn_pic_t *self, uint32_t begin, uint32_t end);
void cairn_pic_settle(cairn_pic_t *self);

#endif
