/* SPDX-License-Identifier: MIT
 * Starts of unknown deviation. Sharp ones: the map begins there, and each start is one more neighbour, at range 0. Near
 * ones: one map is made without them and one from them, and what differs is taken from the cheaper one,
 * large regions from that with the starts only when it is clearly cheaper. Far ones: the map
 * is made without them; what they are worth is measured on it: the median distance, which folds and fliers do not move,
 * found by halving. Then they decide what the ranges leave open: flips, loose nodes. */
#include "locate/coldstart_internal.h"

#define SHARP      0.25f /* of the radio range: from nearer starts no fold comes */
#define NEAR       0.75f /* of the radio range: starts farther off are not begun from */
#define SHARP_FINE 0.65f /* both where their deviation is known, not guessed: a network that moves */
#define NEAR_FINE  1
#define NEAR_TRUST 0.6f /* of their weight in the map, for their errors are not normal: a wall reflects */
#define HALVINGS   24u
#define MEDIAN_2D  1.386f /* median of |x - x0|^2 over the variance of a coordinate: 2 log 2 */
#define MEDIAN_1D  0.455f
#define MEDIAN_3D  2.366f
#define STD_LEAST  0.02f /* of the radio range */

/* With too few anchors for a frame there is no map but the one begun at the starts. */
void cairn_coldstart_choose_starts(cairn_coldstart_t *self)
{
    const cairn_real std_m = self->locate.start_std_m;
    const bool fine = self->cfg->fine != 0;
    const bool apart = self->has_starts && self->network->n_anchors > coldstart_dim(self);

    self->far_starts = apart && !(std_m < (fine ? NEAR_FINE : NEAR) * self->radio_range_m);
    self->two_maps = apart && !self->far_starts && std_m > (fine ? SHARP_FINE : SHARP) * self->radio_range_m;
    self->starts_done = !self->far_starts && !self->two_maps;
}

bool cairn_coldstart_begins_at_starts(const cairn_coldstart_t *self) { return self->has_starts && self->starts_done; }

void cairn_coldstart_set_prior(cairn_coldstart_t *self, cairn_real std_m)
{
    const cairn_real kept_m = cairn_max(std_m, STD_LEAST * self->radio_range_m);

    self->locate.start_std_m = kept_m;
    self->prior_weight = 1 / (kept_m * kept_m);
}

/* The map without starts is made as if there were none; meanwhile a deviation below 0 tells which nodes have one. */
void cairn_coldstart_hide_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        const bool started = locate_has_start(&self->locate, i);
        self->network->memory.std_m[i] = started ? -COLDSTART_HIDDEN : 0;
        if (started) {
            self->network->memory.flags[i] = CAIRN_NODE_UNPLACED;
        }
    }
}

/* Show them again; where there are two maps, keep the first and take the starts for places. */
static void show_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t n_bytes = coldstart_dim(self) * sizeof(cairn_real);

    for (uint32_t i = begin; i < end; ++i) {
        const bool reached = network_is_known(self->network, i);
        memcpy(coldstart_other(self, i), network_place(self->network, i), n_bytes);
        if (self->network->memory.std_m[i] < 0) {
            self->network->memory.flags[i] = CAIRN_NODE_STARTED;
            if (self->two_maps || !reached) {
                memcpy(network_place(self->network, i), locate_start(&self->locate, i), n_bytes);
            }
        }
    }
}

static void count_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real *place_m = network_place(self->network, i);
        const cairn_real *start_m = locate_start(&self->locate, i);
        cairn_real sum = 0;
        for (size_t k = 0; k < dim; ++k) {
            sum += (place_m[k] - start_m[k]) * (place_m[k] - start_m[k]);
        }
        if (locate_has_start(&self->locate, i)) {
            self->n_changed += sum < self->alpha ? 1u : 0u;
        }
    }
}

/* Halve the interval (rho_first, rho) of the median of the squared distances. */
static bool measure(cairn_coldstart_t *self, int32_t *operations)
{
    const cairn_real medians[] = {MEDIAN_1D, MEDIAN_2D, MEDIAN_3D};

    self->alpha = (self->rho_first + self->rho) / 2;
    if (!cairn_coldstart_pass(self, operations, 1, count_run)) {
        return false;
    }
    if (2u * self->n_changed > self->network->n_starts) {
        self->rho = self->alpha;
    } else {
        self->rho_first = self->alpha;
    }
    self->n_changed = 0;
    if (++self->round <= HALVINGS) {
        return false;
    }
    cairn_coldstart_set_prior(self, cairn_sqrt(self->rho / medians[coldstart_dim(self) - 1u]));
    return true;
}

/* Phases of the stage. */
enum { STARTS_SHOW, STARTS_MEASURE, STARTS_GRID, STARTS_REGIONS, STARTS_LOOSE, STARTS_END };

void cairn_coldstart_starts_begin(cairn_coldstart_t *self)
{
    const cairn_real most_m = 2 * COLDSTART_START_RANGES * self->radio_range_m;

    self->round = 0;
    self->n_accepted = 0;
    self->rho_first = 0;
    self->rho = most_m * most_m;
    if (self->prior_weight > 0) { /* both maps are there */
        self->phase = STARTS_GRID;
        cairn_coldstart_grid_begin(self);
    }
}

/* Before the regions; returns true when the phase is complete. */
static bool show_and_measure(cairn_coldstart_t *self, int32_t *operations)
{
    if (self->phase == STARTS_MEASURE) {
        return measure(self, operations);
    }
    if (!cairn_coldstart_pass(self, operations, 1, show_run)) {
        return false;
    }
    if (self->two_maps) {
        cairn_coldstart_set_prior(self, self->locate.start_std_m);
        self->prior_weight *= self->cfg->fine != 0 ? 1 : NEAR_TRUST;
        self->phase = STARTS_LOOSE;
    }
    return true;
}

/* Regions laid upon far starts make a second map as well. */
static void end_starts(cairn_coldstart_t *self)
{
    if (self->two_maps) {
        self->starts_done = self->first_kept;
        self->first_kept = true;
    } else {
        self->starts_done = self->n_accepted == 0;
        self->two_maps = self->first_kept = !self->starts_done;
        self->n_finals = self->starts_done ? self->n_finals : 0;
    }
}

bool cairn_coldstart_starts(cairn_coldstart_t *self, int32_t *operations)
{
    const int32_t degree = (int32_t)(2u * self->network->n_ranges / self->network->n_nodes) + 1;
    bool complete = false;

    switch (self->phase) {
    case STARTS_GRID: complete = cairn_coldstart_grid_fill(self, operations); break;
    case STARTS_REGIONS: complete = cairn_coldstart_try_regions(self, operations); break;
    case STARTS_LOOSE: complete = cairn_coldstart_pass(self, operations, degree, cairn_coldstart_loose_run); break;
    default: complete = show_and_measure(self, operations); break;
    }
    if (complete) {
        self->cursor = 0;
        if (++self->phase == STARTS_GRID) {
            cairn_coldstart_grid_begin(self);
        }
    }
    if (self->phase == STARTS_END) {
        end_starts(self);
    }
    return self->phase >= STARTS_END;
}
