/* SPDX-License-Identifier: MIT
 * Network: entry of ranges and places, and the getters. Sorting into rows is in seal.c. */
#include "cairn/network.h"

#include "cairn/vector.h"
#include "locate/network_internal.h"

#define NOISE_REL_MAX  10
#define STD_FLOOR_REL  1e-4f  /* no radio measures better than this share of a distance; keeps weights finite */
#define VARIANCE_LEAST 1e-12f /* square metres, for exact ranges at distance 0 */

/* A deviation as a small float: 5 bits exponent, 3 bits fraction, value (8 + fraction) / 8 x 2^(exponent - 16). */
#define STD_FRACTION_BITS   3
#define STD_EXPONENT_LEAST  (-16)
#define FLOAT_FRACTION_BITS 23
#define FLOAT_BIAS          127

uint32_t cairn_network_encode_std(cairn_real std_m)
{
    const float value = (float)std_m;
    uint32_t bits;
    uint32_t half = UINT32_C(1) << (FLOAT_FRACTION_BITS - STD_FRACTION_BITS - 1);
    const uint32_t least = ((uint32_t)(FLOAT_BIAS + STD_EXPONENT_LEAST) << STD_FRACTION_BITS) + 1u;

    memcpy(&bits, &value, sizeof bits);
    bits = (bits + half) >> (FLOAT_FRACTION_BITS - STD_FRACTION_BITS); /* rounds to the nearest fraction */
    if (bits < least) {
        return 1; /* 0 means none given */
    }
    bits -= least - 1u;
    return bits > UINT8_MAX ? UINT8_MAX : bits;
}

