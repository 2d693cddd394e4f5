/* SPDX-License-Identifier: MIT
 * Float beside double on a network that moves. Float goes on from set to set; double begins each set where float does.
 * Where a sensor then is elsewhere, both maps are descended in double: either they become one, and one of them had stopped
 * short, or each is a minimum, which float and double have chosen differently, and their costs tell how different they are.
 * How often that is due is told by double itself, with ranges off by no more than the rounding of a float. */
#include "track_apart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "track_twin.h"

static const double rounding = 6e-8; /* half a unit in the last place of a float, of its value */
static const size_t ranges_a_node = 60;

typedef struct maps {
    size_t n_nodes;
    track_twin_t *single, *twice; /* float and double */
    track_twin_node_t *from, *a, *b, *shaken;
} maps_t;

static double apart_m(const track_twin_node_t *a, const track_twin_node_t *b)
{
    return hypot(a->place_m[0] - b->place_m[0], a->place_m[1] - b->place_m[1]);
}

static bool is_beyond(const track_twin_node_t *a, const track_twin_node_t *b)
{
    return a->placed && b->placed && apart_m(a, b) > TRACK_APART_MOST_M;
}

/* Sensors beyond; the largest distance. */
static size_t count_beyond(const track_twin_node_t *a, const track_twin_node_t *b, size_t n_nodes, double *most_m)
{
    size_t n_beyond = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        if (a[i].placed && b[i].placed) {
            n_beyond += is_beyond(&a[i], &b[i]);
            *most_m = fmax(*most_m, apart_m(&a[i], &b[i]));
        }
    }
    return n_beyond;
}

/* Descend both maps: which sensors are still apart, and what the maps cost. */
static void tell_minima(maps_t *maps, track_apart_t *result)
{
    bool *beyond = memory_zeroed(maps->n_nodes, sizeof *beyond);
    for (size_t i = 0; i < maps->n_nodes; i++) {
        beyond[i] = is_beyond(&maps->a[i], &maps->b[i]);
    }
    const double cost =
        track_twin_double.descend(maps->twice, maps->a) - track_twin_double.descend(maps->twice, maps->b);
    for (size_t i = 0; i < maps->n_nodes; i++) {
        result->n_unsettled += beyond[i] && !(apart_m(&maps->a[i], &maps->b[i]) > TRACK_APART_MOST_M);
    }
    result->n_sets++;
    result->cost += cost;
    result->cost_most = fmax(result->cost_most, fabs(cost));
    free(beyond);
}

static bool run_set(maps_t *maps, const generator_t *world, track_apart_t *result)
{
    track_twin_float.read(maps->single, maps->from);
    if (!track_twin_double.run_set(maps->twice, world, maps->from, rounding)) {
        return false;
    }
    track_twin_double.read(maps->twice, maps->shaken);
    if (!track_twin_double.run_set(maps->twice, world, maps->from, 0) ||
        !track_twin_float.run_set(maps->single, world, NULL, 0)) {
        return false;
    }
    result->n_open += !track_twin_float.converged(maps->single);
    track_twin_float.read(maps->single, maps->a);
    track_twin_double.read(maps->twice, maps->b);
    for (size_t i = world->cfg.n_anchors; i < maps->n_nodes; i++) {
        result->n += maps->a[i].placed && maps->b[i].placed;
    }
    result->n_shaken += count_beyond(maps->shaken, maps->b, maps->n_nodes, &result->shaken_most_m);
    const size_t n_beyond = count_beyond(maps->a, maps->b, maps->n_nodes, &result->most_m);
    result->n_beyond += n_beyond;
    if (n_beyond > 0) {
        tell_minima(maps, result);
    }
    return true;
}

static bool run_sets(maps_t *maps, generator_t *world, unsigned n_sets, track_apart_t *result)
{
    for (unsigned set = 0; set < n_sets; set++) {
        generator_move(world);
        if (!generator_measure(world) || !run_set(maps, world, result)) {
            return false;
        }
    }
    return true;
}

bool track_apart_run(const generator_cfg_t *cfg, unsigned n_sets, track_apart_t *result)
{
    const size_t n = cfg->n_nodes;
    generator_t world;
    generator_init(&world, cfg);
    maps_t maps = {n,
                   track_twin_float.begin(&world, ranges_a_node * n),
                   track_twin_double.begin(&world, ranges_a_node * n),
                   memory_zeroed(n, sizeof *maps.from),
                   memory_zeroed(n, sizeof *maps.a),
                   memory_zeroed(n, sizeof *maps.b),
                   memory_zeroed(n, sizeof *maps.shaken)};
    memset(result, 0, sizeof *result);
    const bool good = maps.single != NULL && maps.twice != NULL && run_sets(&maps, &world, n_sets, result);
    track_twin_float.free(maps.single);
    track_twin_double.free(maps.twice);
    free(maps.from);
    free(maps.a);
    free(maps.b);
    free(maps.shaken);
    generator_free(&world);
    return good;
}
