/* SPDX-License-Identifier: MIT */
/* The locate firmware: its capacities, what its parts share, and what each part does. */
#ifndef LOCATE_APP_H
#define LOCATE_APP_H

#include "cairn/ids.h"
#include "cairn/locate.h"

#include "apps/common/csv.h"
#include "apps/common/writer.h"

#if !defined(BOARD_NAME)
#define BOARD_NAME "unnamed board"
#endif
#if !defined(BOARD_RAM_BYTES)
#define BOARD_RAM_BYTES 65536
#endif

/* LOCATE_NODES, LOCATE_RANGES: anchors and sensors, and ranges, that fit. A node costs 89 bytes, a range 16. A board
 * sets its own with BOARD_DEFINES += -DLOCATE_NODES=... in its board.mk; what does not fit its RAM fails to link. */
#if !defined(LOCATE_NODES)
#if BOARD_RAM_BYTES >= 1048576
#define LOCATE_NODES 10000
#elif BOARD_RAM_BYTES >= 65536
#define LOCATE_NODES 200
#else
#define LOCATE_NODES 40
#endif
#endif
#if !defined(LOCATE_RANGES)
#if BOARD_RAM_BYTES >= 1048576
#define LOCATE_RANGES 100000
#elif BOARD_RAM_BYTES >= 65536
#define LOCATE_RANGES 1400
#else
#define LOCATE_RANGES 250
#endif
#endif

enum { DIM = 2 };

/* Exit codes. */
enum { EXIT_DONE = 0, EXIT_DATA = 1, EXIT_USAGE = 2 };

/* What was asked for; the texts point into the arguments. */
typedef struct {
    const char *folder;      /* NULL: the sample in the image */
    const char *places_path; /* CSV out; NULL: none; "-": the console */
    const char *svg_path;    /* NULL: none */
    const char *loss_name;
    const cairn_loss_t *loss;
    double noise_rel, noise_abs_m, radius_m;
    uint32_t slice; /* operations a step */
    uint32_t sweeps_max;
} options_t;

/* Slices spent in each stage. */
typedef struct {
    uint32_t n_slices[CAIRN_LOCATE_DONE + 1];
    cairn_status outcome;
} effort_t;

/* Everything. The truth is read after the network has been located, into the work array that is free by then. */
typedef struct {
    options_t options;
    const char *source; /* folder, or the sample's name */
    cairn_network_cfg_t network_cfg;
    cairn_locate_cfg_t locate_cfg;
    const cairn_network_memory_t *memory;
    cairn_network_t *network;
    cairn_locate_t job;
    cairn_word_t *work; /* [CAIRN_LOCATE_WORDS(LOCATE_NODES, DIM)] */
    uint32_t *id;       /* [LOCATE_NODES] of each node, as in the files */
    cairn_ids_t ids;    /* over id */
    csv_t csv;
    writer_t console;
    writer_t file;
    double origin_m[DIM]; /* the first anchor; places in the network are relative to it */
    uint32_t n_nodes, n_anchors;
    uint32_t n_rows;    /* ranges in the file */
    uint32_t n_ignored; /* rows of start and truth about nodes without ranges or anchors */
    uint32_t n_starts;
    effort_t effort;
    bool has_truth;
} app_t;

/* Sensors, and what is known of their errors. */
typedef struct {
    uint32_t n_sensors, n_placed, n_flip, n_unplaced;
    uint32_t n_judged; /* have a place, and their truth is known */
    uint32_t n_within; /* of these: error below ERRORS_STD_95 deviations */
    double rmse_m, median_m, max_m;
    double misfit; /* sum over ranges of (distance - range)^2 / variance by the stated noise */
} errors_t;

#define ERRORS_STD_95 2.4477f /* 95 % of a normal error in the plane is below so many deviations per coordinate */

/* options.c: read the arguments; false after a message. */
bool options_read(app_t *app);

/* load.c: 0, or an exit code after a message. */
int load_network(app_t *app);
int load_truth(app_t *app);

/* errors.c: all but the first two are for after errors_compute; the work array must be free. */
void errors_clear_truth(app_t *app);
void errors_set_truth(app_t *app, uint32_t node, const cairn_real *local_m);
void errors_compute(app_t *app, errors_t *errors);
/* True place relative to the origin; false when it was not given. */
bool errors_get_truth(const app_t *app, uint32_t node, cairn_real *local_m);
/* What a sensor is judged by: its error, or its deviation when the truth is not given; negative: nothing. */
float errors_of(const app_t *app, uint32_t node);
/* The j-th worst node by it. */
uint32_t errors_worst(const app_t *app, uint32_t j);
/* FNV-1a over the bits of the places as float, in order of index; a node without a place adds two words of ones. */
uint32_t errors_places_hash(const app_t *app);

/* map.c: rows of characters; at most 76 columns. */
void map_print(app_t *app, const errors_t *errors);

/* report.c */
void report_begin(app_t *app);
void report_end(app_t *app, const errors_t *errors);
/* Places as CSV to a file or, between two marker lines, to the console; false after a message. */
bool report_places(app_t *app);

/* draw.c: the map as SVG; false after a message. */
bool draw_svg(app_t *app, const errors_t *errors);

/* Bytes of the table of ids. */
extern const size_t app_ids_bytes;

/* extent.c: the smallest and largest coordinates of places and truth, and round steps for axes and scales. */
typedef struct {
    float low_m[DIM], high_m[DIM]; /* relative to the origin */
    bool started;                  /* private */
} extent_t;
void extent_compute(const app_t *app, extent_t *extent);
/* The smallest of 1, 2, 5 times a power of ten that is not below a value; 1 when that is not above 0. */
double extent_round_up(double value);

#endif
