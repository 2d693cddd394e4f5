/* SPDX-License-Identifier: MIT
 * swarm emulated NODES [NETWORKS [ROUNDS]]: nodes under QEMU.
 * swarm [WORD [exact|part [SEED]]]: the studies whose names are or contain WORD (all without one), a verdict each; exit
 * code 1: one falls short. SEED: the first network's, 1 without.
 * Beside each: the reference, least squares from the truth on the same ranges, in double. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "swarm/run_emulated.h"
#include "swarm/study.h"

typedef enum goal {
    GOAL_PRINT,        /* no figure is asked for */
    GOAL_MEDIAN_FIRST, /* the median network is within 1.3 of the reference by round `limit` */
    GOAL_COUNT_FIRST,  /* 9 of 10 networks are within 1.3 by round `limit` */
    GOAL_COUNT,        /* 9 of 10 networks are within 1.3 at the end */
    GOAL_MEDIAN,       /* the median ratio at the end is at most `limit` */
    GOAL_POOLED        /* the pooled ratio at the end is at most `limit` */
} goal_t;

typedef struct row {
    study_t study;
    goal_t goal;
    double limit;
} row_t;

/* What most rows say: kind, loss, networks, rounds. */
#define OF(letter, part, networks, rounds)                                                                             \
    .kind = STUDY_##letter, .loss = (part), .n_networks = (networks), .n_rounds = (rounds)
#define AT(what, round)      .event = (what), .event_round = (round)
#define MOVING(step, memory) .move_m = (step), .move_memory = (memory)

static const row_t rows[] = {
    {{.name = "24", OF(A, .2, 10, 60)}, GOAL_MEDIAN_FIRST, 30},
    {{.name = "24-rough", OF(A, .2, 10, 60), .rough = true}, GOAL_MEDIAN_FIRST, 30},
    {{.name = "24-snapshot", OF(A, .2, 10, 155), AT(EVENT_SNAPSHOT, 150)}, GOAL_MEDIAN_FIRST, 1},
    {{.name = "24-restart", OF(A, .2, 10, 250), AT(EVENT_RESTART, 150)}, GOAL_MEDIAN_FIRST, 50},
    {{.name = "100", OF(B, .2, 20, 100)}, GOAL_COUNT_FIRST, 50},
    {{.name = "100-loss-40", OF(B, .4, 20, 150)}, GOAL_COUNT_FIRST, 100},
    {{.name = "100-loss-0", OF(B, 0, 20, 400)}, GOAL_PRINT, 0},
    {{.name = "100-rough", OF(B, .2, 20, 100), .rough = true}, GOAL_COUNT_FIRST, 50},
    {{.name = "1000", OF(C, .2, 16, 180)}, GOAL_MEDIAN_FIRST, 180},
    {{.name = "1000-pooled", OF(C, .2, 16, 180)}, GOAL_POOLED, 1.3},
    {{.name = "1000-loss-0", OF(C, 0, 6, 400)}, GOAL_PRINT, 0},
    {{.name = "1000-loss-40", OF(C, .4, 6, 400)}, GOAL_PRINT, 0},
    {{.name = "10000", OF(D, .2, 1, 400)}, GOAL_PRINT, 0},
    {{.name = "moving-.01", OF(B, .2, 10, 150), MOVING(.01, 0)}, GOAL_MEDIAN, 1.5},
    {{.name = "moving-.02-smooth", OF(B, .2, 10, 150), MOVING(.02, .95)}, GOAL_MEDIAN, 2},
    {{.name = "no-anchors-24", OF(A, .2, 10, 100), .no_anchors = true}, GOAL_MEDIAN, 3},
    {{.name = "no-anchors-100", OF(B, .2, 10, 200), .no_anchors = true}, GOAL_PRINT, 0},
    {{.name = "rogue-places-5", OF(B, .2, 12, 300), AT(EVENT_PLACES, 200), .share = .05}, GOAL_MEDIAN, 1.5},
    {{.name = "rogue-ranges-5", OF(B, .2, 12, 300), AT(EVENT_RANGES, 200), .share = .05}, GOAL_MEDIAN, 1.5},
    {{.name = "rogue-places-10", OF(B, .2, 12, 300), AT(EVENT_PLACES, 200), .share = .1}, GOAL_PRINT, 0},
    {{.name = "anchors-die-24", OF(A, .2, 12, 250), AT(EVENT_ANCHORS, 150)}, GOAL_MEDIAN, 1.3},
    {{.name = "anchors-die-100", OF(B, .2, 12, 250), AT(EVENT_ANCHORS, 150)}, GOAL_MEDIAN, 1.3},
    {{.name = "one-way-24", OF(A, .2, 20, 200), .one_way = .1}, GOAL_COUNT, 0},
    {{.name = "one-way-100", OF(B, .2, 20, 200), .one_way = .1}, GOAL_COUNT, 0},
};

