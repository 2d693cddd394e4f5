/* SPDX-License-Identifier: MIT
 * Power iteration clustering: the first steps on a part of the links. Where each node has hundreds of them, a sample finds
 * the groups nearly as well; the steps on all links that follow take out its error. Links are taken in blocks, spread over
 * each row, so that rows that lie sorted are sampled evenly and few lines of memory are touched. */
#include "walk/pic_internal.h"

#define THIN_NODES_MIN 4096u /* smaller graphs are not worth it */
#define THIN_LINKS_MIN 256u  /* of a node in the mean: 64 ends are left to each, far above what groups need */
#define BLOCK          64u   /* links */
#define GOLDEN_32      0x9E3779B9u

bool cairn_pic_begins_thin(const cairn_pic_t *self)
{
    return self->walk.run != NULL && self->walk.n_nodes > THIN_NODES_MIN &&
           self->walk.n_links >= (cairn_real)THIN_LINKS_MIN * (cairn_real)self->n_active;
}

/* n links of a run from link number first on. */
static cairn_run_t cut_run(const cairn_run_t *run, uint32_t first, uint32_t n)
{
    cairn_run_t piece = *run;

    piece.n = n;
    piece.first = run->first + first;
    piece.node16 = run->node16 != NULL ? run->node16 + first : NULL;
    piece.other16 = run->other16 != NULL ? run->other16 + first : NULL;
    piece.other32 = run->other32 != NULL ? run->other32 + first : NULL;
    piece.weight = run->weight != NULL ? run->weight + first : NULL;
    return piece;
}

/* Which of PIC_THIN_SHARE blocks of a part is the first one taken: as good as drawn. */
static uint32_t first_block(uint32_t part) { return (uint32_t)(part * GOLDEN_32) / (UINT32_MAX / PIC_THIN_SHARE + 1u); }

void cairn_pic_add_thin(cairn_pic_t *self, uint32_t begin, uint32_t end)
{
    cairn_run_t run;

    for (uint32_t part = begin; part < end; ++part) {
        self->walk.run(&self->walk, part, &run);
        for (uint32_t first = BLOCK * first_block(part); first < run.n;) {
            const uint32_t left = run.n - first;
            const cairn_run_t piece = cut_run(&run, first, left < BLOCK ? left : BLOCK);
            cairn_walk_multiply_run(&piece, self->n_columns, pic_columns(self), pic_scratch(self));
            first += left < BLOCK * PIC_THIN_SHARE ? left : BLOCK * PIC_THIN_SHARE;
        }
    }
}

void cairn_pic_scale_thin(cairn_pic_t *self)
{
    const size_t n = (size_t)self->walk.n_nodes * self->n_columns;

    for (size_t i = 0; i < n; ++i) {
        pic_scratch(self)[i] *= (cairn_real)PIC_THIN_SHARE;
    }
}
