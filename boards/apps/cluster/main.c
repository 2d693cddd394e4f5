/* SPDX-License-Identifier: MIT */
/* Streams links on the board and prints which nodes belong together:
 *
 *     cluster
 *
 * Nodes of four hidden groups hear each other, four fifths of the time inside their group; halfway a quarter of the nodes
 * moves to another group. What is kept is bounded; now and then the groups are found anew, in slices, and printed as a
 * digit for each node, in order of group. The radio of a real node would feed cairn_graph_add instead. Exit code 0: the
 * groups were found before the change and after it. */
#include "apps/common/writer.h"

#include "cairn/agree.h"
#include "cairn/graph.h"
#include "cairn/pic.h"
#include "cairn/rng.h"
#include "cairn/status.h"
#include "port.h"

#include <string.h>

#if BOARD_RAM_BYTES <= 16384
enum { NODES = 64, LINKS = 512, VECTORS = 4 };
#else
enum { NODES = 256, LINKS = 2048, VECTORS = 3 };
#endif

enum { GROUPS = 4, ARRIVALS_A_REPORT = 2 * LINKS, REPORTS = 8, SLICE = 500 };

CAIRN_GRAPH_ROWS_DEFINE(links, NODES, LINKS);
CAIRN_PIC_DEFINE(pic, NODES, GROUPS, VECTORS);

static const cairn_graph_cfg_t graph_cfg = {CAIRN_GRAPH_ROWS_RANDOM, 1, 0, 10 * NODES, false, 1};
static uint8_t truth[NODES];
static cairn_rng_t rng;
static writer_t console;

static uint32_t id_of(uint32_t node) { return 0xC0DE0000u + 37u * node; } /* ids of radios are arbitrary */

/* One link heard: four of five inside a group. */
static cairn_status hear(void)
{
    const bool crosses = cairn_rng_below(&rng, 5) == 0;
    uint32_t a;
    uint32_t b;
    do {
        a = cairn_rng_below(&rng, NODES);
        b = cairn_rng_below(&rng, NODES);
    } while (a == b || (truth[a] != truth[b]) != crosses);
    return cairn_graph_add(&links, id_of(a), id_of(b), 1);
}

static uint8_t label_of(uint32_t node) { return cairn_pic_get_label(&pic, cairn_graph_find(&links, id_of(node))); }

/* Find the groups, in slices; between them a board would serve its radio. Returns the slices taken. */
static uint32_t cluster(void)
{
    cairn_walk_t walk;
    uint32_t n_slices = 0;
    if (cairn_graph_walk(&links, &walk) != CAIRN_OK || cairn_pic_begin(&pic, &walk) != CAIRN_OK) {
        return 0;
    }
    do {
        ++n_slices;
    } while (cairn_pic_step(&pic, SLICE) == CAIRN_MORE);
    return n_slices;
}

static uint32_t count_right(void)
{
    uint32_t table[GROUPS * GROUPS] = {0}; /* [hidden group][label] */
    cairn_real work[CAIRN_AGREE_REALS(GROUPS)];
    uint8_t align[GROUPS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < NODES; ++i) {
        const uint8_t label = label_of(i);
        if (label < GROUPS) {
            ++table[truth[i] * GROUPS + label];
            ++n;
        }
    }
    return (uint32_t)(cairn_agree_align(table, GROUPS, work, align) * (cairn_real)n + 0.5f);
}

static void print_groups(void)
{
    for (uint8_t group = 0; group < GROUPS; ++group) {
        size_t column = 0;
        writer_text(&console, "  ");
        for (uint32_t i = 0; i < NODES; ++i) {
            if (truth[i] == group) {
                const uint8_t label = label_of(i);
                if (column++ == 96) {
                    writer_text(&console, "\n  ");
                    column = 1;
                }
                writer_repeat(&console, label < GROUPS ? (char)('0' + label) : '?', 1);
            }
        }
        writer_text(&console, "\n");
    }
}

static uint32_t report(uint32_t n_arrivals, bool whole)
{
    cairn_pic_result_t result;
    const uint64_t begin = port_counter();
    const uint32_t n_slices = cluster();
    const uint64_t spent = port_counter() - begin;
    const uint32_t n_right = count_right();
    if (cairn_pic_get_result(&pic, &result) != CAIRN_OK) {
        return 0;
    }
    writer_unsigned(&console, n_arrivals, 6);
    writer_unsigned(&console, cairn_graph_get_links(&links), 7);
    writer_unsigned(&console, n_right, 8);
    writer_real(&console, (double)result.score, 3, 8);
    writer_unsigned(&console, result.n_steps, 7);
    writer_unsigned(&console, n_slices, 8);
    writer_unsigned(&console, spent, 12);
    writer_text(&console, "\n");
    if (whole) {
        print_groups();
    }
    return n_right;
}

int port_main(void)
{
    cairn_pic_cfg_t cfg = cairn_pic_cfg_small;
    uint32_t n_arrivals = 0;
    uint32_t n_right_before = 0;
    uint32_t n_right_after = 0;
    cfg.n_clusters = GROUPS;
    cfg.n_vectors = VECTORS;
    writer_console(&console);
    cairn_rng_init(&rng, 7, 0);
    if (cairn_graph_init(&links, &graph_cfg, &links_memory) != CAIRN_OK ||
        cairn_pic_init(&pic, &cfg, &pic_memory, NODES) != CAIRN_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < NODES; ++i) {
        truth[i] = (uint8_t)(i % GROUPS);
    }
    writer_text(&console, "cluster on " BOARD_NAME ": ");
    writer_unsigned(&console, NODES, 0);
    writer_text(&console, " nodes, links kept ");
    writer_unsigned(&console, LINKS, 0);
    writer_text(&console, ", bytes ");
    writer_unsigned(&console,
                    sizeof links + sizeof links_id + sizeof links_slot + sizeof links_seen + sizeof links_heard +
                        sizeof links_fill + sizeof links_offers + sizeof links_other + sizeof links_weight +
                        sizeof pic + sizeof pic_work + sizeof pic_label,
                    0);
    writer_text(&console, "\n heard  links   right     cut  steps  slices  ");
    writer_right(&console, port_counter_unit(), 12);
    writer_text(&console, "\n");
    for (uint32_t n = 1; n <= REPORTS; ++n) {
        for (uint32_t i = 0; i < ARRIVALS_A_REPORT; ++i, ++n_arrivals) {
            if (hear() < 0) {
                return 1;
            }
        }
        n_right_after = report(n_arrivals, n == REPORTS / 2 || n == REPORTS);
        if (n == REPORTS / 2) {
            n_right_before = n_right_after;
            for (uint32_t i = 0; i < NODES; ++i) {
                truth[i] = cairn_rng_below(&rng, 4) == 0 ? (uint8_t)cairn_rng_below(&rng, GROUPS) : truth[i];
            }
        }
    }
    writer_text(&console, "stack ");
    writer_unsigned(&console, port_stack_used(), 0);
    writer_text(&console, " bytes\n");
    writer_flush(&console);
    return n_right_before * 20 >= NODES * 19 && n_right_after * 20 >= NODES * 19 ? 0 : 1;
}
