/* SPDX-License-Identifier: MIT
 * Networks in space whose anchors lie in one plane, of any size. */
#include "locate_flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/rigid.h"
#include "memory.h"

enum { DIM = 3 };

typedef struct plane {
    double point_m[DIM];
    double normal[DIM]; /* of any length but 0 */
} plane_t;

static double height_above(const plane_t *plane, const double *place_m)
{
    double sum = 0;
    for (size_t k = 0; k < DIM; k++) {
        sum += plane->normal[k] * (place_m[k] - plane->point_m[k]);
    }
    return sum;
}

static void cross(const double *a, const double *b, double *product)
{
    for (size_t k = 0; k < DIM; k++) {
        product[k] = a[(k + 1) % DIM] * b[(k + 2) % DIM] - a[(k + 2) % DIM] * b[(k + 1) % DIM];
    }
}

static double length_of(const double *a) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

static void subtract(const double *a, const double *b, double *difference)
{
    for (size_t k = 0; k < DIM; k++) {
        difference[k] = a[k] - b[k];
    }
}

/* Through the first anchor, the farthest from it, and the farthest from their line. False: they are on a line. */
static bool find_plane(const locate_problem_t *problem, plane_t *plane)
{
    const double *first_m = NULL;
    double base[DIM] = {0};
    memset(plane, 0, sizeof *plane);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < problem->n_nodes; i++) {
            const double *place_m = problem->known_m + i * DIM;
            double arm[DIM], normal[DIM];
            if (problem->known[i] != KNOWN_ANCHOR) {
                continue;
            }
            first_m = first_m != NULL ? first_m : place_m;
            subtract(place_m, first_m, arm);
            cross(base, arm, normal);
            if (round == 0 && length_of(arm) > length_of(base)) {
                memcpy(base, arm, sizeof base);
            } else if (round == 1 && length_of(normal) > length_of(plane->normal)) {
                memcpy(plane->normal, normal, sizeof normal);
            }
        }
    }
    if (first_m != NULL) {
        memcpy(plane->point_m, first_m, sizeof plane->point_m);
    }
    return length_of(plane->normal) > 1e-6 * length_of(base) * length_of(base) && length_of(base) > 0;
}

/* Lay the map on the anchors that have a place in it. */
static bool lay_on_anchors(const locate_problem_t *problem, const locate_answer_t *map, double *place_m)
{
    cairn_real *from = memory_zeroed(problem->n_nodes * DIM, sizeof *from);
    cairn_real *to = memory_zeroed(problem->n_nodes * DIM, sizeof *to);
    cairn_rigid_t motion;
    size_t n = 0;
    for (size_t i = 0; i < problem->n_nodes; i++) {
        bool used = problem->known[i] == KNOWN_ANCHOR && map->has_place[i];
        for (size_t k = 0; k < DIM && used; k++) {
            from[n * DIM + k] = (cairn_real)(map->place_m[i * DIM + k] - problem->origin_m[k]);
            to[n * DIM + k] = (cairn_real)(problem->known_m[i * DIM + k] - problem->origin_m[k]);
        }
        n += used;
    }
    bool laid = n > 2 && cairn_rigid_fit(&motion, from, to, NULL, n, DIM, true, NULL) >= 0;
    for (size_t i = 0; i < problem->n_nodes && laid; i++) {
        cairn_real moved_m[DIM];
        for (size_t k = 0; k < DIM; k++) {
            moved_m[k] = (cairn_real)(map->place_m[i * DIM + k] - problem->origin_m[k]);
        }
        cairn_rigid_apply(&motion, moved_m, moved_m);
        for (size_t k = 0; k < DIM; k++) {
            place_m[i * DIM + k] = problem->origin_m[k] + (double)moved_m[k];
        }
    }
    free(from);
    free(to);
    return laid;
}

/* Mirror the map in the plane when most of it lies on the other side than asked for. */
static void choose_side(const locate_problem_t *problem, const plane_t *plane, const double *side_m, double *place_m)
{
    double sum = 0;
    double length2 = length_of(plane->normal) * length_of(plane->normal);
    for (size_t i = 0; i < problem->n_nodes; i++) {
        sum += height_above(plane, place_m + i * DIM);
    }
    if (side_m == NULL || sum * height_above(plane, side_m) >= 0) {
        return;
    }
    for (size_t i = 0; i < problem->n_nodes; i++) {
        double height = height_above(plane, place_m + i * DIM);
        for (size_t k = 0; k < DIM; k++) {
            place_m[i * DIM + k] -= 2 * height * plane->normal[k] / length2;
        }
    }
}

/* The second run: the laid map as starts beside the anchors. */
static cairn_status finish(const locate_problem_t *problem, const locate_options_t *options, progress_t *progress,
                           const locate_answer_t *map, double *place_m, locate_answer_t *answer)
{
    locate_problem_t begun = *problem;
    uint8_t *known = memory_zeroed(problem->n_nodes, sizeof *known);
    for (size_t i = 0; i < problem->n_nodes; i++) {
        bool is_anchor = problem->known[i] == KNOWN_ANCHOR;
        known[i] = (uint8_t)(is_anchor ? KNOWN_ANCHOR : map->has_place[i] ? KNOWN_START : KNOWN_NOTHING);
        if (is_anchor) {
            memcpy(place_m + i * DIM, problem->known_m + i * DIM, DIM * sizeof *place_m);
        }
    }
    begun.known = known;
    begun.known_m = place_m;
    cairn_status status = locate_job_run(&begun, options, progress, answer);
    for (size_t i = 0; i < problem->n_nodes && status >= 0 && options->side_m == NULL; i++) {
        bool placed = answer->state[i] == CAIRN_NODE_PLACED;
        answer->state[i] = (uint8_t)(placed ? CAIRN_NODE_FLIP_POSSIBLE : answer->state[i]);
        answer->outcome = CAIRN_HEIGHT_UNRESOLVED;
    }
    free(known);
    return status;
}

cairn_status locate_flat_run(const locate_problem_t *problem, const locate_options_t *options, progress_t *progress,
                             locate_answer_t *answer)
{
    locate_problem_t loose = *problem;
    locate_options_t cold = *options;
    locate_answer_t map;
    plane_t plane;
    if (problem->dim != DIM || !find_plane(problem, &plane)) {
        return CAIRN_ERR_GEOMETRY;
    }
    uint8_t *nothing = memory_zeroed(problem->n_nodes, sizeof *nothing);
    double *place_m = memory_zeroed(problem->n_nodes * DIM, sizeof *place_m);
    loose.known = nothing;
    cold.method = LOCATE_COLD;
    cairn_status status = locate_job_run(&loose, &cold, progress, &map);
    if (status >= 0) {
        status = lay_on_anchors(problem, &map, place_m) ? status : CAIRN_ERR_GEOMETRY;
        if (status >= 0) {
            choose_side(problem, &plane, options->side_m, place_m);
            status = finish(problem, &cold, progress, &map, place_m, answer);
        }
        if (status >= 0) {
            answer->wall_s += map.wall_s;
            answer->processor_s += map.processor_s;
        }
        locate_answer_free(&map);
    }
    free(nothing);
    free(place_m);
    return status;
}
