/* SPDX-License-Identifier: MIT */
/* Locate a network on the board and show what came of it:
 *
 *     locate [FOLDER] [--places FILE|-] [--svg FILE] [--noise-rel R] [--noise-abs M] [--radius M] [--loss NAME]
 *            [--slice OPERATIONS] [--sweeps N]
 *
 * FOLDER holds ranges.csv, anchors.csv and, where there are any, start.csv and truth.csv; without it the sample in the
 * image is located, from a cold start. Exit code 0: done; 1: bad data; 2: bad arguments. */
#include "apps/locate/app.h"

CAIRN_NETWORK_DEFINE(net, LOCATE_NODES, LOCATE_RANGES, DIM);
static cairn_word_t work[CAIRN_LOCATE_WORDS(LOCATE_NODES, DIM)];
static uint32_t ids_id[LOCATE_NODES];
static uint32_t ids_slot[CAIRN_IDS_SLOTS(LOCATE_NODES)];
static app_t app;

const size_t app_ids_bytes = sizeof ids_id + sizeof ids_slot;

static int fail(const char *what, cairn_status status)
{
    writer_text(&app.console, app.source);
    writer_text(&app.console, ": ");
    writer_text(&app.console, what);
    writer_text(&app.console, ", ");
    writer_text(&app.console, cairn_status_name(status));
    writer_text(&app.console, "\n");
    return EXIT_DATA;
}

/* The job, in slices; between them a board would feed its watchdog and serve its radio. */
static int locate(void)
{
    cairn_status status = cairn_locate_init(&app.job, &app.locate_cfg, app.network, work, sizeof work / sizeof work[0]);
    if (status != CAIRN_OK) {
        return fail("the network cannot be located", status);
    }
    do {
        cairn_locate_stage stage = cairn_locate_get_stage(&app.job);
        status = cairn_locate_step(&app.job, app.options.slice);
        ++app.effort.n_slices[stage];
    } while (status == CAIRN_MORE);
    app.effort.outcome = status;
    return status < 0 ? fail("locate stopped", status) : EXIT_DONE;
}

static int run(void)
{
    errors_t errors;
    int code = load_network(&app);
    if (code != EXIT_DONE) {
        return code;
    }
    report_begin(&app);
    code = locate();
    if (code != EXIT_DONE) {
        return code;
    }
    code = load_truth(&app);
    if (code != EXIT_DONE) {
        return code;
    }
    errors_compute(&app, &errors);
    map_print(&app, &errors);
    report_end(&app, &errors);
    bool written = report_places(&app);
    written = draw_svg(&app, &errors) && written;
    return written ? EXIT_DONE : EXIT_DATA;
}

int port_main(void)
{
    writer_console(&app.console);
    app.memory = &net_memory;
    app.network = &net;
    app.work = work;
    app.id = ids_id;
    app.source = "locate";
    if (!options_read(&app)) {
        writer_flush(&app.console);
        return EXIT_USAGE;
    }
    int code = EXIT_USAGE;
    if (cairn_ids_init(&app.ids, ids_id, LOCATE_NODES, ids_slot, CAIRN_IDS_SLOTS(LOCATE_NODES)) == CAIRN_OK) {
        code = run();
    }
    writer_flush(&app.console);
    return code;
}
