/* SPDX-License-Identifier: MIT
 * A bounded network of measured ranges: nodes, anchors, starts and links over caller arrays. */
#ifndef CAIRN_NETWORK_H
#define CAIRN_NETWORK_H

#include "cairn/real.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_NETWORK_NODES_MAX 0x1000000u /* nodes are 24-bit indices */

/* Lengths beyond these are refused, so that no sum of squares leaves the range of float. Metres. */
#define CAIRN_NETWORK_LENGTH_LEAST 1e-9f /* shortest range */
#define CAIRN_NETWORK_LENGTH_MOST  1e9f  /* longest range and deviation, largest |coordinate| */

/** Settings of a network; the caller keeps them alive and constant. */
typedef struct cairn_network_cfg {
    uint8_t dim;          /* coordinates of a place, 1 to CAIRN_LOCATE_DIM_MAX */
    cairn_real noise_rel; /* deviation of a range as a share of it, 0 to 10; thesis's sigma; typical .01 UWB, .5 RSS */
    cairn_real noise_abs_m; /* deviation of a range that does not grow with it, metres, 0 to 1e9; typical .1 UWB */
    cairn_real range_max_m; /* ranges above this are refused as implausible (millimetres in a metre field), metres;
                                 0: CAIRN_NETWORK_LENGTH_MOST */
} cairn_network_cfg_t;

/** One end of a measured pair, 8 bytes with float. Read it with the functions below. */
typedef struct cairn_link {
    uint32_t node_and_std; /* other node in bits 0-23; code of the range's own deviation in bits 24-31, 0: none given */
    cairn_real range_m;
} cairn_link_t;

/** Caller arrays of a network and their lengths; see CAIRN_NETWORK_DEFINE. */
typedef struct cairn_network_memory {
    cairn_link_t *links; /* [>= 2 x ranges]; sets how many ranges fit */
    size_t n_links;
    uint32_t *rows; /* [>= 2 x (nodes + 1)] */
    size_t n_rows;
    cairn_real *place_m; /* [>= nodes x dim] */
    size_t n_place;
    cairn_real *std_m; /* [>= nodes] */
    size_t n_std;
    uint8_t *flags; /* [>= nodes] */
    size_t n_flags;
} cairn_network_memory_t;

/** What has been refused since init, by reason. */
typedef struct cairn_network_counters {
    uint32_t n_nonfinite;  /* NaN or infinite values */
    uint32_t n_range;      /* ranges <= 0, vanishing, or above range_max_m; coordinates out of bounds */
    uint32_t n_unknown_id; /* nodes outside the network */
    uint32_t n_self;       /* ranges from a node to itself */
    uint32_t n_full;       /* ranges beyond the capacity */
    uint32_t n_merged;     /* repeated or reversed pairs folded into their mean by seal */
} cairn_network_counters_t;

/** State of a node after locate. */
typedef enum cairn_node_state {
    CAIRN_NODE_UNPLACED = 0,      /* nothing known: no anchor, start or placed node can be reached */
    CAIRN_NODE_ANCHOR = 1,        /* place given */
    CAIRN_NODE_PLACED = 2,        /* place estimated */
    CAIRN_NODE_FLIP_POSSIBLE = 3, /* place estimated, but a mirror image or another place fits as well */
    CAIRN_NODE_STARTED = 4        /* start given, not located yet */
} cairn_node_state;

/** A network. Private, read by the functions below; holds pointers to the caller's cfg and arrays only. */
typedef struct cairn_network {
    const cairn_network_cfg_t *cfg;
    cairn_network_memory_t memory;
    uint32_t n_nodes;
    uint32_t n_ranges;   /* open: stored; sealed: distinct pairs */
    uint32_t ranges_max; /* capacity */
    uint32_t n_anchors;
    uint32_t n_starts;
    bool sealed;
    bool origin_set;
    cairn_real origin_m[CAIRN_LOCATE_DIM_MAX]; /* the first place given; places are stored relative to it */
    cairn_real coordinate_max_m;               /* largest |coordinate| given */
    cairn_network_counters_t counters;
} cairn_network_t;

/** Bytes of caller memory of a network, a constant expression: 21 a node + 16 a range in 2-D with float. */
#define CAIRN_NETWORK_BYTES(nodes, ranges, dim)                                                                        \
    ((size_t)(ranges)*2u * sizeof(cairn_link_t) + ((size_t)(nodes) + 1u) * 2u * sizeof(uint32_t) +                     \
     (size_t)(nodes) * ((size_t)(dim) + 1u) * sizeof(cairn_real) + (size_t)(nodes))

