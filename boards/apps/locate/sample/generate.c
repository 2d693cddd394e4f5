/* SPDX-License-Identifier: MIT */
/* Makes the sample networks, for the machine that builds: `generate FOLDER` writes FOLDER/sample and
 * FOLDER/sample-small (CSV) and FOLDER/sample_large.c and FOLDER/sample_small.c (the same text, compiled in).
 *
 * A square field; anchors on its rim and in its middle; sensors at random places not too near each other; a range
 * between any two that are within radio range, its error normal with the deviation sqrt((rel d)^2 + abs^2), rounded to
 * millimetres. The normal number is the sum of 12 uniform ones less 6: only + - * / and sqrt, so every machine makes
 * the same files. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cairn/rng.h"

enum {
    NODES_MAX = 200,
    ANCHORS = 9,
    FIRST_SENSOR_ID = 101,
    TRIES_MAX = 100000,
    PIECE_BYTES = 2000, /* of one string literal; C99 compilers must take 4095 */
    SOURCE_COLUMNS = 116
};

typedef struct {
    const char *folder; /* of the CSV files, and their name on the board */
    const char *source; /* C file, and the name of what it defines */
    const char *what;
    uint64_t seed;
    unsigned n_nodes;
    double side_m, apart_m, radius_m, noise_rel, noise_abs_m;
} plan_t;

static const plan_t plans[] = {
    {"sample", "sample_large", "191 sensors and 9 anchors, 100 m x 100 m, radio range 15 m", 20, 200, 100.0, 4.0, 15.0,
     0.05, 0.1},
    {"sample-small", "sample_small", "31 sensors and 9 anchors, 40 m x 40 m, radio range 16 m", 4, 40, 40.0, 4.0, 16.0,
     0.05, 0.1},
};

typedef struct {
    unsigned id;
    double x_m, y_m;
} node_t;

/* A CSV file and the same text as string literals. */
typedef struct {
    FILE *csv, *source;
    size_t piece, column;
} output_t;

static void fail(const char *what)
{
    fprintf(stderr, "generate: %s: %s\n", what, strerror(errno));
    exit(1);
}

static FILE *create(const char *folder, const char *name, const char *file)
{
    char path[512];
    if (snprintf(path, sizeof path, "%s/%s%s", folder, name, file) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        fail(folder);
    }
    FILE *stream = fopen(path, "w");
    if (stream == NULL) {
        fail(path);
    }
    return stream;
}

/* One line to both. */
static void line(output_t *output, const char *format, ...)
{
    char text[80];
    va_list arguments;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(output->csv, "%s\n", text);
    if (output->piece + length + 1u > PIECE_BYTES) {
        fprintf(output->source, "\",\n");
        output->piece = output->column = 0;
    } else if (output->column + length + 2u > SOURCE_COLUMNS) {
        fprintf(output->source, "\"\n");
        output->column = 0;
    }
    if (output->column == 0u) {
        output->column = 5;
        fprintf(output->source, "    \"");
    }
    fprintf(output->source, "%s\\n", text);
    output->piece += length + 1u;
    output->column += length + 2u;
}

static void begin(output_t *output, const plan_t *plan, const char *folder, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s/%s.csv", plan->folder, what);
    output->csv = create(folder, "", name);
    output->piece = output->column = 0;
    fprintf(output->source, "\nstatic const char *const %s[] = {\n", what);
}

static void end(output_t *output)
{
    fprintf(output->source, "\",\n    NULL};\n");
    if (fclose(output->csv) != 0) {
        fail("close");
    }
}

/* To the nearest 1 / steps. */
static double rounded(double value, double steps) { return floor(value * steps + 0.5) / steps; }

static double normal(cairn_rng_t *rng)
{
    double sum = 0.0;
    for (int i = 0; i < 12; ++i) {
        sum += (double)cairn_rng_next(rng) / 4294967296.0;
    }
    return sum - 6.0;
}

static double distance(const node_t *a, const node_t *b)
{
    double x_m = a->x_m - b->x_m, y_m = a->y_m - b->y_m;
    return sqrt(x_m * x_m + y_m * y_m);
}

