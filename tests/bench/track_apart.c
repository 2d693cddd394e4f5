/* SPDX-License-Identifier: MIT
 * Float beside double on a network that moves. Float goes on from set to set; double begins each set where float does.
 * Where a sensor then is elsewhere, both maps are descended in double: either they become one, and one of them had stopped
 * short, or each is a minimum, which float and double have chosen differently, and their costs tell how different they are.
 * Where double itself, with ranges off by no more than the rounding of a float, puts a sensor elsewhere, the ranges do not
 * determine its place as closely as is asked. */
#include "track_apart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "track_twin.h"

static const double rounding = 6e-8; /* half a unit in the last place of a float, of its value */
static const size_t ranges_a_node = 60;
static const uint64_t first_stream = 31; /* of the shakes */

typedef struct maps {
    size_t n_nodes;
    track_twin_t *single, *twice; /* float and double */
    track_twin_node_t *from, *a, *b, *kept, *shaken;
    bool *beyond, *loose, *settled; /* of a sensor: apart; moved by a shake; no longer apart at the minima */
} maps_t;

static double apart_m(const track_twin_node_t *a, const track_twin_node_t *b)
{
    return hypot(a->place_m[0] - b->place_m[0], a->place_m[1] - b->place_m[1]);
}

static bool is_beyond(const track_twin_node_t *a, const track_twin_node_t *b)
{
    return a->placed && b->placed && apart_m(a, b) > TRACK_APART_MOST_M;
}

/* Mark the sensors beyond; returns how many. */
static size_t mark_beyond(const track_twin_node_t *a, const track_twin_node_t *b, size_t n_nodes, bool *marks,
                          double *most_m)
{
    size_t n_marks = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        marks[i] = marks[i] || is_beyond(&a[i], &b[i]);
        n_marks += marks[i];
        *most_m = a[i].placed && b[i].placed ? fmax(*most_m, apart_m(&a[i], &b[i])) : *most_m;
    }
    return n_marks;
}

/* Descend both maps: which sensors are still apart, and what the maps cost. */
static void tell_minima(maps_t *maps, track_apart_t *result)
{
    memcpy(maps->kept, maps->b, maps->n_nodes * sizeof *maps->kept);
    const double cost =
        track_twin_double.descend(maps->twice, maps->a) - track_twin_double.descend(maps->twice, maps->b);
    for (size_t i = 0; i < maps->n_nodes; i++) {
        maps->settled[i] = !(apart_m(&maps->a[i], &maps->b[i]) > TRACK_APART_MOST_M);
    }
    result->n_sets++;
    result->cost += cost;
    result->cost2 += cost * cost;
    result->cost_most = fmax(result->cost_most, fabs(cost));
}

/* The set again, shaken: which sensors that moves. */
static bool shake(maps_t *maps, const generator_t *world, track_apart_t *result)
{
    size_t n_shaken = 0;
    memset(maps->loose, 0, maps->n_nodes * sizeof *maps->loose);
    for (unsigned i = 0; i < TRACK_APART_SHAKES; i++) {
        if (!track_twin_double.run_set(maps->twice, world, maps->from, rounding, first_stream + i)) {
            return false;
        }
        track_twin_double.read(maps->twice, maps->shaken);
        n_shaken = mark_beyond(maps->shaken, maps->kept, maps->n_nodes, maps->loose, &result->shaken_most_m);
    }
    result->n_shaken += n_shaken;
    return true;
}

static bool run_set(maps_t *maps, const generator_t *world, track_apart_t *result)
{
    track_twin_float.read(maps->single, maps->from);
    if (!track_twin_double.run_set(maps->twice, world, maps->from, 0, first_stream) ||
        !track_twin_float.run_set(maps->single, world, NULL, 0, first_stream)) {
        return false;
    }
    result->n_open += !track_twin_float.converged(maps->single);
    track_twin_float.read(maps->single, maps->a);
    track_twin_double.read(maps->twice, maps->b);
    for (size_t i = world->cfg.n_anchors; i < maps->n_nodes; i++) {
        result->n += maps->a[i].placed && maps->b[i].placed;
    }
    memset(maps->beyond, 0, maps->n_nodes * sizeof *maps->beyond);
    const size_t n_beyond = mark_beyond(maps->a, maps->b, maps->n_nodes, maps->beyond, &result->most_m);
    result->n_beyond += n_beyond;
    if (n_beyond == 0) {
        return true;
    }
    tell_minima(maps, result);
    const bool good = shake(maps, world, result);
    for (size_t i = 0; i < maps->n_nodes; i++) {
        result->n_undetermined += maps->beyond[i] && maps->loose[i];
        result->n_unsettled += maps->beyond[i] && !maps->loose[i] && maps->settled[i];
    }
    return good;
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
                   memory_zeroed(n, sizeof *maps.kept),
                   memory_zeroed(n, sizeof *maps.shaken),
                   memory_zeroed(n, sizeof *maps.beyond),
                   memory_zeroed(n, sizeof *maps.loose),
                   memory_zeroed(n, sizeof *maps.settled)};
    memset(result, 0, sizeof *result);
    const bool good = maps.single != NULL && maps.twice != NULL && run_sets(&maps, &world, n_sets, result);
    track_twin_float.free(maps.single);
    track_twin_double.free(maps.twice);
    free(maps.from);
    free(maps.a);
    free(maps.b);
    free(maps.kept);
    free(maps.shaken);
    free(maps.beyond);
    free(maps.loose);
    free(maps.settled);
    generator_free(&world);
    return good;
}