static bool has_round_limit(const row_t *row)
{
    return row->goal == GOAL_MEDIAN_FIRST || row->goal == GOAL_COUNT_FIRST;
}

static size_t count_first(const study_result_t *result, double limit)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n_used; i++) {
        n += result->first_13[i] <= limit;
    }
    return n;
}

static bool is_reached(const row_t *row, const study_result_t *result)
{
    size_t n_first = count_first(result, row->limit);
    if (row->goal != GOAL_PRINT && result->n_used == 0) {
        return false;
    }
    switch (row->goal) {
    case GOAL_PRINT: return true;
    case GOAL_MEDIAN_FIRST: return result->median_first_13 <= row->limit;
    case GOAL_COUNT_FIRST: return n_first * 10 >= result->n_used * 9;
    case GOAL_COUNT: return result->n_good * 10 >= result->n_used * 9;
    case GOAL_MEDIAN: return result->median_last <= row->limit;
    default: return result->pooled <= row->limit;
    }
}

static bool run_row(const row_t *row, uint64_t first_seed)
{
    study_result_t result;
    clock_t start = clock();
    study_run(&row->study, first_seed, &result);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    bool reached = is_reached(row, &result);
    printf("%-18s %5.2f %5zu %4zu %3zu ", row->study.name, row->study.loss, row->study.n_rounds, result.n_ambiguous,
           result.n_by_swarm);
    if (has_round_limit(row)) {
        printf("%5zu/%-3zu ", count_first(&result, row->limit), result.n_used);
    } else {
        printf("%9s ", "");
    }
    printf("%5zu/%-3zu ", result.n_good, result.n_used);
    printf(result.n_asked > 0 ? "%6zu " : "     - ", result.n_central);
    printf(result.median_first_13 < 1e9 ? "%7.1f " : "      - ", result.median_first_13);
    printf(result.median_last < 1e9 ? "%7.3f %7.3f " : "      -       - ", result.median_last, result.pooled);
    printf("%8.5f %5.1f%% %5.1f%% %6.1f %6.1f %6.1f  %s\n", result.rmse_m, 100 * result.placed_share,
           100 * result.wrong_share, result.bytes_per_frame, seconds, 1e6 * seconds / result.node_rounds,
           row->goal == GOAL_PRINT ? "-"
           : reached               ? "ok"
                                   : "falls short");
    fflush(stdout);
    return reached;
}

int main(int argc, char **argv)
{
    size_t n_run = 0;
    size_t n_short = 0;
    if (argc > 2 && strcmp(argv[1], "emulated") == 0) {
        return run_emulated((size_t)atoi(argv[2]), argc > 3 ? (size_t)atoi(argv[3]) : 1,
                            argc > 4 ? (size_t)atoi(argv[4]) : 60);
    }
    printf(
        "Ratios to least squares from the truth. amb.: networks left out because another map was found that fits the\n"
        "ranges better; own: of these, where only the swarm's own map told it; centr.: where least squares from the\n"
        "library's cold start is within 1.3, too.\n"
        "bytes: on air, us: of this machine, both per node and round.\n");
    printf("%-18s %5s %5s %4s %3s %9s %9s %6s %7s %7s %7s %8s %6s %6s %6s %6s %6s  %s\n", "study", "loss", "round",
           "amb.", "own", "in time", "<=1.3", "centr.", "first", "median", "pooled", "rmse", "placed", "wrong", "bytes",
           "s", "us", "verdict");
    bool exact = argc > 2 && strcmp(argv[2], "exact") == 0;
    uint64_t first_seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = rows[i].study.name;
        if (argc < 2 || (exact ? strcmp(name, argv[1]) == 0 : strstr(name, argv[1]) != NULL)) {
            n_run++;
            n_short += !run_row(&rows[i], first_seed);
        }
    }
    printf("%zu of %zu studies ok\n", n_run - n_short, n_run);
    return n_short > 0 || n_run == 0 ? 1 : 0;
}
