/* SPDX-License-Identifier: MIT
 * A swarm of nodes in virtual time: true places, the ether between them, faults. Deterministic by seed. */
#ifndef SWARM_SWARM_H
#define SWARM_SWARM_H

#include "bench/generator.h"
#include "bench/limit.h"
#include "cairn/node.h"

#define SWARM_ROUND_US UINT32_C(1000000)

typedef struct swarm_cfg {
    generator_cfg_t world;
    bool corners;         /* 4 anchors near the corners, instead of anywhere */
    uint8_t options;      /* of every node, CAIRN_NODE_MONOTONE and so on */
    uint8_t n_neighbours; /* of the tables; 0: 24 */
    uint8_t n_ways;       /* 0: 8 */
    double loss;          /* share of the frames */
    double delay;         /* share of the frames that come up to a round late */
    double duplicate;     /* share of the frames that come twice */
    double corrupt;       /* share of the frames with flipped bits */
    bool collide;         /* frames that overlap at a receiver are lost; who sends does not hear */
    double one_way;       /* share of the directed links that carry no beacons; ranges are exchanged, so that both ends
                             have all that the reference has */
    double move_m;        /* deviation of a step per round and axis; 0: nodes stay */
    double move_memory;   /* share of a step that is as the last one: 0 a random walk, .95 smooth */
    double told_move_m;   /* what the nodes are told; 0: the deviation of a step */
    bool fresh_ranges;    /* ranges are measured anew for each frame, else once for all */
} swarm_cfg_t;

typedef struct swarm_late {
    uint32_t due_us;
    uint32_t to;
    uint32_t from;
    uint8_t length;
    uint8_t frame[CAIRN_BEACON_BYTES_MAX];
} swarm_late_t;

/* How nodes are reached: in this process, or under an emulator. */
typedef struct swarm swarm_t;
typedef struct swarm_agents {
    size_t (*speak)(swarm_t *self, size_t node, uint32_t t_us, uint8_t *frame); /* one round; its frame */
    void (*hear)(swarm_t *self, size_t node, const uint8_t *frame, size_t length, uint32_t t_us);
    void (*range)(swarm_t *self, size_t node, uint16_t peer, double range_m, uint32_t t_us);
    bool (*place)(swarm_t *self, size_t node, double *place_m, int *stage);
    void (*restart)(swarm_t *self, size_t node, bool snapshot);
} swarm_agents_t;

struct swarm {
    swarm_cfg_t cfg;
    swarm_agents_t agents;
    void *agents_ctx;
    generator_t world;
    cairn_rng_t rng;
    uint32_t round;
    uint32_t t_us;
    /* links: of node i, entries row[i] .. row[i + 1] */
    uint32_t *row;
    uint32_t *other;
    float *range_m;
    uint8_t *deaf; /* the frame from `other` does not arrive here */
    uint32_t *when_us;
    uint32_t *order;
    bool *dead;
    uint8_t *rogue; /* SWARM_HONEST and so on */
    double *velocity_m;
    swarm_late_t *late;
    size_t n_late;
    size_t late_capacity;
    uint64_t n_frames;
    uint64_t n_bytes;
    uint64_t n_longest;
    /* native nodes */
    cairn_node_t *node;
    cairn_node_cfg_t *node_cfg;
    cairn_node_neighbour_t *neighbours;
    cairn_node_far_t *far;
    cairn_node_way_t *ways;
    bool *core;
};

enum { SWARM_HONEST, SWARM_FALSE_PLACE, SWARM_FALSE_RANGE };

/* Errors of the swarm's map against the truth. */
typedef struct swarm_score {
    double rmse_m;     /* of the core, unplaced nodes at the middle of the map */
    double rmse_all_m; /* of all sensors that have a place */
    size_t n_core;
    size_t n_core_placed; /* of the core, those that say so */
    size_t n_placed;      /* of all sensors */
    size_t n_wrong;       /* of these, farther off than .4 R */
} swarm_score_t;

/* Native nodes over a made-up world; release with swarm_free. */
void swarm_init(swarm_t *self, const swarm_cfg_t *cfg);
void swarm_free(swarm_t *self);

/* One round: every living node sends once, at an instant of its own. */
void swarm_round(swarm_t *self);
void swarm_run(swarm_t *self, size_t n_rounds);

/* Measure anew: links and ranges of the present places. */
void swarm_measure(swarm_t *self);

/* Switch a node off and on; its place is kept if `snapshot`. */
void swarm_restart(swarm_t *self, size_t node, bool snapshot);

swarm_score_t swarm_score(swarm_t *self);

/* As swarm_score after the best rigid motion, reflection allowed. */
swarm_score_t swarm_score_moved(swarm_t *self);

/* Draw `count` sensors into chosen [count], without repeats, from the swarm's own stream. */
void swarm_choose(swarm_t *self, size_t count, size_t *chosen);

double swarm_uniform(cairn_rng_t *rng);
double swarm_normal(cairn_rng_t *rng);

/* The agents of a native swarm; ctx unused. */
extern const swarm_agents_t swarm_native;
void swarm_native_init(swarm_t *self);

#endif
