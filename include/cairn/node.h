/* SPDX-License-Identifier: MIT
 * A sensor node that finds its own place in the plane from ranges to its neighbours and from their beacons; no gateway. */
#ifndef CAIRN_NODE_H
#define CAIRN_NODE_H

#include "cairn/beacon.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a node, to be joined by |. */
enum {
    CAIRN_NODE_IS_ANCHOR = 1, /* the place is given: anchor_m */
    CAIRN_NODE_MONOTONE = 2,  /* half steps without momentum: slower, and the network's cost never rises */
    CAIRN_NODE_NO_ANCHORS = 4 /* nobody is an anchor: agree on a frame (lowest id the origin, next the axis). The origin
                                 does not look for its place again: it must not be moved */
};

/** Settings of a node; the caller keeps them alive and constant. All nodes of a network share all but id, options
    and anchor_m. */
typedef struct cairn_node_cfg {
    uint16_t id;             /* unique in its network */
    uint8_t network;         /* frames of other networks are ignored */
    uint8_t options;         /* CAIRN_NODE_IS_ANCHOR and so on */
    cairn_real grid_m;       /* step of the places on air, metres: places reach 32767 steps from the origin; choose
                                1/30000 of the map or more; > 0 */
    cairn_real radius_m;     /* radio range, metres, 1e-6 to 1e6, above 4 grid_m: nodes farther apart do not hear
                                each other */
    cairn_real noise_rel;    /* deviation of a range as a share of it, 0 to 1 */
    cairn_real noise_abs_m;  /* deviation of a range that does not grow with it, metres, 0 to radius_m */
    cairn_real range_max_m;  /* ranges above this are refused as implausible, metres, > 0 to 1e6 */
    cairn_real move_m;       /* deviation of a node's movement per round and axis, metres, 0 to radius_m; 0: nodes
                                stay */
    cairn_real move_keep;    /* share of a movement that goes on in the next round: 0, a random walk, to below 1 */
    cairn_real anchor_m[2];  /* place of an anchor, metres from the network's origin, within the grid */
    cairn_beacon_tag_fn tag; /* authentication; NULL: frames are neither sealed nor checked. A tagged node ignores
                                frames that are not authentic, and sends 2^24 - 1 frames with one key (half a year of
                                one a second), then none: change the key and start anew. Against replays it keeps a
                                window for each neighbour, as long as it keeps the neighbour: of one that was evicted,
                                and after a restart of all, old frames are taken until newer ones come */
    void *tag_ctx;           /* for it */
} cairn_node_cfg_t;

/** A neighbour, 28 bytes with float. Private. */
typedef struct cairn_node_neighbour {
    cairn_real range_m; /* 0: none yet */
    uint32_t window;    /* against replays */
    int16_t place[2];   /* as last broadcast or told; told ones drift on; grid steps */
    int16_t before[2];  /* the place before that; or an anchor's place as last told by another */
    uint16_t id;
    uint16_t teller; /* who told that */
    uint8_t used;    /* 0: free slot; else 1 + number of ranges in the mean */
    uint8_t stage;
    uint8_t deviation;
    uint8_t sequence;
    uint8_t age;       /* rounds since a beacon */
    uint8_t range_age; /* rounds since a range */
    uint8_t suspect;   /* lower half: residuals against the others; upper half: jumps of the sequence */
    uint8_t flags;
} cairn_node_neighbour_t;

/** A node that a neighbour hears, or has been told of, 8 bytes. Private. */
typedef struct cairn_node_far {
    uint16_t id;
    int16_t place[2];
    uint8_t age;    /* 255: free slot */
    uint8_t length; /* of the shortest path over a neighbour, 1/64 radio range; 0: heard by this node itself */
} cairn_node_far_t;

/** A way to an anchor, 12 bytes. Private. */
typedef struct cairn_node_way {
    uint16_t id;
    int16_t place[2];
    uint16_t length; /* 1/512 radio range */
    uint16_t via;    /* the neighbour it came from */
    uint8_t age;     /* rounds since the anchor spoke; 255: free slot */
    uint8_t dirty;   /* broadcasts still due; 128: the place is known */
} cairn_node_way_t;

