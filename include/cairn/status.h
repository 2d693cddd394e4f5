/* SPDX-License-Identifier: MIT
 * The one status enumeration of Cairn: 0 done, negative refused (nothing has changed), positive an outcome. */
#ifndef CAIRN_STATUS_H
#define CAIRN_STATUS_H

#include "cairn/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Result of a call. After an error (< 0) the object is as it was before the call; only counters of refused input,
 * where an object has them, have moved. An outcome (> 0) means that the call did its work and has something to say.
 */
typedef enum cairn_status {
    CAIRN_OK = 0,

    /* outcomes */
    CAIRN_MORE = 1,              /* a resumable job has work left: call step again */
    CAIRN_NOT_CONVERGED = 2,     /* the limit of rounds was reached before the tolerance */
    CAIRN_REJECTED = 3,          /* a valid sample, disbelieved or not kept: see the call */
    CAIRN_FULL = 4,              /* no room left in the caller's array: the sample was not stored */
    CAIRN_FLIP_POSSIBLE = 5,     /* a mirror image fits the data as well */
    CAIRN_UNPLACED = 6,          /* there is no place to report */
    CAIRN_HEIGHT_UNRESOLVED = 7, /* anchors in one plane (2-D: line): the mirror image in it fits as well */
    CAIRN_RELATIVE = 8,          /* too few anchors: places are right among themselves, up to a rigid motion */

    /* errors */
    CAIRN_ERR_ARG = -1,         /* NULL where it is not allowed, or a setting outside its range */
    CAIRN_ERR_SIZE = -2,        /* a caller array is too short, or a size overflows */
    CAIRN_ERR_ALIGN = -3,       /* a caller array is not aligned for its type */
    CAIRN_ERR_NONFINITE = -4,   /* NaN or infinity */
    CAIRN_ERR_RANGE = -5,       /* a measured range <= 0, or above the plausibility limit */
    CAIRN_ERR_UNKNOWN_ID = -6,  /* no such node */
    CAIRN_ERR_SELF = -7,        /* a range from a node to itself */
    CAIRN_ERR_STATE = -8,       /* the call does not fit the object's present stage */
    CAIRN_ERR_ANCHORS = -9,     /* fewer known places than the dimension needs */
    CAIRN_ERR_GEOMETRY = -10,   /* known places are collinear, coplanar or coincident */
    CAIRN_ERR_RESOLUTION = -11, /* coordinates so large that cairn_real cannot resolve the ranges */
    CAIRN_ERR_FORMAT = -12,     /* a frame or an image that is damaged, foreign, of another version, or not authentic */
    CAIRN_ERR_STALE = -13       /* a time before one already seen, or a frame already received */
} cairn_status;

/**
 * Short English name of a status, for logs; in a file of its own, so that an image that does not print drops it.
 *
 * status  any value; an unknown one gives "unknown status"
 *
 * Returns a constant string, never NULL. Work: O(1).
 */
const char *cairn_status_name(cairn_status status);

#ifdef __cplusplus
}
#endif
#endif
