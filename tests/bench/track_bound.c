/* SPDX-License-Identifier: MIT
 * What a sensor with few ranges can be told at best: a particle filter. Without a range the points move; with one or two,
 * trials on the circle of one count by the density of the moved points there and by the other range; trials that would
 * have other ranges than there are do not count (sampling importance resampling: Gordon, Salmond and Smith 1993). */
#include "track_bound.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647692;

static double draw_normal(cairn_rng_t *rng)
{
    const double radius = sqrt(-2 * log(1 - (double)cairn_rng_uniform(rng)));
    return radius * cos(two_pi * (double)cairn_rng_uniform(rng));
}

static void give_away(track_bound_t *self, const generator_t *world, size_t node)
{
    for (size_t k = 0; k < TRACK_BOUND_POINTS; k++) {
        memcpy(self->point_m[node][k], world->place_m + 2 * node, sizeof self->point_m[node][k]);
    }
    self->error_m2[node] = 0;
}

void track_bound_init(track_bound_t *self, const generator_t *world)
{
    memset(self, 0, sizeof *self);
    cairn_rng_init(&self->rng, world->cfg.seed, TRACK_BOUND_TRIALS);
    for (size_t i = 0; i < world->cfg.n_nodes; i++) {
        give_away(self, world, i);
    }
}

/* A sensor and its ranges, at most TRACK_BOUND_FEW. */
typedef struct bare {
    size_t node, n_ranges;
    size_t other[TRACK_BOUND_FEW];
    double range_m[TRACK_BOUND_FEW];
} bare_t;

static double distance_to(const generator_t *world, size_t node, const double *place_m)
{
    return hypot(place_m[0] - world->place_m[2 * node], place_m[1] - world->place_m[2 * node + 1]);
}

/* Whether a sensor there has ranges to the same others. */
static bool is_possible(const generator_t *world, const bare_t *bare, const double *place_m)
{
    for (size_t i = 0; i < world->cfg.n_nodes; i++) {
        bool linked = false;
        for (size_t k = 0; k < bare->n_ranges; k++) {
            linked = linked || bare->other[k] == i;
        }
        if (i != bare->node && linked != (distance_to(world, i, place_m) < world->cfg.radius_m)) {
            return false;
        }
    }
    return true;
}

static double weigh(const track_bound_t *self, const generator_t *world, const bare_t *bare, const double *place_m)
{
    double density = 0, weight = 1;
    if (!is_possible(world, bare, place_m)) {
        return 0;
    }
    for (size_t k = 0; k < TRACK_BOUND_POINTS && bare->n_ranges > 0; k++) {
        const double *from_m = self->point_m[bare->node][k];
        const double off = hypot(place_m[0] - from_m[0], place_m[1] - from_m[1]) / world->cfg.move_m;
        density += exp(-.5 * off * off);
    }
    if (bare->n_ranges > 0) { /* trials lie thinner on wide circles, and of those there are fewer */
        const double radius_m = distance_to(world, bare->other[0], place_m);
        weight = radius_m * radius_m;
    }
    for (size_t k = 1; k < bare->n_ranges; k++) {
        const double std_m = world->cfg.noise_rel * distance_to(world, bare->other[k], place_m);
        const double off = (distance_to(world, bare->other[k], place_m) - bare->range_m[k]) / std_m;
        weight *= exp(-.5 * off * off) / std_m;
    }
    return bare->n_ranges > 0 ? weight * density : weight;
}

/* A place that the movement may have brought the sensor to, or that the first range tells. */
static void draw_trial(track_bound_t *self, const generator_t *world, const bare_t *bare, double *place_m)
{
    if (bare->n_ranges > 0) {
        const double radius_m = bare->range_m[0] / (1 + world->cfg.noise_rel * draw_normal(&self->rng));
        const double angle = two_pi * (double)cairn_rng_uniform(&self->rng);
        place_m[0] = world->place_m[2 * bare->other[0]] + radius_m * cos(angle);
        place_m[1] = world->place_m[2 * bare->other[0] + 1] + radius_m * sin(angle);
        return;
    }
    const double *from_m = self->point_m[bare->node][cairn_rng_below(&self->rng, TRACK_BOUND_POINTS)];
    for (size_t k = 0; k < 2; k++) {
        place_m[k] = from_m[k] + world->cfg.move_m * draw_normal(&self->rng);
    }
}

/* Mean squared distance of the weighted places from their mean. */
static double spread_m2(double (*place_m)[2], const double *weight, double total)
{
    double mean_m[2] = {0, 0}, square_m2 = 0;
    for (size_t t = 0; t < TRACK_BOUND_TRIALS; t++) {
        for (size_t k = 0; k < 2; k++) {
            mean_m[k] += weight[t] / total * place_m[t][k];
            square_m2 += weight[t] / total * place_m[t][k] * place_m[t][k];
        }
    }
    return fmax(square_m2 - mean_m[0] * mean_m[0] - mean_m[1] * mean_m[1], 0);
}

/* Where no trial counts, the place is given away: that lowers the bound, no more. */
static void filter(track_bound_t *self, const generator_t *world, const bare_t *bare)
{
    static double trial_m[TRACK_BOUND_TRIALS][2], weight[TRACK_BOUND_TRIALS];
    double total = 0, passed = 0;
    size_t t = 0;
    for (size_t k = 0; k < TRACK_BOUND_TRIALS; k++) {
        draw_trial(self, world, bare, trial_m[k]);
        weight[k] = weigh(self, world, bare, trial_m[k]);
        total += weight[k];
    }
    if (!(total > 0)) {
        give_away(self, world, bare->node);
        return;
    }
    self->error_m2[bare->node] = spread_m2(trial_m, weight, total);
    for (size_t k = 0; k < TRACK_BOUND_POINTS; k++) {
        const double wanted = ((double)k + .5) / TRACK_BOUND_POINTS * total;
        while (t + 1 < TRACK_BOUND_TRIALS && passed + weight[t] < wanted) {
            passed += weight[t++];
        }
        memcpy(self->point_m[bare->node][k], trial_m[t], sizeof trial_m[t]);
    }
}

static void note_range(bare_t *bare, uint32_t other, double range_m)
{
    if (bare->n_ranges < TRACK_BOUND_FEW) {
        bare->other[bare->n_ranges] = other;
        bare->range_m[bare->n_ranges] = range_m;
    }
    bare->n_ranges++;
}

void track_bound_step(track_bound_t *self, const generator_t *world)
{
    static bare_t bare[TRACK_BOUND_NODES];
    memset(bare, 0, sizeof bare);
    for (size_t r = 0; r < world->ranges.n_rows; r++) {
        const range_row_t *row = &world->ranges.row[r];
        note_range(&bare[row->a], row->b, row->range_m);
        note_range(&bare[row->b], row->a, row->range_m);
    }
    for (size_t i = world->cfg.n_anchors; i < world->cfg.n_nodes; i++) {
        bare[i].node = i;
        self->n_ranges[i] = (uint8_t)(bare[i].n_ranges > TRACK_BOUND_FEW ? TRACK_BOUND_FEW + 1 : bare[i].n_ranges);
        if (bare[i].n_ranges > TRACK_BOUND_FEW) {
            give_away(self, world, i);
        } else {
            filter(self, world, &bare[i]);
        }
    }
}
