/* SPDX-License-Identifier: MIT */
/* Track a sensor on the board, one row at a time:
 *
 *     track ANCHORS EVENTS [--every N]
 *
 * ANCHORS: id,x_m,y_m. EVENTS: t_s,b,range_m,forward_m,turn_rad in the order in which they come; a row with b is a range
 * to that anchor, one without is odometry. Prints the place after every N-th row (default 500) and, at the end, a hash
 * over the bits of all places: the same on every target. Exit code 0: done; 1: bad data; 2: bad arguments. */
#include "apps/common/csv.h"
#include "apps/common/decimal.h"
#include "apps/common/writer.h"
#include "cairn/track.h"
#include "port.h"

#include <string.h>

enum { EXIT_DONE = 0, EXIT_DATA = 1, EXIT_USAGE = 2, ANCHORS_MAX = 16 };

static const double t_most_s = 1e12; /* so that microseconds between two times fit into 64 bits */

static cairn_track_2d_t tag;
static cairn_track_links_t links;
static cairn_track_link_t link[ANCHORS_MAX];
static cairn_real anchor_m[ANCHORS_MAX * 2];
static uint32_t anchor_id[ANCHORS_MAX];
static size_t n_anchors;
static double origin_m[2];
static csv_t csv;
static writer_t console;
static char arguments[PORT_ARGUMENTS_BYTES_MAX];
static cairn_track_cfg_t cfg;

/* Counts, and the hash of all places so far (FNV-1a). */
static struct {
    uint32_t n_rows, n_ranges, n_refused, n_placed, hash;
    double first_s;
} run = {0, 0, 0, 0, 2166136261u, 0};

static int fail(const char *what)
{
    writer_text(&console, csv.name);
    writer_text(&console, ":");
    writer_unsigned(&console, csv.line, 0);
    writer_text(&console, ": ");
    writer_text(&console, what);
    writer_text(&console, "\n");
    return EXIT_DATA;
}

static bool read_real(size_t column, double *value)
{
    return decimal_parse(csv.field[column], strlen(csv.field[column]), value) == DECIMAL_OK;
}

static int add_anchor(const size_t *column)
{
    double place_m[2];
    uint32_t id;
    if (n_anchors == ANCHORS_MAX) {
        return fail("more than 16 anchors");
    }
    if (decimal_parse_unsigned(csv.field[column[0]], strlen(csv.field[column[0]]), &id) != DECIMAL_OK ||
        !read_real(column[1], &place_m[0]) || !read_real(column[2], &place_m[1])) {
        return fail("id,x_m,y_m must be numbers");
    }
    for (size_t k = 0; k < 2u; ++k) {
        origin_m[k] = n_anchors == 0 ? place_m[k] : origin_m[k];
        anchor_m[2u * n_anchors + k] = (cairn_real)(place_m[k] - origin_m[k]);
    }
    anchor_id[n_anchors++] = id;
    return EXIT_DONE;
}

static void hash_word(uint32_t word)
{
    for (unsigned shift = 0; shift < 32u; shift += 8u) {
        run.hash = (run.hash ^ (word >> shift & 0xFFu)) * 16777619u;
    }
}

static void print_place(double t_s, const cairn_real *place_m, cairn_real std_m)
{
    writer_real(&console, t_s, 3, 0);
    for (size_t k = 0; k < 2u; ++k) {
        writer_text(&console, ",");
        writer_real(&console, (double)place_m[k] + origin_m[k], 4, 0);
    }
    writer_text(&console, ",");
    writer_real(&console, (double)std_m, 4, 0);
    writer_text(&console, "\n");
}

static void account(double t_s, uint32_t every)
{
    cairn_real place_m[2], std_m;
    const cairn_status status = cairn_track_get_place(&tag.track, place_m, &std_m);
    ++run.n_rows;
    if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
        return;
    }
    ++run.n_placed;
    for (size_t k = 0; k < 2u; ++k) {
        const float value = (float)place_m[k];
        uint32_t word;
        memcpy(&word, &value, sizeof word);
        hash_word(word);
    }
    if (run.n_rows % every == 0) {
        print_place(t_s, place_m, std_m);
    }
}

static size_t find_anchor(uint32_t id)
{
    size_t i = 0;
    while (i < n_anchors && anchor_id[i] != id) {
        ++i;
    }
    return i;
}

