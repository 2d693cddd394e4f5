/* SPDX-License-Identifier: MIT
 * Power iteration clustering: a node that was not in the graph gets one row of the walk, and the label of most of its
 * links. Source: Lin (2012), 2.3 applied to one more row. */
#include "walk/pic_internal.h"

static cairn_status check_links(const cairn_pic_t *self, const uint32_t *nodes, const cairn_real *weights,
                                size_t n_links)
{
    for (size_t e = 0; e < n_links; ++e) {
        if (nodes[e] >= self->walk.n_nodes) {
            return CAIRN_ERR_UNKNOWN_ID;
        }
        if (weights != NULL && !cairn_isfinite(weights[e])) {
            return CAIRN_ERR_NONFINITE;
        }
        if (weights != NULL && !(weights[e] > 0)) {
            return CAIRN_ERR_ARG;
        }
    }
    return CAIRN_OK;
}

/* The label with the largest weight of links; ties go to the lowest. */
static uint8_t vote(const cairn_pic_t *self, const uint32_t *nodes, const cairn_real *weights, size_t n_links)
{
    uint8_t label = CAIRN_PIC_UNKNOWN;
    cairn_real most = 0;

    for (unsigned c = 0; c < self->cfg->n_clusters; ++c) {
        cairn_real sum = 0;
        for (size_t e = 0; e < n_links; ++e) {
            sum += pic_label(self)[nodes[e]] != c ? (cairn_real)0 : weights != NULL ? weights[e] : (cairn_real)1;
        }
        if (sum > most) {
            most = sum;
            label = (uint8_t)c;
        }
    }
    return label;
}

cairn_status cairn_pic_extend(const cairn_pic_t *self, const uint32_t *nodes, const cairn_real *weights, size_t n_links,
                              uint8_t *label, cairn_real *place)
{
    cairn_status status;

    if (self == NULL || label == NULL || (nodes == NULL && n_links > 0)) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage != PIC_DONE) {
        return CAIRN_ERR_STATE;
    }
    status = check_links(self, nodes, weights, n_links);
    if (status != CAIRN_OK) {
        return status;
    }
    *label = vote(self, nodes, weights, n_links);
    if (*label == CAIRN_PIC_UNKNOWN) {
        return CAIRN_UNPLACED;
    }
    for (size_t c = 0; c < self->n_columns && place != NULL; ++c) {
        cairn_real sum = 0;
        cairn_real total = 0;
        for (size_t e = 0; e < n_links; ++e) {
            const cairn_real weight = weights != NULL ? weights[e] : (cairn_real)1;
            sum += weight * pic_columns(self)[(size_t)nodes[e] * self->n_columns + c];
            total += weight;
        }
        place[c] = sum / total;
    }
    return CAIRN_OK;
}