/** Caller arrays of a node; see CAIRN_NODE_DEFINE. */
typedef struct cairn_node_memory {
    cairn_node_neighbour_t *neighbours; /* 16 are enough at a mean degree of 10 */
    cairn_node_far_t *far;
    cairn_node_way_t *ways; /* 4 to 8: more arrive too late */
    uint8_t n_neighbours;   /* >= 3 */
    uint8_t n_far;          /* >= 1 */
    uint8_t n_ways;         /* >= 3 */
} cairn_node_memory_t;

/** What has happened since init, each saturating at 65535. */
typedef struct cairn_node_counters {
    uint16_t n_nonfinite;  /* NaN or infinite ranges */
    uint16_t n_range;      /* ranges <= 0 or above range_max_m */
    uint16_t n_outliers;   /* ranges far from the held one */
    uint16_t n_stale;      /* times going back */
    uint16_t n_damaged;    /* frames that are no beacons */
    uint16_t n_foreign;    /* frames of other networks */
    uint16_t n_forged;     /* frames that are not authentic */
    uint16_t n_replayed;   /* frames seen before, or too old */
    uint16_t n_full;       /* neighbours that found no room */
    uint16_t n_evicted;    /* neighbours that fell silent or had to make room */
    uint16_t n_duplicates; /* frames that show one id at two nodes */
    uint16_t n_relocks;    /* times the place was given up */
    uint16_t n_mirrors;    /* trials that found a better place */
    uint16_t n_mute;       /* frames not sent: all counters of the key are used, it has to be changed */
} cairn_node_counters_t;

/** Sums of one evaluation of a cost. Private. */
typedef struct cairn_node_sums {
    uint8_t n_used; /* neighbours */
    uint8_t n_free; /* of them: no anchors */
    uint8_t n_agree;
    uint32_t odd; /* bit per neighbour whose range contradicts its place */
    cairn_real gradient[2];
    cairn_real hessian[3];     /* xx, xy, yy */
    cairn_real information[3]; /* for the deviation */
    cairn_real cost;
    cairn_real told; /* neighbours' variances, weighed as the information */
} cairn_node_sums_t;

/** A trial place that descends half a step a round beside the present one. Private. */
typedef struct cairn_node_trial {
    uint8_t steps_left; /* half steps; 0: no trial */
    uint8_t candidate;  /* the mean of the neighbours, then a mirror image */
    uint8_t pivot;      /* slot of the neighbour on whose line it is mirrored */
    cairn_real place_m[2];
    cairn_real best_m[2];
    cairn_real best_cost;
    cairn_node_sums_t sums; /* of the half step that has been made */
} cairn_node_trial_t;

/** A node. Private, read by the functions below; holds pointers to the caller's cfg and arrays only. Bytes lie first: small
 * processors reach only the beginning of a struct in one instruction. */
typedef struct cairn_node {
    const cairn_node_cfg_t *cfg;
    uint8_t stage;
    uint8_t flags;
    uint8_t quiet; /* rounds since the ways changed */
    uint8_t good;
    uint8_t bad;
    uint8_t worse;
    uint8_t alone;
    uint8_t next_way;
    uint8_t next_peer;
    bool axis; /* no anchors: this node holds the frame's axis */
    uint16_t id;
    cairn_node_memory_t memory;
    uint16_t rounds;       /* since init, saturates */
    uint16_t rounds_loose; /* since the descent began, saturates */
    uint32_t t_us;
    uint32_t sent;      /* frames */
    uint32_t ticked_us; /* of the last round */
    uint32_t moved_us;  /* of the place, while nodes move */
    uint32_t round_us;  /* mean length of a round */
    cairn_real place_m[2];
    cairn_real velocity_m[2];    /* metres a round: momentum, or motion while nodes move */
    cairn_real covariance_m2[3]; /* while nodes move: of the place, xx, xy, yy; 0: not followed yet */
    cairn_real std_m;            /* as broadcast */
    cairn_real cost;             /* normalised: about 1 when the ranges agree */
    cairn_real loss;             /* share of beacons lost */
    cairn_real spread_m2;        /* variance along the worst axis */
    cairn_node_trial_t trial;
    cairn_node_counters_t counters;
    cairn_real drift_m[2]; /* metres a round: of told places, while nodes stay */
    uint8_t asked;         /* slot of the far node whose place a neighbour has asked for, from 1 on; 0: none */
} cairn_node_t;

