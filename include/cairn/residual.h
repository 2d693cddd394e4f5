/* SPDX-License-Identifier: MIT
 * Residuals of a located network: per link, per node and over all, and what their pattern points at. */
#ifndef CAIRN_RESIDUAL_H
#define CAIRN_RESIDUAL_H

#include "cairn/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Residuals of some links, each (range - distance) / deviation of the range at the estimated distance. */
typedef struct cairn_residual {
    uint32_t n;       /* links between nodes with places, anchors among themselves included */
    uint32_t n_long;  /* ranges more than 3 deviations too long */
    uint32_t n_short; /* more than 3 too short */
    cairn_real mean;  /* of the standardized residuals; 0 without links */
    cairn_real rms;   /* about 1 when the declared noise is right, less where the map could follow it */
    cairn_real worst; /* standardized residual of largest magnitude */
    uint32_t worst_a; /* its ends, meaningful where n > 0 */
    uint32_t worst_b;
    cairn_real ratio; /* of the range to the distance, of the link where it is farthest from 1 either way; 1 without */
    uint32_t ratio_a;
    uint32_t ratio_b;
} cairn_residual_t;

/** What a pattern of residuals points at; bits. */
typedef enum cairn_suspicion {
    CAIRN_SUSPECT_NOISE = 1,     /* residuals are larger than declared: a wrong place, id or noise */
    CAIRN_SUSPECT_ONE_SIDED = 2, /* ranges are too long, or too short, as a rule: bias, or blocked sight */
    CAIRN_SUSPECT_OUTLIERS = 4,  /* some ranges are far off while the rest fits */
    CAIRN_SUSPECT_UNITS = 8      /* a range is 100 times the distance or more, or a hundredth: another unit */
} cairn_suspicion_t;

/**
 * Residual of one link.
 *
 * network  sealed and located
 * node     < nodes
 * j        < degree of node
 *
 * Returns (range - distance) / deviation; 0 where an end has no place or the arguments name no link. Work: O(dim).
 */
cairn_real cairn_residual_of_link(const cairn_network_t *network, uint32_t node, uint32_t j);

/**
 * Residuals of the links of one node: of an anchor, the way to find one that is not where it is said to be.
 *
 * network  sealed and located
 * node     < nodes
 * result   out; unchanged on error
 *
 * CAIRN_OK              summed up
 * CAIRN_ERR_ARG         NULL
 * CAIRN_ERR_UNKNOWN_ID  node not below the number of nodes
 * CAIRN_ERR_STATE       the network is open
 *
 * Work: O(degree x dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_residual_of_node(const cairn_network_t *network, uint32_t node,
                                                     cairn_residual_t *result);

/**
 * Residuals of all links.
 *
 * network  sealed and located
 * result   out; unchanged on error
 *
 * CAIRN_OK         summed up
 * CAIRN_ERR_ARG    NULL
 * CAIRN_ERR_STATE  the network is open
 *
 * Work: O(ranges x dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_residual_of_network(const cairn_network_t *network, cairn_residual_t *result);

/**
 * What residuals point at. Of links with honest normal noise, less than one set in 10,000 is suspect.
 *
 * residual  of a node or a network
 *
 * Returns bits of cairn_suspicion_t; 0: nothing. Work: O(1).
 */
uint32_t cairn_residual_judge(const cairn_residual_t *residual);

/** Sensors that hear two anchors, held against the distance of those: needs no map. */
typedef struct cairn_triangles {
    uint32_t n;        /* sensor and two anchors in its range */
    uint32_t n_broken; /* that no place of the sensor explains within 4 deviations */
    cairn_real ratio;  /* mean of the sums of both ranges over mean distance of the anchors; 0 without triangles.
                          At least 1 when nothing is wrong; about 1000 for millimetres in a field for metres */
} cairn_triangles_t;

/**
 * Hold ranges against anchors, before or after locating: |r1 - r2| <= D <= r1 + r2.
 *
 * network  sealed
 * result   out; unchanged on error
 *
 * CAIRN_OK         counted
 * CAIRN_ERR_ARG    NULL
 * CAIRN_ERR_STATE  the network is open
 *
 * Work: O(sum over sensors of degree^2).
 */
CAIRN_MUST_CHECK cairn_status cairn_residual_triangles(const cairn_network_t *network, cairn_triangles_t *result);

#ifdef __cplusplus
}
#endif
#endif
