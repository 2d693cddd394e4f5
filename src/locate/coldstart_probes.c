/* SPDX-License-Identifier: MIT
 * Deviations by probes (Hutchinson 1990 for a diagonal; Bekas, Kokiopoulou and Saad 2007): the linearised map is solved
 * for made-up errors, each range and start off by its deviation with a random sign. The mean square of what a node moves
 * is its variance, that of its neighbours and of soft waves through the whole map included. The ranges alone count, not
 * the pairs without a range: what those add is not normal, and holds nothing once a part lies mirrored. A weak pull to
 * its place keeps what no range holds, and shows as a large deviation. */
#include "locate/coldstart_internal.h"

#define PROBES       4u
#define PRIOR_RANGES 2 /* deviation of what no range holds, radio ranges */
#define PROBE_STREAM 7u

void cairn_coldstart_probes_begin(cairn_coldstart_t *self)
{
    const cairn_real prior_m = PRIOR_RANGES * self->radio_range_m;

    cairn_coldstart_set_noise(self, 0, 0);
    self->isotropy = 0;
    self->damping = 1 / (prior_m * prior_m * self->unit_weight);
    self->pair_words = 0;
    self->coarse_ready = false;
    self->round = 0;
    self->phase = PHASE_CLEAR;
    cairn_rng_init(&self->rng, PROBES, PROBE_STREAM);
}

/* Add up squares; the last probe turns the sum into a deviation a coordinate. */
static void gather_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real n_squares = (cairn_real)dim * (cairn_real)PROBES;

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real *moved_m = cairn_coldstart_vector(self, 3) + dim * i;
        cairn_real *std_m = &self->network->memory.std_m[i];
        *std_m = (self->round > 0 ? *std_m : 0) + (coldstart_is_free(self, i) ? cairn_dot(moved_m, moved_m, dim) : 0);
        *std_m = self->round + 1u < PROBES ? *std_m : cairn_sqrt(*std_m / n_squares);
    }
}

/* A probe is solved: the next one needs no new coarse level. Returns true after the last. */
static bool end_probe(cairn_coldstart_t *self)
{
    self->phase = PHASE_CLEAR;
    return ++self->round == PROBES;
}

bool cairn_coldstart_probes(cairn_coldstart_t *self, int32_t *operations)
{
    switch (self->phase) {
    case PHASE_CLEAR:
        self->phase = cairn_coldstart_pass(self, operations, 1, cairn_coldstart_clear_run) ? PHASE_LINKS : PHASE_CLEAR;
        break;
    case PHASE_LINKS:
        if (cairn_coldstart_pass(self, operations, 1, cairn_coldstart_links_run)) {
            self->phase = self->round > 0 ? PHASE_BLOCKS : cairn_coldstart_coarse_choose(self);
        }
        break;
    case PHASE_COARSE_CLEAR:
    case PHASE_COARSE_ADD:
    case PHASE_COARSE_FACTOR: cairn_coldstart_assemble(self, operations); break;
    case PHASE_APPLY: return cairn_coldstart_pass(self, operations, 1, gather_run) && end_probe(self);
    default: cairn_coldstart_gradients(self, operations); break;
    }
    return false;
}
