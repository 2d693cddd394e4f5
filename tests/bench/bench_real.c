/* SPDX-License-Identifier: MIT
 * Tracking on recorded drives: a mower among four beacons and four robots that range each other, causal, with one setting
 * for each kind of radio. */
#include <math.h>

#include "args.h"
#include "bench.h"
#include "exit_code.h"
#include "real_data.h"
#include "track_run.h"
#include "track_swarm.h"
#include "verdict.h"

static const args_help_t help = {
    "cairn bench real", "",
    "Tracks two recorded drives: plaza1, one mower among four beacons, with and without odometry, and\n"
    "tiers-4robots, four robots that range each other.\n" REAL_DATA_HELP,
    "Errors are over all odometry and range instants with a place, without odometry over all such ranges; `without a\n"
    "place` is the share of the others from the first place on, `before the first place` how many there are until "
    "then;\n"
    "`normalized error` is the mean of e' C^-1 e per dimension, 1 being honest; `from double` is the largest distance\n"
    "from a reference of full matrices in double. The start heading is never known.\n"};

enum { FIRST_DRAW = 101, N_DRAWS = 40 };

static const double nees_most = 3;
static const double oracle_most_m = 1e-3;
static const double lost_most = .01;

typedef struct plaza_case {
    const char *name;
    bool odometry, known_start, biases;
    double wild_share;
    double rmse_most_m; /* 0: a note only */
} plaza_case_t;

static const plaza_case_t plaza_cases[] = {
    {"plaza1, odometry, start place given", true, true, true, 0, .35},
    {"plaza1, odometry, cold start", true, false, true, 0, .35},
    {"plaza1, no odometry, start place given", false, true, true, 0, 1.1},
    {"plaza1, no odometry, cold start", false, false, true, 0, 1.1},
    {"plaza1, as given, no bias states", true, true, false, 0, 1.4},
    {"plaza1, odometry, 20 % wild ranges", true, true, true, .2, .5},
    {"plaza1, odometry, 20 % wild ranges, cold start", true, false, true, .2, .5},
};

/* Noise of the mower's radio; without bias states the noise has to cover the scale error as well. */
static cairn_track_cfg_t plaza_cfg(const plaza_case_t *c)
{
    cairn_track_cfg_t cfg = cairn_track_cfg_default;
    cfg.motion = c->odometry ? CAIRN_TRACK_ODOMETRY : CAIRN_TRACK_DECAY;
    if (!c->biases) {
        cfg.noise_m = 1;
        cfg.noise_rel = .4f;
        cfg.scale_std = 0;
        cfg.bias_std_m = 0;
    }
    return cfg;
}

static void figure(verdict_t *verdict, const char *run, const char *what, double value, double limit, const char *unit)
{
    char name[160];
    snprintf(name, sizeof name, "%s: %s", run, what);
    verdict_at_most(verdict, name, value, limit, unit);
}

/* One draw of the wild ranges; 0 is that of track_run_init. */
static void play_plaza(track_run_t *run, const track_drive_t *drive, const plaza_case_t *c, uint32_t draw)
{
    const cairn_track_cfg_t cfg = plaza_cfg(c);
    track_run_init(run, drive, &cfg);
    if (draw > 0) {
        cairn_rng_init(&run->rng, draw, 1);
    }
    if (c->known_start) {
        track_run_start_known(run, .5);
    }
    run->wild_share = c->wild_share;
    while (track_run_next(run) != TRACK_EVENT_END) {
    }
}

static void note_draws(verdict_t *verdict, const track_drive_t *drive, const plaza_case_t *c)
{
    static track_run_t run;
    char name[160];
    double worst_m = 0;
    unsigned n_above = 0;
    for (uint32_t draw = FIRST_DRAW; draw < FIRST_DRAW + N_DRAWS; draw++) {
        play_plaza(&run, drive, c, draw);
        const double rmse_m = track_score_rmse(&run.score);
        n_above += rmse_m > c->rmse_most_m;
        worst_m = rmse_m > worst_m ? rmse_m : worst_m;
    }
    snprintf(name, sizeof name, "%s: of %d other draws, above %g m", c->name, N_DRAWS, c->rmse_most_m);
    verdict_note(verdict, name, n_above, "");
    snprintf(name, sizeof name, "%s: worst of them", c->name);
    verdict_note(verdict, name, worst_m, "m");
}

static void run_plaza(verdict_t *verdict, const track_drive_t *drive, const plaza_case_t *c)
{
    static track_run_t run;
    play_plaza(&run, drive, c, 0);
    figure(verdict, c->name, "rmse", track_score_rmse(&run.score), c->rmse_most_m, "m");
    figure(verdict, c->name, "normalized error", track_score_nees(&run.score), nees_most, "");
    figure(verdict, c->name, "from double", run.score.oracle_m, oracle_most_m, "m");
    figure(verdict, c->name, "without a place", track_score_lost(&run.score), lost_most, "");
    char name[160];
    snprintf(name, sizeof name, "%s: before the first place", c->name);
    verdict_note(verdict, name, (double)run.score.n_early, "");
    if (c->wild_share > 0) {
        note_draws(verdict, drive, c);
    }
}

static void run_tiers(verdict_t *verdict, const track_swarm_t *swarm)
{
    track_swarm_score_t score;
    track_swarm_run(swarm, true, &score);
    figure(verdict, "tiers, robots 1 and 5 known", "rmse", score.rmse_m, .45, "m");
    verdict_note(verdict, "tiers, robots 1 and 5 known: worst of five starts", score.worst_m, "m");
    figure(verdict, "tiers, robots 1 and 5 known", "normalized error", score.nees, nees_most, "");
    figure(verdict, "tiers, robots 1 and 5 known", "from double", score.oracle_m, oracle_most_m, "m");
    track_swarm_run(swarm, false, &score);
    figure(verdict, "tiers, none known", "rmse after rigid fit", score.rigid_rmse_m, .17, "m");
    figure(verdict, "tiers, none known", "from double", score.oracle_m, oracle_most_m, "m");
}

static int run_all(void)
{
    output_t out;
    track_drive_t drive;
    track_swarm_t swarm;
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    verdict_t verdict = {&out, 0, 0};
    if (track_data_path("plaza1", "log.csv") == NULL) {
        output_print(&out, "plaza1: skipped, no data\n");
    } else if (!track_drive_read(&drive, "plaza1")) {
        output_drop(&out);
        return CLI_BAD_DATA;
    } else {
        for (size_t i = 0; i < sizeof plaza_cases / sizeof plaza_cases[0]; i++) {
            run_plaza(&verdict, &drive, &plaza_cases[i]);
        }
        track_drive_free(&drive);
    }
    if (track_data_path("tiers-4robots", "log.csv") == NULL) {
        output_print(&out, "tiers-4robots: skipped, no data\n");
    } else if (!track_swarm_read(&swarm, "tiers-4robots")) {
        output_drop(&out);
        return CLI_BAD_DATA;
    } else {
        run_tiers(&verdict, &swarm);
        track_swarm_free(&swarm);
    }
    return verdict_end(&verdict);
}

static int run(int argc, char **argv)
{
    int code;
    return args_parse(&help, argc, argv, NULL, 0, &code) ? run_all() : code;
}

const bench_t bench_real = {"real", "tracking on recorded drives: plaza1, tiers-4robots", run};