/** Neighbours of neighbours that are kept beside so many neighbours. */
#define CAIRN_NODE_FAR(neighbours) ((neighbours) + (neighbours) / 2)

/** Bytes of a node, its arrays included: a constant expression. */
#define CAIRN_NODE_BYTES(neighbours, ways)                                                                             \
    (sizeof(cairn_node_t) + (size_t)(neighbours) * sizeof(cairn_node_neighbour_t) +                                    \
     (size_t)CAIRN_NODE_FAR(neighbours) * sizeof(cairn_node_far_t) + (size_t)(ways) * sizeof(cairn_node_way_t))

/**
 * Declare, statically, a node `name`, its arrays and a `name_memory` to pass to cairn_node_init.
 * neighbours: 3 to 32; ways: anchors to keep the way to, 3 to 32.
 */
#define CAIRN_NODE_DEFINE(name, neighbours, ways)                                                                      \
    static cairn_node_neighbour_t name##_neighbours[neighbours];                                                       \
    static cairn_node_far_t name##_far[CAIRN_NODE_FAR(neighbours)];                                                    \
    static cairn_node_way_t name##_ways[ways];                                                                         \
    static const cairn_node_memory_t name##_memory = {                                                                 \
        name##_neighbours, name##_far, name##_ways, (neighbours), CAIRN_NODE_FAR(neighbours), (ways)};                 \
    static cairn_node_t name

/**
 * Start a node that knows nothing but its settings.
 *
 * self    out, every field is written
 * cfg     settings, kept by self
 * memory  arrays and their lengths, copied; the arrays need not be cleared and must outlive self
 * seed    any value: the first sequence number; the same seed repeats the run bit for bit
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       an array is too short, or too long: 32 neighbours, 64 far nodes, 64 ways at most
 *
 * Work: O(neighbours + ways). Memory: CAIRN_NODE_BYTES, 0.9 KB with 16 neighbours and 4 ways.
 */
CAIRN_MUST_CHECK cairn_status cairn_node_init(cairn_node_t *self, const cairn_node_cfg_t *cfg,
                                              const cairn_node_memory_t *memory, uint32_t seed);

/**
 * Take a measured range. A two-way exchange gives both ends a range: pass it at both. One to a node that is not heard
 * serves once neighbours tell where that is (where none does, the node asks for it); an anchor's that never told it itself,
 * as exactly as if it were heard once two of them have told the same place.
 * Two liars, or one that two others believe, can so place a silent anchor falsely: a settled node ignores it when its
 * range contradicts the place while four neighbours agree, and takes it again when it is heard; only the tag keeps liars
 * out.
 *
 * self     node
 * peer     the other node
 * range_m  metres, > 0, <= cfg->range_max_m
 * t_us     time, wraps; not before that of the last call
 *
 * CAIRN_OK             stored: the mean of up to 8 while nodes stay, the last while they move
 * CAIRN_REJECTED       far from the held one: counted; the third in a row replaces it
 * CAIRN_FULL           the table is full of nearer neighbours; counted
 * CAIRN_ERR_ARG        self is NULL
 * CAIRN_ERR_NONFINITE  NaN or infinite; counted
 * CAIRN_ERR_RANGE      <= 0 or above range_max_m; counted
 * CAIRN_ERR_SELF       peer is this node
 * CAIRN_ERR_STALE      t_us before that of the last call; counted. Before the first round any time goes
 *
 * Work: O(neighbours + far).
 */
CAIRN_MUST_CHECK cairn_status cairn_node_on_range(cairn_node_t *self, uint16_t peer, cairn_real range_m, uint32_t t_us);

/**
 * Take a received frame.
 *
 * self    node
 * frame   [length] bytes, any content
 * length  any
 * t_us    time, wraps; not before that of the last call
 *
 * CAIRN_OK          used
 * CAIRN_REJECTED    valid, but another network's, older than what is known, or a node that is not trusted; counted
 * CAIRN_FULL        the sender found no room in the table; kept as a node that is heard
 * CAIRN_ERR_ARG     NULL
 * CAIRN_ERR_SIZE    no length of a beacon; counted
 * CAIRN_ERR_FORMAT  damaged, of another version, or not authentic; counted
 * CAIRN_ERR_SELF    this node's own id: somebody else has it, or a frame of this node was replayed; counted, and
 *                   reported by cairn_node_get_flags from then on
 * CAIRN_ERR_STALE   t_us before that of the last call (before the first round any goes), or a replayed frame; counted
 *
 * Work: O((1 + entries of the frame) x (neighbours + far + ways)) and one tag.
 */