/* One row: t_s, b, range_m, forward_m, turn_rad. */
static int take_event(const size_t *column, uint32_t every)
{
    double t_s, first, second = 0.0;
    uint32_t id = 0;
    const bool is_range = csv.field[column[1]][0] != '\0';
    cairn_status status;
    if (!read_real(column[0], &t_s) || !read_real(column[is_range ? 2 : 3], &first) ||
        (!is_range && !read_real(column[4], &second))) {
        return fail("not a number");
    }
    if (!(t_s >= -t_most_s && t_s <= t_most_s)) {
        return fail("a time beyond 1e12 s");
    }
    run.first_s = run.n_rows == 0 ? t_s : run.first_s;
    const uint32_t t_us = (uint32_t)(int64_t)((t_s - run.first_s) * 1e6 + 0.5);
    if (is_range) {
        if (decimal_parse_unsigned(csv.field[column[1]], strlen(csv.field[column[1]]), &id) != DECIMAL_OK) {
            return fail("b must be an anchor's id");
        }
        status = cairn_track_links_range(&links, &tag.track, find_anchor(id), (cairn_real)first, 0, t_us, NULL);
        ++run.n_ranges;
    } else {
        status = cairn_track_odometry(&tag.track, (cairn_real)first, (cairn_real)second, t_us);
    }
    run.n_refused += status < 0 ? 1u : 0u;
    account(t_s, every);
    return EXIT_DONE;
}

static int read_file(const char *path, const char *const *names, size_t n_names, uint32_t every)
{
    size_t column[5];
    csv_status_t status = csv_open_file(&csv, path);
    if (status != CSV_OK) {
        return fail(csv_reason(status));
    }
    status = csv_read_header(&csv, names, n_names, column);
    int code = status == CSV_OK ? EXIT_DONE : fail(csv_reason(status));
    for (size_t i = 0; i < n_names && code == EXIT_DONE; ++i) {
        code = column[i] == CSV_NO_COLUMN ? fail("a column is missing") : EXIT_DONE;
    }
    while (code == EXIT_DONE && (status = csv_next(&csv)) != CSV_END) {
        code = status != CSV_OK ? fail(csv_reason(status))
               : every == 0     ? add_anchor(column)
                                : take_event(column, every);
    }
    csv_close(&csv);
    return code;
}

/* Cut the next word out of the arguments. */
static char *next_word(char **rest)
{
    while (**rest == ' ') {
        ++*rest;
    }
    char *word = *rest;
    while (**rest != '\0' && **rest != ' ') {
        ++*rest;
    }
    if (**rest != '\0') {
        *(*rest)++ = '\0';
    }
    return word;
}

static int track(const char *anchors, const char *events, uint32_t every)
{
    static const char *const anchor_names[] = {"id", "x_m", "y_m"};
    static const char *const event_names[] = {"t_s", "b", "range_m", "forward_m", "turn_rad"};
    int code = read_file(anchors, anchor_names, 3u, 0u);
    cfg = cairn_track_cfg_default;
    cfg.motion = CAIRN_TRACK_ODOMETRY;
    if (code == EXIT_DONE && (cairn_track_init(&tag.track, sizeof tag, &cfg) != CAIRN_OK ||
                              cairn_track_links_init(&links, anchor_m, link, n_anchors) != CAIRN_OK)) {
        code = fail("no anchors");
    }
    return code != EXIT_DONE ? code : read_file(events, event_names, 5u, every);
}

int port_main(void)
{
    char *rest = arguments;
    uint32_t every = 500;
    writer_console(&console);
    csv.name = "track";
    strncpy(arguments, port_arguments(), sizeof arguments - 1u);
    const char *anchors = next_word(&rest), *events = next_word(&rest), *option = next_word(&rest);
    const char *value = next_word(&rest);
    if (*events == '\0' ||
        (*option != '\0' && (strcmp(option, "--every") != 0 ||
                             decimal_parse_unsigned(value, strlen(value), &every) != DECIMAL_OK || every == 0))) {
        writer_text(&console, "usage: track ANCHORS EVENTS [--every N]\n");
        writer_flush(&console);
        return EXIT_USAGE;
    }
    const int code = track(anchors, events, every);
    if (code == EXIT_DONE) {
        writer_text(&console, "rows ");
        writer_unsigned(&console, run.n_rows, 0);
        writer_text(&console, ", ranges ");
        writer_unsigned(&console, run.n_ranges, 0);
        writer_text(&console, ", refused ");
        writer_unsigned(&console, run.n_refused, 0);
        writer_text(&console, ", placed ");
        writer_unsigned(&console, run.n_placed, 0);
        writer_text(&console, ", hash ");
        writer_hex(&console, run.hash);
        writer_text(&console, "\n");
    }
    writer_flush(&console);
    return code;
}
