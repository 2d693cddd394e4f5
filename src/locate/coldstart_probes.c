/* SPDX-License-Identifier: MIT
 * Deviations by probes (Hutchinson 1990 for a diagonal; Bekas, Kokiopoulou and Saad 2007): the linearised map is solved
 * for made-up errors, each range and start off by its deviation with a random sign. The mean square of what a node moves
 * is its variance, that of its neighbours and of soft waves through the whole map included. The ranges alone count, not
 * the pairs without a range: what those add is not normal, and holds nothing once a part lies mirrored. A weak pull to
 * its place keeps what no range holds, and shows as a large deviation. */
#include "locate/coldstart_internal.h"

#define PROBES       4u
#define PROBES_LINE  16u /* on a line: a probe says less, and all nodes may err as one */
#define PRIOR_RANGES 2 /* deviation of what no range holds, radio ranges; or a share of the extent, if that is more: */
#define PRIOR_EXTENT 0.16f /* pulls at many nodes hold the soft waves of a long map */
#define PROBE_STREAM 7u
#define LOOK_FIRST   4u   /* iteration, then each half as many more */
#define GROWN        1.2f /* ratio of the squares of a move, from look to look, of a node that still moves */
#define GROWN_SHARE  0.1f /* of the nodes; where more still move, soft waves are left */
#define STD_MOST     (4 * CAIRN_NETWORK_LENGTH_MOST) /* also where squares of lengths of 1e9 and 1e-9 have no bound */

void cairn_coldstart_probes_begin(cairn_coldstart_t *self)
{
    cairn_real prior_m = PRIOR_RANGES * self->radio_range_m;

    for (size_t k = 0; k < coldstart_dim(self); ++k) {
        prior_m = cairn_max(prior_m, PRIOR_EXTENT * (self->high_m[k] - self->low_m[k]));
    }
    cairn_coldstart_set_noise(self, 0, 0);
    self->isotropy = 0;
    self->damping = 1 / (prior_m * prior_m * self->unit_weight);
    self->pair_words = 0;
    self->coarse_ready = false;
    self->round = 0;
    self->phase = PHASE_CLEAR;
    self->outer = LOOK_FIRST;
    self->halvings = UINT32_MAX;
    cairn_rng_init(&self->rng, PROBES, PROBE_STREAM);
}

/* The first probe tells how many iterations the map takes, in halvings; it looks at those in outer. */
bool cairn_coldstart_probes_wait(const cairn_coldstart_t *self)
{
    return self->stage == CAIRN_COLDSTART_PROBES && self->iteration < self->halvings;
}

bool cairn_coldstart_probes_look(const cairn_coldstart_t *self)
{
    return self->stage == CAIRN_COLDSTART_PROBES && self->halvings == UINT32_MAX && self->iteration > self->outer;
}

/* Count the nodes whose move has grown since the last look; the squares lie where the deviations will, where before the
 * first look lies what an earlier job has left. */
static void look_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real *moved_m = cairn_coldstart_vector(self, 3) + dim * i;
        const cairn_real square = cairn_dot(moved_m, moved_m, dim);
        self->n_changed += self->outer == LOOK_FIRST || square > GROWN * self->network->memory.std_m[i] ? 1u : 0u;
        self->network->memory.std_m[i] = square;
    }
}

/* The residual says little of soft waves, which move all nodes the most and come last: what has come to rest are the
 * moves, but for those of nodes that nothing holds. */
static void look(cairn_coldstart_t *self)
{
    const cairn_real tolerance = cairn_coldstart_plan(self)->tolerance;

    if (self->rho <= tolerance * tolerance * self->rho_first &&
        (cairn_real)self->n_changed <= GROWN_SHARE * (cairn_real)self->network->n_nodes) {
        self->halvings = self->outer - self->outer / 3u; /* the look before */
    }
    self->outer += self->outer / 2u;
    self->n_changed = 0;
    self->phase = PHASE_DIRECTION;
}

static uint32_t n_probes(const cairn_coldstart_t *self) { return coldstart_dim(self) > 1 ? PROBES : PROBES_LINE; }

static cairn_real deviation(cairn_real mean_square)
{
    return cairn_isfinite(mean_square) ? cairn_min(cairn_sqrt(mean_square), STD_MOST) : STD_MOST;
}

/* Add up squares; the last probe turns the sum into a deviation a coordinate. */
static void gather_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real n_squares = (cairn_real)dim * (cairn_real)n_probes(self);

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real *moved_m = cairn_coldstart_vector(self, 3) + dim * i;
        cairn_real *std_m = &self->network->memory.std_m[i];
        *std_m = (self->round > 0 ? *std_m : 0) + (coldstart_is_free(self, i) ? cairn_dot(moved_m, moved_m, dim) : 0);
        *std_m = self->round + 1u < n_probes(self) ? *std_m : deviation(*std_m / n_squares);
    }
}

/* A probe is solved: the next one needs no new coarse level. Returns true after the last. */
static bool end_probe(cairn_coldstart_t *self)
{
    self->phase = PHASE_CLEAR;
    self->halvings = self->halvings == UINT32_MAX ? self->iteration : self->halvings;
    return ++self->round == n_probes(self);
}

/* Make up the errors. */
static void draw(cairn_coldstart_t *self, int32_t *operations)
{
    if (self->phase == PHASE_CLEAR) {
        self->phase = cairn_coldstart_pass(self, operations, 1, cairn_coldstart_clear_run) ? PHASE_LINKS : PHASE_CLEAR;
    } else if (cairn_coldstart_pass(self, operations, 1, cairn_coldstart_links_run)) {
        self->phase = self->round > 0 ? PHASE_BLOCKS : cairn_coldstart_coarse_choose(self);
    }
}

bool cairn_coldstart_probes(cairn_coldstart_t *self, int32_t *operations)
{
    switch (self->phase) {
    case PHASE_CLEAR:
    case PHASE_LINKS: draw(self, operations); break;
    case PHASE_COARSE_CLEAR:
    case PHASE_COARSE_ADD:
    case PHASE_COARSE_FACTOR: cairn_coldstart_assemble(self, operations); break;
    case PHASE_REST:
        if (cairn_coldstart_pass(self, operations, 1, look_run)) {
            look(self);
        }
        break;
    case PHASE_APPLY: return cairn_coldstart_pass(self, operations, 1, gather_run) && end_probe(self);
    default: cairn_coldstart_gradients(self, operations); break;
    }
    return false;
}