CAIRN_MUST_CHECK cairn_status cairn_node_on_beacon(cairn_node_t *self, const uint8_t *frame, size_t length,
                                                   uint32_t t_us);

/**
 * One round: age the tables, move the place by one step, a piece of a trial place, judge.
 *
 * self  node
 * t_us  time, wraps; not before that of the last call, and less than 2^31 us (35 minutes) after it: later looks
 *       like before, and is refused until the clock has wrapped. A node that slept longer starts anew
 *
 * CAIRN_OK         done
 * CAIRN_ERR_ARG    NULL
 * CAIRN_ERR_STALE  t_us before that of the last call; counted. Before the first round any time goes
 *
 * Work: one and a half evaluations of the local cost, each 45 operations a neighbour and 10 to 40 a far node; a node
 * without a place: 12 passes over its ways instead.
 */
CAIRN_MUST_CHECK cairn_status cairn_node_tick(cairn_node_t *self, uint32_t t_us);

/**
 * Write the frame to broadcast in this round.
 *
 * self      node
 * frame     [capacity] out
 * capacity  >= CAIRN_BEACON_BYTES_MAX
 * t_us      time, wraps
 *
 * Returns its length: at most CAIRN_BEACON_BYTES (and the seal) in operation, up to 92 while ways to anchors spread;
 * 0 when NULL, capacity is short, or a key has no frame left (counted). Work: O(ways + neighbours) and one tag.
 */
size_t cairn_node_beacon(cairn_node_t *self, uint8_t *frame, size_t capacity, uint32_t t_us);

/**
 * Where the node is.
 *
 * self     node
 * place_m  [2] out, metres from the network's origin; not written when CAIRN_UNPLACED or an error is returned
 * std_m    out, nullable: deviation per coordinate, metres; 0 for an anchor
 *
 * CAIRN_OK             settled, or an anchor
 * CAIRN_FLIP_POSSIBLE  a mirror image is not excluded
 * CAIRN_NOT_CONVERGED  a first place, a place from a snapshot, or one that ranges contradict
 * CAIRN_UNPLACED       nothing known
 * CAIRN_ERR_ARG        NULL
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_node_get_place(const cairn_node_t *self, cairn_real *place_m, cairn_real *std_m);

/**
 * What the node knows about its place.
 *
 * self  node, not NULL
 *
 * Returns the stage. Work: O(1).
 */
cairn_node_stage cairn_node_get_stage(const cairn_node_t *self);

/**
 * What a beacon of the node says beside its stage.
 *
 * self  node, not NULL
 *
 * Returns CAIRN_BEACON_RESTORED and so on, joined. Work: O(1).
 */
uint8_t cairn_node_get_flags(const cairn_node_t *self);

/**
 * What has happened so far.
 *
 * self  node, not NULL
 *
 * Returns the counters, valid as long as self. Work: O(1).
 */
const cairn_node_counters_t *cairn_node_get_counters(const cairn_node_t *self);

/**
 * Agreement of the ranges with the places: about 1 when all is well, above 5 when something is wrong.
 *
 * self  node, not NULL
 *
 * Returns the normalised cost of the last round. Work: O(1).
 */
cairn_real cairn_node_get_cost(const cairn_node_t *self);

/**
 * Tell a node where it was, as a snapshot does: it descends from there, and says so in its beacons.
 *
 * self     node, not an anchor
 * place_m  [2] metres from the network's origin, within the grid
 * std_m    its deviation, metres, 0 to 1e6
 *
 * CAIRN_OK             taken
 * CAIRN_ERR_ARG        NULL, a place off the grid, or std_m out of range
 * CAIRN_ERR_NONFINITE  NaN or infinite
 * CAIRN_ERR_STATE      an anchor
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_node_set_place(cairn_node_t *self, const cairn_real *place_m, cairn_real std_m);

#ifdef __cplusplus
}
#endif
#endif
