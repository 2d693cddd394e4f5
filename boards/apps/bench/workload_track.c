/* SPDX-License-Identifier: MIT */
/* Tracking: one range with its prediction in 2-D and 3-D, one piece of odometry, a range through the table of links, and a
 * textbook filter with full matrices for comparison. */
#include "apps/bench/bench.h"
#include "bench/textbook_ekf.h"
#include "cairn/track.h"

#include <stddef.h>

enum { N_RANGES = 64, STEP_US = 250000 };

static const float anchor_2d[4][2] = {{-20.0f, -15.0f}, {22.0f, -18.0f}, {18.0f, 20.0f}, {-24.0f, 17.0f}};
static const float anchor_3d[4][3] = {
    {-20.0f, -15.0f, 0.0f}, {22.0f, -18.0f, 9.0f}, {18.0f, 20.0f, 1.0f}, {-24.0f, 17.0f, 8.0f}};
static const float start_m[3] = {1.0f, 2.0f, 3.0f};

static cairn_track_cfg_t cfg;
static cairn_track_2d_t tag_2d;
static cairn_track_3d_t tag_3d;
static cairn_track_links_t links;
static cairn_track_link_t link[4];
static textbook_ekf_t textbook;
static float range_m[4];
static int wrong;

static void set_up(unsigned dim, cairn_track_motion motion, cairn_track_t *track, size_t bytes)
{
    cfg = cairn_track_cfg_default;
    cfg.dim = (uint8_t)dim;
    cfg.motion = (uint8_t)motion;
    wrong = 0;
    for (size_t i = 0; i < 4u; ++i) {
        range_m[i] = cairn_distance(start_m, dim == 2u ? anchor_2d[i] : anchor_3d[i], dim);
    }
    wrong |= cairn_track_init(track, bytes, &cfg) != CAIRN_OK;
    wrong |= cairn_track_set_place(track, start_m, 1.0f, 0u) != CAIRN_OK;
    wrong |= cairn_track_links_init(&links, dim == 2u ? anchor_2d[0] : anchor_3d[0], link, 4u) != CAIRN_OK;
}

static void set_up_2d(void) { set_up(2u, CAIRN_TRACK_DECAY, &tag_2d.track, sizeof tag_2d); }
static void set_up_3d(void) { set_up(3u, CAIRN_TRACK_DECAY, &tag_3d.track, sizeof tag_3d); }
static void set_up_odometry(void) { set_up(2u, CAIRN_TRACK_ODOMETRY, &tag_2d.track, sizeof tag_2d); }

static void run_ranges(cairn_track_t *track, const float *anchors_m, size_t dim)
{
    for (uint32_t i = 0; i < N_RANGES; ++i) {
        const cairn_track_peer_t peer = {anchors_m + (i % 4u) * dim, NULL, 0u, 0u};
        wrong |= cairn_track_range(track, &peer, range_m[i % 4u], 0.0f, (i + 1u) * STEP_US, NULL) != CAIRN_OK;
    }
}

static void run_2d(void) { run_ranges(&tag_2d.track, anchor_2d[0], 2u); }
static void run_3d(void) { run_ranges(&tag_3d.track, anchor_3d[0], 3u); }

static void run_predict(void)
{
    for (uint32_t i = 0; i < N_RANGES; ++i) {
        wrong |= cairn_track_predict(&tag_2d.track, (i + 1u) * STEP_US) != CAIRN_OK;
    }
}

static void run_odometry(void)
{
    for (uint32_t i = 0; i < N_RANGES; ++i) {
        wrong |= cairn_track_odometry(&tag_2d.track, 0.0f, 0.01f, (i + 1u) * STEP_US) != CAIRN_OK;
    }
}

static void run_links(void)
{
    for (uint32_t i = 0; i < N_RANGES; ++i) {
        wrong |= cairn_track_links_range(&links, &tag_2d.track, i % 4u, range_m[i % 4u], 0.0f, (i + 1u) * STEP_US,
                                         NULL) != CAIRN_OK;
    }
}

static void set_up_textbook(void)
{
    set_up_2d();
    textbook_ekf_init(&textbook, start_m, 1.0f);
}

static void run_textbook(void)
{
    for (uint32_t i = 0; i < N_RANGES; ++i) {
        textbook_ekf_predict(&textbook, 0.25f, 0.4f);
        textbook_ekf_range(&textbook, anchor_2d[i % 4u], range_m[i % 4u], 0.6f);
    }
}

/* The sensor stands where the ranges say. */
static int check(const cairn_track_t *track)
{
    float place_m[3] = {0.0f, 0.0f, 0.0f};
    const cairn_status status = cairn_track_get_place(track, place_m, NULL);
    return wrong != 0 || status < 0 || cairn_distance(place_m, start_m, track->cfg->dim) > 0.1f;
}

static int check_2d(void) { return check(&tag_2d.track); }
static int check_3d(void) { return check(&tag_3d.track); }
static int check_textbook(void) { return cairn_distance(textbook.x, start_m, 2u) > 0.1f; }

extern const bench_workload_t workload_track_predict, workload_track_2d, workload_track_3d, workload_track_odometry,
    workload_track_links, workload_textbook_ekf;

const bench_workload_t workload_track_2d = {"track_2d", N_RANGES, "range", set_up_2d, run_2d, check_2d};
const bench_workload_t workload_track_predict = {"track_predict", N_RANGES, "step", set_up_2d, run_predict, check_2d};
const bench_workload_t workload_track_3d = {"track_3d", N_RANGES, "range", set_up_3d, run_3d, check_3d};
const bench_workload_t workload_track_odometry = {"track_odometry", N_RANGES,     "row",
                                                  set_up_odometry,  run_odometry, check_2d};
const bench_workload_t workload_track_links = {"track_links", N_RANGES, "range", set_up_2d, run_links, check_2d};
const bench_workload_t workload_textbook_ekf = {"textbook_ekf",  N_RANGES,     "range",
                                                set_up_textbook, run_textbook, check_textbook};
