/* SPDX-License-Identifier: MIT
 * The files of a localization, read and turned into a problem with dense node indices. */
#include "locate_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/rigid.h"
#include "csv.h"
#include "memory.h"

/* Nodes are the ids of ranges, anchors and starts; true places of other ids are not needed. */
static bool collect_nodes(locate_files_t *self, const place_table_t *anchors, const place_table_t *starts)
{
    bool fits = true;
    node_table_init(&self->nodes);
    for (size_t i = 0; i < self->ranges.n_rows && fits; i++) {
        const range_row_t *row = &self->ranges.row[i];
        fits = node_table_add(&self->nodes, row->a) && node_table_add(&self->nodes, row->b);
    }
    for (size_t i = 0; i < anchors->n_rows && fits; i++) {
        fits = node_table_add(&self->nodes, anchors->row[i].id);
    }
    for (size_t i = 0; i < starts->n_rows && fits; i++) {
        fits = node_table_add(&self->nodes, starts->row[i].id);
    }
    if (!fits) {
        fputs("cairn locate: more than 16777216 nodes: split the network\n", stderr);
        return false;
    }
    node_table_sort(&self->nodes);
    for (size_t i = 0; i < self->ranges.n_rows; i++) {
        range_row_t *row = &self->ranges.row[i];
        row->a = node_table_find(&self->nodes, row->a);
        row->b = node_table_find(&self->nodes, row->b);
    }
    return true;
}

static void give_places(locate_files_t *self, const place_table_t *anchors, const place_table_t *starts)
{
    size_t n_nodes = self->nodes.ids.n_ids;
    self->known = memory_zeroed(n_nodes, sizeof *self->known);
    self->known_m = memory_zeroed(n_nodes * self->dim, sizeof *self->known_m);
    for (size_t node = 0; node < n_nodes; node++) {
        uint32_t id = self->nodes.id[node];
        const place_row_t *anchor = places_find(anchors, id);
        const place_row_t *start = places_find(starts, id);
        const place_row_t *row = anchor != NULL ? anchor : start;
        self->n_starts_ignored += anchor != NULL && start != NULL;
        if (row != NULL) {
            self->known[node] = anchor != NULL ? KNOWN_ANCHOR : KNOWN_START;
            self->n_anchors += anchor != NULL;
            self->n_starts += anchor == NULL;
            memcpy(&self->known_m[node * self->dim], row->place_m, self->dim * sizeof(double));
        }
    }
    const place_table_t *first = anchors->n_rows > 0 ? anchors : starts;
    if (first->n_rows > 0) {
        memcpy(self->origin_m, first->row[0].place_m, sizeof self->origin_m);
    }
}

static void count_starts_alone(locate_files_t *self)
{
    bool *ranged = memory_zeroed(self->nodes.ids.n_ids, sizeof *ranged);
    for (size_t i = 0; i < self->ranges.n_rows; i++) {
        ranged[self->ranges.row[i].a] = true;
        ranged[self->ranges.row[i].b] = true;
    }
    for (size_t node = 0; node < self->nodes.ids.n_ids; node++) {
        self->n_starts_alone += self->known[node] == KNOWN_START && !ranged[node];
    }
    free(ranged);
}

static void give_truth(locate_files_t *self, const place_table_t *truth)
{
    size_t n_nodes = self->nodes.ids.n_ids;
    self->truth_m = memory_zeroed(n_nodes * self->dim, sizeof *self->truth_m);
    self->has_truth = memory_zeroed(n_nodes, sizeof *self->has_truth);
    for (size_t node = 0; node < n_nodes; node++) {
        const place_row_t *row = places_find(truth, self->nodes.id[node]);
        if (row != NULL) {
            self->has_truth[node] = true;
            memcpy(&self->truth_m[node * self->dim], row->place_m, self->dim * sizeof(double));
        }
    }
}