/**
 * Declare, statically, a network `name`, its arrays and a `name_memory` to pass to cairn_network_init.
 * nodes, ranges, dim: constants >= 1.
 */
#define CAIRN_NETWORK_DEFINE(name, nodes, ranges, dim)                                                                 \
    static cairn_link_t name##_links[2u * (ranges)];                                                                   \
    static uint32_t name##_rows[2u * ((nodes) + 1u)];                                                                  \
    static cairn_real name##_place_m[(nodes) * (dim)];                                                                 \
    static cairn_real name##_std_m[nodes];                                                                             \
    static uint8_t name##_flags[nodes];                                                                                \
    static const cairn_network_memory_t name##_memory = {                                                              \
        name##_links,    2u * (ranges), name##_rows, 2u * ((nodes) + 1u), name##_place_m,                              \
        (nodes) * (dim), name##_std_m,  (nodes),     name##_flags,        (nodes)};                                    \
    static cairn_network_t name

/**
 * Start an empty network of n_nodes nodes, none of them known.
 *
 * self     out, every field is written
 * cfg      settings, kept by self
 * memory   arrays and their lengths, copied; the arrays need not be cleared and must outlive self
 * n_nodes  1 to CAIRN_NETWORK_NODES_MAX
 *
 * CAIRN_OK             ready, open for ranges
 * CAIRN_ERR_ARG        NULL, dim or n_nodes out of range, a setting out of range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       an array is too short (links: fewer than 2)
 * CAIRN_ERR_ALIGN      an array is misaligned
 *
 * Work: O(nodes). Memory: CAIRN_NETWORK_BYTES.
 */
CAIRN_MUST_CHECK cairn_status cairn_network_init(cairn_network_t *self, const cairn_network_cfg_t *cfg,
                                                 const cairn_network_memory_t *memory, size_t n_nodes);

/**
 * Store one measured range. Order and direction do not matter. Repeated and reversed pairs take room until seal
 * folds them into one: their mean weighted by 1/deviation^2, with the deviation of that mean.
 *
 * self     open network
 * a, b     the two nodes, < n_nodes, different
 * range_m  measured distance, metres, >= CAIRN_NETWORK_LENGTH_LEAST, <= cfg->range_max_m
 * std_m    its deviation, metres, > 0; 0: use the noise of cfg. Kept to 3 significant bits (within 7 %) between
 *          17 micrometres and 61 kilometres, beyond which it is clamped
 *
 * CAIRN_OK              stored
 * CAIRN_FULL            no room; counted
 * CAIRN_ERR_ARG         self is NULL, or std_m negative
 * CAIRN_ERR_NONFINITE   NaN or infinite range or deviation; counted
 * CAIRN_ERR_RANGE       range <= 0 or vanishing, or above range_max_m; counted
 * CAIRN_ERR_UNKNOWN_ID  a or b not below n_nodes; counted
 * CAIRN_ERR_SELF        a equals b; counted
 * CAIRN_ERR_STATE       the network is sealed
 *
 * On error and when full only the counter has changed. Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_network_add_range(cairn_network_t *self, uint32_t a, uint32_t b, cairn_real range_m,
                                                      cairn_real std_m);

/**
 * Make a node an anchor, or move an anchor. The first place given to a network becomes its origin: coordinates of any
 * size keep the resolution of their differences.
 *
 * self     network, open or sealed
 * node     < n_nodes
 * place_m  [dim] metres, any sign, |each| <= CAIRN_NETWORK_LENGTH_MOST
 *
 * CAIRN_OK              set; replaces an earlier anchor place or start of the node
 * CAIRN_ERR_ARG         NULL
 * CAIRN_ERR_NONFINITE   a coordinate is NaN or infinite; counted
 * CAIRN_ERR_RANGE       a coordinate is out of bounds; counted
 * CAIRN_ERR_UNKNOWN_ID  node not below n_nodes; counted
 *
 * Work: O(dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_network_set_anchor(cairn_network_t *self, uint32_t node, const cairn_real *place_m);

/**
 * Give a sensor a start: where it was before, or a guess. A job that places the sensor uses it up;
 * cairn_network_clear_ranges makes starts of all places.
 *
 * self     network, open or sealed
 * node     < n_nodes
 * place_m  [dim] metres
 *
 * CAIRN_OK              set
 * CAIRN_REJECTED        the node is an anchor: nothing changed
 * others                as cairn_network_set_anchor
 *
 * Work: O(dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_network_set_start(cairn_network_t *self, uint32_t node, const cairn_real *place_m);

/**
 * Close the network: sort the ranges into rows, fold repeated pairs, check the resolution. The result does not depend
 * on the order in which ranges came.
 *
 * self  network; of a sealed one, whose anchors may have moved since, only the resolution is checked
 *
 * CAIRN_OK              sealed
 * CAIRN_ERR_ARG         NULL
 * CAIRN_ERR_RESOLUTION  the spacing of cairn_real at the largest coordinate given since init exceeds 1 % of the mean
 *                       range: init, and pass coordinates relative to a nearby point. The ranges stay as they are
 *
 * Work: heap sort in place, at most 4 R log2 R comparisons and moves of 16 bytes, R = ranges stored. No scratch.
 */