static void place_nodes(const plan_t *plan, cairn_rng_t *rng, node_t *nodes)
{
    for (unsigned i = 0; i < ANCHORS; ++i) {
        double step_m = plan->side_m * 0.45;
        nodes[i].id = i + 1u;
        nodes[i].x_m = rounded(plan->side_m * 0.05 + (double)(i % 3u) * step_m, 100.0);
        nodes[i].y_m = rounded(plan->side_m * 0.05 + (double)(i / 3u) * step_m, 100.0);
    }
    unsigned n = ANCHORS;
    for (unsigned tries = 0; n < plan->n_nodes && tries < TRIES_MAX; ++tries) {
        node_t *node = &nodes[n];
        node->id = FIRST_SENSOR_ID + n - ANCHORS;
        node->x_m = (double)cairn_rng_below(rng, (uint32_t)(plan->side_m * 100.0) + 1u) / 100.0;
        node->y_m = (double)cairn_rng_below(rng, (uint32_t)(plan->side_m * 100.0) + 1u) / 100.0;
        bool apart = true;
        for (unsigned i = 0; i < n; ++i) {
            apart = apart && distance(node, &nodes[i]) >= plan->apart_m;
        }
        n += apart ? 1u : 0u;
    }
    if (n < plan->n_nodes) {
        errno = ERANGE;
        fail("the field is too small");
    }
}

static void write_places(output_t *output, const node_t *nodes, unsigned from, unsigned to)
{
    line(output, "id,x_m,y_m");
    for (unsigned i = from; i < to; ++i) {
        line(output, "%u,%.2f,%.2f", nodes[i].id, nodes[i].x_m, nodes[i].y_m);
    }
    end(output);
}

static unsigned write_ranges(output_t *output, const plan_t *plan, cairn_rng_t *rng, const node_t *nodes)
{
    unsigned n_ranges = 0;
    line(output, "a,b,range_m");
    for (unsigned i = 0; i < plan->n_nodes; ++i) {
        for (unsigned j = i + 1u; j < plan->n_nodes; ++j) {
            double true_m = distance(&nodes[i], &nodes[j]);
            if (true_m > plan->radius_m) {
                continue;
            }
            double rel_m = plan->noise_rel * true_m;
            double std_m = sqrt(rel_m * rel_m + plan->noise_abs_m * plan->noise_abs_m);
            double range_m = rounded(true_m + std_m * normal(rng), 1000.0);
            line(output, "%u,%u,%.3f", nodes[i].id, nodes[j].id, range_m > 0.001 ? range_m : 0.001);
            ++n_ranges;
        }
    }
    end(output);
    return n_ranges;
}

static void generate(const plan_t *plan, const char *folder)
{
    node_t nodes[NODES_MAX];
    cairn_rng_t rng;
    output_t output;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, plan->folder);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        fail(path);
    }
    output.source = create(folder, plan->source, ".c");
    fprintf(output.source,
            "/* SPDX-License-Identifier: MIT */\n"
            "/* Written by sample/generate.c, the same text as the files in %s/:\n * %s. */\n"
            "#include \"apps/locate/sample.h\"\n",
            plan->folder, plan->what);
    cairn_rng_init(&rng, plan->seed, 1u);
    place_nodes(plan, &rng, nodes);
    begin(&output, plan, folder, "ranges");
    unsigned n_ranges = write_ranges(&output, plan, &rng, nodes);
    begin(&output, plan, folder, "anchors");
    write_places(&output, nodes, 0, ANCHORS);
    begin(&output, plan, folder, "truth");
    write_places(&output, nodes, ANCHORS, plan->n_nodes);
    fprintf(output.source, "\nconst sample_t %s = {\"%s\", ranges, anchors, truth};\n", plan->source, plan->folder);
    if (fclose(output.source) != 0) {
        fail("close");
    }
    printf("%s: %u nodes, %u ranges, mean degree %.2f\n", plan->folder, plan->n_nodes, n_ranges,
           2.0 * n_ranges / plan->n_nodes);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: generate FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; ++i) {
        generate(&plans[i], argv[1]);
    }
    return 0;
}
