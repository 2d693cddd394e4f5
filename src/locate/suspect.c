/* SPDX-License-Identifier: MIT
 * Suspect. The map is bent by what is wrong, so a hypothesis is not judged at the map's places: the nodes concerned are
 * placed anew from their ranges under each of both. Weights are those at the measured ranges, the same for both. */
#include "cairn/suspect.h"

#include "locate/network_internal.h"

#define COST_RATIO 0.25f /* of the cost as it is */
#define COST_LEAST 9     /* odds of about 90 to 1 */
#define WIDEST     16    /* scales of the loss at first, halved to 1: a wide basin, then a sharp minimum */
#define FIT_STD    3     /* deviations within which a range belongs to a place */
#define OFFSET     0.5f  /* of the mean range: starts of the search for a second place */
#define OFFSETS    2     /* rings of starts */
#define NO_NODE    UINT32_MAX

/* The neighbours of a node under a hypothesis. */
typedef struct view {
    const cairn_network_t *network;
    uint32_t node;
    uint32_t swap_a; /* anchors that stand in each other's place; NO_NODE: none */
    uint32_t swap_b;
    bool anchors_only;
    const cairn_real *left_m; /* [dim] ranges that fit this place are left out; NULL: none are */
    cairn_real widen;         /* of the scale at which the loss bends */
} view_t;

static uint32_t stands_for(const view_t *self, uint32_t node)
{
    return node == self->swap_a ? self->swap_b : node == self->swap_b ? self->swap_a : node;
}

static cairn_real standardized(const view_t *self, uint32_t j, const cairn_real *place_m)
{
    const cairn_network_t *network = self->network;
    const cairn_link_t *link = network_link(network, self->node, j);
    const uint32_t other = stands_for(self, cairn_link_node(link));
    const cairn_real distance_m = cairn_distance(place_m, network_place(network, other), network->cfg->dim);

    return (link->range_m - distance_m) / cairn_sqrt(cairn_network_variance(network, link, link->range_m));
}

static bool is_used(const view_t *self, uint32_t j)
{
    const uint32_t other = cairn_link_node(network_link(self->network, self->node, j));

    return network_is_known(self->network, other) && (!self->anchors_only || network_is_anchor(self->network, other)) &&
           (self->left_m == NULL || cairn_abs(standardized(self, j, self->left_m)) > FIT_STD);
}

static void neighbour_of_view(const void *context, size_t j, cairn_neighbour_t *neighbour)
{
    const view_t *self = context;
    const cairn_network_t *network = self->network;
    const cairn_link_t *link = network_link(network, self->node, (uint32_t)j);
    const cairn_real variance = cairn_network_variance(network, link, link->range_m);

    neighbour->place = network_place(network, stands_for(self, cairn_link_node(link)));
    neighbour->range = link->range_m;
    neighbour->weight = is_used(self, (uint32_t)j) ? 1 / variance : 0;
    neighbour->scale = self->widen * cairn_sqrt(variance);
    neighbour->tie = self->node;
    neighbour->side = CAIRN_SIDE_BOTH;
}

static uint32_t count_used(const view_t *self)
{
    uint32_t n = 0;

    for (uint32_t j = 0; j < network_degree(self->network, self->node); ++j) {
        n += is_used(self, j) ? 1u : 0u;
    }
    return n;
}

static cairn_status check(const cairn_network_t *network, const cairn_real *work, size_t work_reals, const void *result)
{
    if (network == NULL || work == NULL || result == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!network->sealed) {
        return CAIRN_ERR_STATE;
    }
    if (!cairn_aligned(work, sizeof *work)) {
        return CAIRN_ERR_ALIGN;
    }
    return work_reals >= CAIRN_SUSPECT_WORK_REALS(network->cfg->dim) ? CAIRN_OK : CAIRN_ERR_SIZE;
}

/* Least cost of a sensor's ranges under a hypothesis. */
static bool fixed_cost(const view_t *view, cairn_real *work, cairn_real *cost)
{
    const size_t dim = view->network->cfg->dim;
    cairn_anchors_result_t fixed = {0, 0};

    if (cairn_anchors_fix(&cairn_anchors_cfg_default, neighbour_of_view, view,
                          network_degree(view->network, view->node), dim, work, CAIRN_ANCHORS_WORK_REALS(dim),
                          work + CAIRN_ANCHORS_WORK_REALS(dim), &fixed) < 0) {
        return false;
    }
    *cost += fixed.cost;
    return true;
}