CAIRN_MUST_CHECK cairn_status cairn_network_seal(cairn_network_t *self);

/**
 * Forget all ranges and open the network for new ones; places, anchors and starts stay. Located places become starts.
 *
 * self  network
 *
 * CAIRN_OK       open
 * CAIRN_ERR_ARG  NULL
 *
 * Work: O(nodes).
 */
CAIRN_MUST_CHECK cairn_status cairn_network_clear_ranges(cairn_network_t *self);

/**
 * Where a node is.
 *
 * self     network
 * node     < n_nodes
 * place_m  [dim] out, metres, in the caller's frame; not written when CAIRN_UNPLACED or an error is returned
 * std_m    out, nullable, deviation per coordinate, metres (root of the mean of the axis variances); 0 for an anchor
 *
 * CAIRN_OK              anchor, started or placed
 * CAIRN_FLIP_POSSIBLE   placed, but not uniquely: std_m is that of this place, not of the choice between them
 * CAIRN_UNPLACED        nothing known
 * CAIRN_ERR_ARG         NULL
 * CAIRN_ERR_UNKNOWN_ID  node not below n_nodes
 *
 * Work: O(dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_network_get_place(const cairn_network_t *self, uint32_t node, cairn_real *place_m,
                                                      cairn_real *std_m);

/**
 * Where a node is, relative to the network's origin, at full resolution: add origin_m in the precision you need.
 *
 * self      network
 * node      < n_nodes
 * local_m   [dim] out, metres, relative to the origin; not written when CAIRN_UNPLACED or an error is returned
 * origin_m  [dim] out, nullable: the first place ever given to the network, 0 when none was
 *
 * Returns as cairn_network_get_place. Work: O(dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_network_get_local(const cairn_network_t *self, uint32_t node, cairn_real *local_m,
                                                      cairn_real *origin_m);

/**
 * State of a node.
 *
 * self  network
 * node  any value
 *
 * Returns its state; CAIRN_NODE_UNPLACED for an unknown node. Work: O(1).
 */
cairn_node_state cairn_network_get_state(const cairn_network_t *self, uint32_t node);

/**
 * Number of distinct neighbours of a node.
 *
 * self  sealed network
 * node  < n_nodes
 *
 * Returns the degree; 0 when open or unknown. Work: O(1).
 */
uint32_t cairn_network_degree(const cairn_network_t *self, uint32_t node);

/**
 * The j-th link of a node, other nodes in ascending order.
 *
 * self  sealed network
 * node  < n_nodes
 * j     < cairn_network_degree(self, node)
 *
 * Returns the link, NULL when open or out of range. Work: O(1).
 */
const cairn_link_t *cairn_network_link(const cairn_network_t *self, uint32_t node, uint32_t j);

/**
 * Other end of a link.
 *
 * link  not NULL
 *
 * Returns the node. Work: O(1).
 */
static inline uint32_t cairn_link_node(const cairn_link_t *link) { return link->node_and_std & 0xFFFFFFu; }

/**
 * Variance of a link's range: its own deviation where one was given, else the noise of cfg at a distance. Weighting by
 * the measured range would favour short measurements and shrink the map, so pass the estimated distance.
 *
 * self        network
 * link        one of its links
 * distance_m  estimated distance, metres, >= 0
 *
 * Returns the variance, square metres, floored at (1e-4 distance_m)^2 and above 0. Work: O(1).
 */
cairn_real cairn_network_variance(const cairn_network_t *self, const cairn_link_t *link, cairn_real distance_m);

#ifdef __cplusplus
}
#endif
#endif
