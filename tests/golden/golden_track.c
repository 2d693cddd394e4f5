/* SPDX-License-Identifier: MIT
 * Golden hashes of track: the whole state after scripted drives with cold start, in every form, and after a teleport. */
#include "oracle/drive.h"

static tag_t tag;
static drive_t drive;

static void golden(const char *name, size_t dim, cairn_track_motion motion, uint8_t n_link_biases, bool teleport)
{
    cairn_track_cfg_t cfg = tag_cfg(dim, motion);
    cfg.n_link_biases = n_link_biases;
    cfg.link_walk = (cairn_real)0.02;
    drive_init(&drive, dim, 21u);
    drive.n_anchors = n_link_biases > 0 ? 4u : DRIVE_ANCHORS;
    tag_init(&tag, &cfg, &drive, n_link_biases == 0 && dim == 1u);
    for (uint32_t k = 0; k < 160u; ++k) {
        if (teleport && k == 80u) {
            drive.place_m[0] += 12;
            drive.place_m[1] -= 9;
        }
        tag_step(&tag, &drive);
    }
    golden_line(name, tag_hash(&tag));
}

int port_main(void)
{
    golden("track-1d-odometry", 1u, CAIRN_TRACK_ODOMETRY, 0, false);
    golden("track-2d-still", 2u, CAIRN_TRACK_STILL, 4, false);
    golden("track-2d-decay", 2u, CAIRN_TRACK_DECAY, 0, false);
    golden("track-2d-odometry", 2u, CAIRN_TRACK_ODOMETRY, 0, false);
    golden("track-2d-teleport", 2u, CAIRN_TRACK_ODOMETRY, 0, true);
    golden("track-2d-lost", 2u, CAIRN_TRACK_DECAY, 0, true);
    golden("track-3d-decay", 3u, CAIRN_TRACK_DECAY, 0, false);
    golden("track-3d-odometry", 3u, CAIRN_TRACK_ODOMETRY, 0, false);
    return 0;
}
