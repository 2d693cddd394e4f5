/* SPDX-License-Identifier: MIT */
/* What passes between the firmware of a node and its radio, first byte first; little-endian. Under an emulator the other
   side is the program that is the ether, and its rounds are the clock; on hardware the radio's driver makes these. */
#ifndef NODE_AIR_H
#define NODE_AIR_H

enum {
    AIR_ROUND = 1,  /* to the node: time in us, 4 bytes: a round begins */
    AIR_BEACON = 2, /* both ways: a frame */
    AIR_RANGE = 3,  /* to the node: peer 2, range as float 4, time in us 4 */
    AIR_PLACE = 4,  /* from the node, after its beacon: stage 1, x, y, deviation as float 4 each */
    AIR_STOP = 5,   /* to the node: the end */
    AIR_READY = 6   /* from the node, once: 1 if its place came from a snapshot, else 0 */
};

/* Page 0 of the non-volatile memory: who the node is: magic 4, id 2, network 1, options 1, seed 4, then 9 floats: grid,
   radius, noise_rel, noise_abs, range_max, move, move_keep, anchor x, y. Pages 1 and 2: snapshots. */
enum {
    PAGE_WHO = 0,
    PAGE_SNAPSHOT = 1,
    WHO_MAGIC = 0x324F4857 /* "WHO2" */
};

#endif