/* Ranges between anchors need no placement. */
static void add_anchor_links(const cairn_network_t *network, uint32_t anchor, uint32_t partner, cairn_suspect_t *sums)
{
    const view_t stated = {network, anchor, NO_NODE, NO_NODE, true, NULL, 1};
    const view_t exchanged = {network, anchor, anchor, partner, true, NULL, 1};

    for (uint32_t j = 0; j < network_degree(network, anchor); ++j) {
        const uint32_t other = cairn_link_node(network_link(network, anchor, j));
        if (other != partner && network_is_anchor(network, other)) {
            const cairn_real before = standardized(&stated, j, network_place(network, anchor));
            const cairn_real after = standardized(&exchanged, j, network_place(network, partner));
            sums->as_is += before * before;
            sums->otherwise += after * after;
            ++sums->n_links;
        }
    }
}

static bool hears(const cairn_network_t *network, uint32_t node, uint32_t other)
{
    for (uint32_t j = 0; j < network_degree(network, node); ++j) {
        if (cairn_link_node(network_link(network, node, j)) == other) {
            return true;
        }
    }
    return false;
}

static void add_sensor(const cairn_network_t *network, uint32_t sensor, uint32_t a, uint32_t b, cairn_real *work,
                       cairn_suspect_t *sums)
{
    view_t view = {network, sensor, NO_NODE, NO_NODE, true, NULL, 1};
    cairn_real as_is = 0;
    cairn_real otherwise = 0;

    view.anchors_only = count_used(&view) >= network->cfg->dim + 2u; /* one more than a place has unknowns */
    if (!fixed_cost(&view, work, &as_is)) {
        return;
    }
    view.swap_a = a;
    view.swap_b = b;
    if (fixed_cost(&view, work, &otherwise)) {
        sums->n_links += count_used(&view);
        sums->as_is += as_is;
        sums->otherwise += otherwise;
    }
}

static bool is_better(const cairn_suspect_t *sums)
{
    return sums->otherwise < COST_RATIO * sums->as_is && sums->as_is - sums->otherwise > COST_LEAST;
}

cairn_status cairn_suspect_swap(const cairn_network_t *network, uint32_t a, uint32_t b, cairn_real *work,
                                size_t work_reals, cairn_suspect_t *result)
{
    cairn_suspect_t sums = {0, 0, 0};
    const cairn_status status = check(network, work, work_reals, result);

    if (status != CAIRN_OK) {
        return status;
    }
    if (a >= network->n_nodes || b >= network->n_nodes) {
        return CAIRN_ERR_UNKNOWN_ID;
    }
    if (a == b || !network_is_anchor(network, a) || !network_is_anchor(network, b)) {
        return CAIRN_ERR_ARG;
    }
    add_anchor_links(network, a, b, &sums);
    add_anchor_links(network, b, a, &sums);
    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        if (!network_is_anchor(network, i) && (hears(network, i, a) || hears(network, i, b))) {
            add_sensor(network, i, a, b, work, &sums);
        }
    }
    *result = sums;
    return is_better(&sums) ? CAIRN_REJECTED : CAIRN_OK;
}

/* Whether a sensor or an anchor ranges to both. */
static bool share_a_listener(const cairn_network_t *network, uint32_t a, uint32_t b)
{
    for (uint32_t j = 0; j < network_degree(network, a); ++j) {
        if (hears(network, cairn_link_node(network_link(network, a, j)), b)) {
            return true;
        }
    }
    return false;
}

bool cairn_suspect_next_pair(const cairn_network_t *network, uint32_t *a, uint32_t *b)
{
    const uint32_t n_nodes = network != NULL && a != NULL && b != NULL && network->sealed ? network->n_nodes : 0;

    if (n_nodes == 0) {
        return false;
    }
    for (++*a; *b < n_nodes; ++*b, *a = 0) {
        for (; *a < *b && network_is_anchor(network, *b); ++*a) {
            if (network_is_anchor(network, *a) && share_a_listener(network, *a, *b)) {
                return true;
            }
        }
    }
    return false;
}

/* How many ranges belong to a place. */
static uint32_t count_fits(const view_t *view, const cairn_real *place_m)
{
    uint32_t n = 0;

    for (uint32_t j = 0; j < network_degree(view->network, view->node); ++j) {
        n += is_used(view, j) && cairn_abs(standardized(view, j, place_m)) <= FIT_STD ? 1u : 0u;
    }
    return n;
}

static cairn_real mean_range_m(const view_t *view)
{
    const uint32_t degree = network_degree(view->network, view->node);
    cairn_real sum_m = 0;

    for (uint32_t j = 0; j < degree; ++j) {
        sum_m += network_link(view->network, view->node, j)->range_m;
    }
    return sum_m / (cairn_real)(degree > 0 ? degree : 1u);
}

