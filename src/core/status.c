/* SPDX-License-Identifier: MIT
 * Names of the statuses, in a file of their own so that an image that does not print drops them. */
#include "cairn/status.h"

#include "cairn/real.h"

static const char *const outcome_name[] = {
    [CAIRN_OK] = "ok",
    [CAIRN_MORE] = "more work left",
    [CAIRN_NOT_CONVERGED] = "not converged",
    [CAIRN_REJECTED] = "sample rejected",
    [CAIRN_FULL] = "full",
    [CAIRN_FLIP_POSSIBLE] = "flip possible",
    [CAIRN_UNPLACED] = "unplaced",
    [CAIRN_HEIGHT_UNRESOLVED] = "height unresolved",
    [CAIRN_RELATIVE] = "places relative to each other only",
};

static const char *const error_name[] = {
    [0] = "ok",
    [-CAIRN_ERR_ARG] = "bad argument",
    [-CAIRN_ERR_SIZE] = "array too short",
    [-CAIRN_ERR_ALIGN] = "array misaligned",
    [-CAIRN_ERR_NONFINITE] = "not a finite number",
    [-CAIRN_ERR_RANGE] = "range not above zero or implausibly large",
    [-CAIRN_ERR_UNKNOWN_ID] = "unknown id",
    [-CAIRN_ERR_SELF] = "range from a node to itself",
    [-CAIRN_ERR_STATE] = "call does not fit the present stage",
    [-CAIRN_ERR_ANCHORS] = "too few known places",
    [-CAIRN_ERR_GEOMETRY] = "known places in one plane, line or point",
    [-CAIRN_ERR_RESOLUTION] = "coordinates too large for the ranges",
    [-CAIRN_ERR_FORMAT] = "damaged, foreign or not authentic",
    [-CAIRN_ERR_STALE] = "stale or repeated",
};

const char *cairn_status_name(cairn_status status)
{
    const int n_outcomes = (int)(sizeof outcome_name / sizeof outcome_name[0]);
    const int n_errors = (int)(sizeof error_name / sizeof error_name[0]);
    const int value = (int)status;

    if (value >= 0 && value < n_outcomes) {
        return outcome_name[value];
    }
    if (value < 0 && value > -n_errors) {
        return error_name[-value];
    }
    return "unknown status";
}