bool locate_files_read(locate_files_t *self, const locate_paths_t *paths, size_t dim, const range_rules_t *rules)
{
    place_table_t anchors = {0};
    place_table_t starts = {0};
    place_table_t truth = {0};
    memset(self, 0, sizeof *self);
    bool done = paths->anchors == NULL || places_read(&anchors, paths->anchors, dim);
    self->dim = paths->anchors != NULL ? anchors.dim : dim;
    done = done && (paths->start == NULL || places_read(&starts, paths->start, self->dim));
    if (self->dim == 0) { /* no anchors, and nothing was asked for */
        self->dim = paths->start != NULL ? starts.dim : 2;
    }
    done = done && (paths->truth == NULL || places_read(&truth, paths->truth, self->dim));
    done = done && range_table_read(&self->ranges, paths->ranges, rules);
    done = done && collect_nodes(self, &anchors, &starts);
    if (done) {
        give_places(self, &anchors, &starts);
        count_starts_alone(self);
    }
    if (done && paths->truth != NULL) {
        give_truth(self, &truth);
    }
    places_free(&anchors);
    places_free(&starts);
    places_free(&truth);
    return done;
}

/* [n x dim] places and true places of the compared sensors from about their first ones. Returns n. */
static size_t gather_compared(const locate_files_t *self, const locate_answer_t *answer, cairn_real *truth_m,
                              cairn_real *place_m, const double **first_m)
{
    size_t n = 0;
    for (size_t i = 0; i < self->nodes.ids.n_ids; i++) {
        if (!self->has_truth[i] || !answer->has_place[i]) {
            continue;
        }
        *first_m = n == 0 ? &self->truth_m[i * self->dim] : *first_m;
        for (size_t k = 0; k < self->dim; k++) {
            truth_m[n * self->dim + k] = (cairn_real)(self->truth_m[i * self->dim + k] - (*first_m)[k]);
            place_m[n * self->dim + k] = (cairn_real)answer->place_m[i * self->dim + k];
        }
        n++;
    }
    return n;
}

static void move_truth(locate_files_t *self, const cairn_rigid_t *motion, const double *first_m)
{
    double origin_m[PLACES_DIM_MAX] = {0};
    memcpy(origin_m, first_m, self->dim * sizeof *origin_m);
    for (size_t i = 0; i < self->nodes.ids.n_ids; i++) {
        cairn_real moved_m[PLACES_DIM_MAX] = {0};
        for (size_t k = 0; k < self->dim; k++) {
            moved_m[k] = (cairn_real)(self->truth_m[i * self->dim + k] - origin_m[k]);
        }
        cairn_rigid_apply(motion, moved_m, moved_m);
        for (size_t k = 0; k < self->dim; k++) {
            self->truth_m[i * self->dim + k] = (double)moved_m[k];
        }
    }
}

void locate_files_lay_truth(locate_files_t *self, const locate_answer_t *answer)
{
    size_t n_reals = self->nodes.ids.n_ids * self->dim;
    cairn_real *truth_m = memory_zeroed(n_reals, sizeof *truth_m);
    cairn_real *place_m = memory_zeroed(n_reals, sizeof *place_m);
    const double *first_m = NULL;
    cairn_rigid_t motion;
    size_t n = gather_compared(self, answer, truth_m, place_m, &first_m);
    if (n > 0 && cairn_rigid_fit(&motion, truth_m, place_m, NULL, n, self->dim, true, NULL) >= 0) {
        move_truth(self, &motion, first_m);
    }
    free(truth_m);
    free(place_m);
}

locate_problem_t locate_files_problem(const locate_files_t *self)
{
    locate_problem_t problem;
    problem.n_nodes = self->nodes.ids.n_ids;
    problem.dim = self->dim;
    problem.range = self->ranges.row;
    problem.n_ranges = self->ranges.n_rows;
    problem.known = self->known;
    problem.known_m = self->known_m;
    problem.origin_m = self->origin_m;
    return problem;
}

void locate_files_free(locate_files_t *self)
{
    node_table_free(&self->nodes);
    range_table_free(&self->ranges);
    free(self->known);
    free(self->known_m);
    free(self->truth_m);
    free(self->has_truth);
    memset(self, 0, sizeof *self);
}