/* Follow the minimum of a redescending loss while its bend narrows. */
static bool follow(const view_t *view, cairn_real *work, cairn_real *place_m)
{
    const size_t dim = view->network->cfg->dim;
    cairn_place_cfg_t cfg = cairn_place_cfg_default;
    view_t narrowing = *view;

    cfg.loss = &cairn_loss_redescend;
    for (narrowing.widen = WIDEST; narrowing.widen >= 1; narrowing.widen *= 0.5f) {
        if (cairn_place(&cfg, neighbour_of_view, &narrowing, network_degree(view->network, view->node), place_m, dim,
                        work, CAIRN_PLACE_WORK_REALS(dim), NULL) < 0) {
            return false;
        }
    }
    return true;
}

/* The place that most ranges agree on, by a redescending loss from the present place and from rings of starts round it.
 * Returns how many agree. */
static uint32_t find_consensus(const view_t *view, cairn_real *work, cairn_real *place_m)
{
    const cairn_network_t *network = view->network;
    const size_t dim = network->cfg->dim;
    uint32_t most = 0;

    for (size_t k = 0; k <= (size_t)OFFSETS * 2 * dim; ++k) {
        const size_t ring = k > 0 ? (k - 1u) / (2 * dim) + 1u : 0;
        const cairn_real step_m = OFFSET * mean_range_m(view) * (cairn_real)ring;
        cairn_real start_m[CAIRN_LOCATE_DIM_MAX];
        uint32_t n_fits;
        memcpy(start_m, network_place(network, view->node), dim * sizeof *start_m);
        if (k > 0) {
            start_m[(k - 1u) / 2 % dim] += k % 2 == 0 ? step_m : -step_m;
        }
        if (!follow(view, work, start_m)) {
            continue;
        }
        n_fits = count_fits(view, start_m);
        if (n_fits > most) {
            most = n_fits;
            memcpy(place_m, start_m, dim * sizeof *place_m);
        }
    }
    return most;
}

/* Cost of the ranges, each held against the nearer of two places. */
static cairn_real cost_of_both(const view_t *view, const cairn_real *first_m, const cairn_real *second_m)
{
    cairn_real cost = 0;

    for (uint32_t j = 0; j < network_degree(view->network, view->node); ++j) {
        if (is_used(view, j)) {
            const cairn_real least =
                cairn_min(cairn_abs(standardized(view, j, first_m)), cairn_abs(standardized(view, j, second_m)));
            cost += least * least;
        }
    }
    return cost;
}

cairn_status cairn_suspect_double(const cairn_network_t *network, uint32_t node, cairn_real *work, size_t work_reals,
                                  cairn_real *place_m, cairn_suspect_t *result)
{
    view_t all = {network, node, NO_NODE, NO_NODE, false, NULL, 1};
    view_t rest = all;
    cairn_real *first_m;
    cairn_real *second_m;
    cairn_suspect_t sums = {0, 0, 0};
    uint32_t least;
    cairn_status status = place_m != NULL ? check(network, work, work_reals, result) : CAIRN_ERR_ARG;

    if (status != CAIRN_OK) {
        return status;
    }
    if (node >= network->n_nodes) {
        return CAIRN_ERR_UNKNOWN_ID;
    }
    if (!network_is_known(network, node)) {
        return CAIRN_ERR_ARG;
    }
    least = network->cfg->dim + 2u;
    first_m = work + CAIRN_ANCHORS_WORK_REALS(network->cfg->dim);
    second_m = first_m + network->cfg->dim;
    sums.n_links = count_used(&all);
    if (!fixed_cost(&all, work, &sums.as_is)) {
        sums.as_is = cost_of_both(&all, network_place(network, node), network_place(network, node));
    }
    sums.otherwise = sums.as_is;
    rest.left_m = first_m;
    if (find_consensus(&all, work, first_m) >= least && find_consensus(&rest, work, second_m) + 1u >= least &&
        count_fits(&all, second_m) >= least) { /* a range may fit both */
        sums.otherwise = cost_of_both(&all, first_m, second_m);
    }
    *result = sums;
    if (!is_better(&sums) || !(sums.otherwise <= FIT_STD * (cairn_real)sums.n_links)) {
        return CAIRN_OK;
    }
    for (size_t k = 0; k < network->cfg->dim; ++k) {
        place_m[k] = first_m[k] + network->origin_m[k];
        place_m[network->cfg->dim + k] = second_m[k] + network->origin_m[k];
    }
    return CAIRN_REJECTED;
}