static cairn_real decode_std(uint32_t code)
{
    const uint32_t least = (uint32_t)(FLOAT_BIAS + STD_EXPONENT_LEAST) << STD_FRACTION_BITS;
    const uint32_t bits = (code + least) << (FLOAT_FRACTION_BITS - STD_FRACTION_BITS);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static cairn_status check_cfg(const cairn_network_cfg_t *cfg)
{
    if (!cairn_isfinite(cfg->noise_rel) || !cairn_isfinite(cfg->noise_abs_m) || !cairn_isfinite(cfg->range_max_m)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (cfg->dim < 1 || cfg->dim > CAIRN_LOCATE_DIM_MAX || cfg->noise_rel < 0 || cfg->noise_rel > NOISE_REL_MAX ||
        cfg->noise_abs_m < 0 || cfg->noise_abs_m > CAIRN_NETWORK_LENGTH_MOST || cfg->range_max_m < 0) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

static cairn_status check_memory(const cairn_network_memory_t *memory, size_t n_nodes, size_t dim)
{
    if (memory->links == NULL || memory->rows == NULL || memory->place_m == NULL || memory->std_m == NULL ||
        memory->flags == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (memory->n_links < 2 || memory->n_rows < 2 * (n_nodes + 1) || memory->n_place < n_nodes * dim ||
        memory->n_std < n_nodes || memory->n_flags < n_nodes) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_aligned(memory->links, sizeof(cairn_real)) || !cairn_aligned(memory->rows, sizeof(uint32_t)) ||
        !cairn_aligned(memory->place_m, sizeof(cairn_real)) || !cairn_aligned(memory->std_m, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    return CAIRN_OK;
}

cairn_status cairn_network_init(cairn_network_t *self, const cairn_network_cfg_t *cfg,
                                const cairn_network_memory_t *memory, size_t n_nodes)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || memory == NULL || n_nodes == 0 || n_nodes > CAIRN_NETWORK_NODES_MAX) {
        return CAIRN_ERR_ARG;
    }
    status = check_cfg(cfg);
    if (status == CAIRN_OK) {
        status = check_memory(memory, n_nodes, cfg->dim);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->memory = *memory;
    self->n_nodes = (uint32_t)n_nodes;
    self->ranges_max = (uint32_t)(memory->n_links / 2 < UINT32_MAX / 2 ? memory->n_links / 2 : UINT32_MAX / 2);
    for (size_t i = 0; i < n_nodes; ++i) {
        memory->std_m[i] = 0;
        memory->flags[i] = CAIRN_NODE_UNPLACED;
    }
    for (size_t i = 0; i < n_nodes * cfg->dim; ++i) {
        memory->place_m[i] = 0;
    }
    for (size_t i = 0; i < 2 * (n_nodes + 1); ++i) {
        memory->rows[i] = 0;
    }
    return CAIRN_OK;
}

static cairn_status check_range(cairn_network_t *self, uint32_t a, uint32_t b, cairn_real range_m, cairn_real std_m)
{
    const cairn_real most_m = CAIRN_NETWORK_LENGTH_MOST;
    const cairn_real limit_m = self->cfg->range_max_m > 0 ? cairn_min(self->cfg->range_max_m, most_m) : most_m;

    if (!cairn_isfinite(range_m) || !cairn_isfinite(std_m)) {
        ++self->counters.n_nonfinite;
        return CAIRN_ERR_NONFINITE;
    }
    if (std_m < 0) {
        return CAIRN_ERR_ARG;
    }
    if (!(range_m >= CAIRN_NETWORK_LENGTH_LEAST && range_m <= limit_m)) {
        ++self->counters.n_range;
        return CAIRN_ERR_RANGE;
    }
    if (a >= self->n_nodes || b >= self->n_nodes) {
        ++self->counters.n_unknown_id;
        return CAIRN_ERR_UNKNOWN_ID;
    }
    if (a == b) {
        ++self->counters.n_self;
        return CAIRN_ERR_SELF;
    }
    return CAIRN_OK;
}

cairn_status cairn_network_add_range(cairn_network_t *self, uint32_t a, uint32_t b, cairn_real range_m,
                                     cairn_real std_m)
{
    cairn_status status;
    cairn_link_t *pair;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->sealed) {
        return CAIRN_ERR_STATE;
    }
    status = check_range(self, a, b, range_m, std_m);
    if (status != CAIRN_OK) {
        return status;
    }
    if (self->n_ranges >= self->ranges_max) {
        ++self->counters.n_full;
        return CAIRN_FULL;
    }
    pair = self->memory.links + 2u * (size_t)self->n_ranges;
    pair[0].node_and_std = (a > b ? a : b) | (std_m > 0 ? cairn_network_encode_std(std_m) << LINK_STD_SHIFT : 0);
    pair[0].range_m = range_m;
    pair[1].node_and_std = a > b ? b : a;
    pair[1].range_m = 0;
    ++self->n_ranges;
    return CAIRN_OK;
}

/* Store a place relative to the origin, which the first place given sets. */
static cairn_status set_place(cairn_network_t *self, uint32_t node, const cairn_real *place_m)
{
    const size_t dim = self->cfg->dim;
    cairn_real *local_m;

    if (!cairn_all_finite(place_m, dim)) {
        ++self->counters.n_nonfinite;
        return CAIRN_ERR_NONFINITE;
    }
    for (size_t i = 0; i < dim; ++i) {
        if (cairn_abs(place_m[i]) > CAIRN_NETWORK_LENGTH_MOST) {
            ++self->counters.n_range;
            return CAIRN_ERR_RANGE;
        }
    }
    if (!self->origin_set) {
        memcpy(self->origin_m, place_m, dim * sizeof *place_m);
        self->origin_set = true;
    }
    local_m = network_place(self, node);
    for (size_t i = 0; i < dim; ++i) {
        local_m[i] = place_m[i] - self->origin_m[i];
        self->coordinate_max_m = cairn_max(self->coordinate_max_m, cairn_abs(place_m[i]));
    }
    self->memory.std_m[node] = 0;
    return CAIRN_OK;
}

cairn_status cairn_network_set_anchor(cairn_network_t *self, uint32_t node, const cairn_real *place_m)
{
    cairn_status status;

    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (node >= self->n_nodes) {
        ++self->counters.n_unknown_id;
        return CAIRN_ERR_UNKNOWN_ID;
    }
    status = set_place(self, node, place_m);
    if (status != CAIRN_OK) {
        return status;
    }
    self->n_anchors += network_is_anchor(self, node) ? 0u : 1u;
    network_set_state(self, node, CAIRN_NODE_ANCHOR);
    return CAIRN_OK;
}

cairn_status cairn_network_set_start(cairn_network_t *self, uint32_t node, const cairn_real *place_m)
{
    cairn_status status;

    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (node >= self->n_nodes) {
        ++self->counters.n_unknown_id;
        return CAIRN_ERR_UNKNOWN_ID;
    }
    if (network_is_anchor(self, node)) {
        return CAIRN_REJECTED;
    }
    status = set_place(self, node, place_m);
    if (status != CAIRN_OK) {
        return status;
    }
    network_set_state(self, node, CAIRN_NODE_STARTED);
    ++self->n_starts;
    return CAIRN_OK;
}

cairn_status cairn_network_clear_ranges(cairn_network_t *self)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    self->n_ranges = 0;
    self->sealed = false;
    self->n_starts = 0;
    for (uint32_t i = 0; i < self->n_nodes; ++i) {
        const cairn_node_state state = network_state(self, i);
        if (state != CAIRN_NODE_ANCHOR && state != CAIRN_NODE_UNPLACED) {
            self->memory.flags[i] = CAIRN_NODE_STARTED;
            ++self->n_starts;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_network_get_local(const cairn_network_t *self, uint32_t node, cairn_real *local_m,
                                     cairn_real *origin_m)
{
    if (self == NULL || local_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (node >= self->n_nodes) {
        return CAIRN_ERR_UNKNOWN_ID;
    }
    if (!network_is_known(self, node)) {
        return CAIRN_UNPLACED;
    }
    memcpy(local_m, network_place(self, node), self->cfg->dim * sizeof *local_m);
    if (origin_m != NULL) {
        memcpy(origin_m, self->origin_m, self->cfg->dim * sizeof *origin_m);
    }
    return network_state(self, node) == CAIRN_NODE_FLIP_POSSIBLE ? CAIRN_FLIP_POSSIBLE : CAIRN_OK;
}

cairn_status cairn_network_get_place(const cairn_network_t *self, uint32_t node, cairn_real *place_m, cairn_real *std_m)
{
    const cairn_status status = cairn_network_get_local(self, node, place_m, NULL);

    if (status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE) {
        for (size_t i = 0; i < self->cfg->dim; ++i) {
            place_m[i] += self->origin_m[i];
        }
        if (std_m != NULL) {
            *std_m = self->memory.std_m[node];
        }
    }
    return status;
}

cairn_node_state cairn_network_get_state(const cairn_network_t *self, uint32_t node)
{
    return self != NULL && node < self->n_nodes ? network_state(self, node) : CAIRN_NODE_UNPLACED;
}

uint32_t cairn_network_degree(const cairn_network_t *self, uint32_t node)
{
    return self != NULL && self->sealed && node < self->n_nodes ? network_degree(self, node) : 0;
}

const cairn_link_t *cairn_network_link(const cairn_network_t *self, uint32_t node, uint32_t j)
{
    return j < cairn_network_degree(self, node) ? network_link(self, node, j) : NULL;
}

cairn_real cairn_network_variance(const cairn_network_t *self, const cairn_link_t *link, cairn_real distance_m)
{
    const uint32_t code = link->node_and_std >> LINK_STD_SHIFT;
    const cairn_real rel_m = self->cfg->noise_rel * distance_m;
    const cairn_real floor_m = STD_FLOOR_REL * distance_m;
    const cairn_real abs_m = code != 0 ? decode_std(code) : self->cfg->noise_abs_m;
    const cairn_real variance = abs_m * abs_m + (code != 0 ? 0 : rel_m * rel_m);

    return cairn_max(variance, floor_m * floor_m + VARIANCE_LEAST);
}
