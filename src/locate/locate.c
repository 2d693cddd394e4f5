/* SPDX-License-Identifier: MIT
 * Locate: entry, slicing and getters. Source: thesis chapter 5 (PLACEMENT, FINDMOREANCHORS), place-family section 6.
 * What we changed: shortest paths give every sensor a first place (the thesis needs a start), starts are priors of
 * estimated deviation (the thesis stops early instead), ranges weigh by their noise. One file a stage. */
#include "locate/locate_internal.h"

#include "locate/span_internal.h"

#define DISC_MEAN_DISTANCE 1.5f /* radio range over mean distance of neighbours in a disc */
#define SHORT_RANGE                                                                                                    \
    0.7f                    /* of the radio range: shorter ranges weigh no more (measured: .05 to 1 tried on n = 1000
                                    and 4000; .7 has the least error, below .35 the sweeps crawl) */
#define RANGE_BLIND    1    /* metre: the mean range of a network without any, for the deviations of its starts */
#define ROUNDS_A_SWEEP 1    /* Newton rounds of a node: its neighbours will move again */
#define RELAXATION     1.7f /* measured: 40 sweeps reach what 200 plain ones do at n = 1000 and 4000; 1.85 overshoots */

const cairn_locate_cfg_t cairn_locate_cfg_default = {NULL, 60, 10, 1e-3f, 0, 0};

bool cairn_locate_pass(cairn_locate_t *self, int32_t *operations, locate_visit_fn visit)
{
    const uint32_t n_nodes = self->network->n_nodes;

    while (*operations > 0 && self->cursor < n_nodes) {
        *operations -= (int32_t)visit(self, self->cursor++);
    }
    if (self->cursor < n_nodes) {
        return false;
    }
    self->cursor = 0;
    return true;
}

void cairn_locate_enter(cairn_locate_t *self, cairn_locate_stage stage)
{
    self->stage = stage;
    self->phase = 0;
    self->pass = 0;
    self->cursor = 0;
    self->n_changed = 0;
    self->sum = 0;
    self->sum2 = 0;
}

cairn_status cairn_locate_check_cfg(const cairn_locate_cfg_t *cfg)
{
    if (!cairn_isfinite(cfg->tolerance) || !cairn_isfinite(cfg->start_std_m) || !cairn_isfinite(cfg->radio_range_m)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (cfg->sweeps_max == 0 || cfg->tolerance < 0 || cfg->start_std_m < 0 || cfg->radio_range_m < 0 ||
        cfg->start_std_m > CAIRN_NETWORK_LENGTH_MOST || cfg->radio_range_m > CAIRN_NETWORK_LENGTH_MOST) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

/* Centre and extent of the anchors, and whether they fix a map; starts fix it as well. */
static cairn_status check_anchors(cairn_locate_t *self)
{
    const cairn_network_t *network = self->network;
    span_t span;

    cairn_span_anchors(&span, network);
    memcpy(self->centre_m, span.centre_m, sizeof self->centre_m);
    self->extent_m = span.extent_m;
    return network->n_starts > 0 || span.n_axes == network->cfg->dim ? CAIRN_OK : CAIRN_ERR_GEOMETRY;
}

/* Mean and longest range, from the sealed rows so that the order of arrival has no influence. */
static void measure_ranges(cairn_locate_t *self)
{
    const cairn_network_t *network = self->network;

    for (uint32_t k = 0; k < network->n_ranges; ++k) {
        const cairn_real range_m = upper_links(network)[k].range_m;
        self->mean_range_m += range_m / (cairn_real)network->n_ranges;
        self->longest_m = cairn_max(self->longest_m, range_m);
    }
    if (network->n_ranges == 0) {
        self->mean_range_m = RANGE_BLIND;
    }
    self->radio_range_m = self->cfg->radio_range_m > 0 ? cairn_max(self->cfg->radio_range_m, CAIRN_NETWORK_LENGTH_LEAST)
                                                       : DISC_MEAN_DISTANCE * self->mean_range_m;
}

cairn_status cairn_locate_init(cairn_locate_t *self, const cairn_locate_cfg_t *cfg, cairn_network_t *network,
                               cairn_word_t *work, size_t work_len)
{
    cairn_locate_t begun;
    cairn_status status;
    size_t dim;

    if (self == NULL || cfg == NULL || network == NULL || work == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = cairn_locate_check_cfg(cfg);
    if (status != CAIRN_OK) {
        return status;
    }
    dim = network->cfg->dim;
    if (!cairn_aligned(work, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    if (work_len < CAIRN_LOCATE_WORDS(network->n_nodes, dim)) {
        return CAIRN_ERR_SIZE;
    }
    if (network->n_anchors + network->n_starts < dim + 1u) {
        return CAIRN_ERR_ANCHORS;
    }
    memset(&begun, 0, sizeof begun);
    begun.cfg = cfg;
    begun.network = network;
    begun.work = work;
    status = check_anchors(&begun);
    if (status == CAIRN_OK) {
        status = cairn_network_seal(network);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    measure_ranges(&begun);
    begun.fix = cairn_anchors_cfg_default;
    begun.fix.place.loss = cfg->loss;
    begun.sweep = begun.fix.place;
    begun.sweep.rounds_max = ROUNDS_A_SWEEP;
    begun.sweep.relaxation = RELAXATION;
    *self = begun;
    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        memcpy(locate_start(self, i), network_place(network, i), dim * sizeof(cairn_real));
    }
    cairn_locate_enter(self, CAIRN_LOCATE_JUDGE);
    return CAIRN_OK;
}

/* Work on the present stage until it ends or the budget is spent. */
static void work_on_stage(cairn_locate_t *self, int32_t *operations)
{
    switch (self->stage) {
    case CAIRN_LOCATE_JUDGE: cairn_locate_judge(self, operations); break;
    case CAIRN_LOCATE_PATHS: cairn_locate_paths(self, operations); break;
    case CAIRN_LOCATE_DISCOVER: cairn_locate_discover(self, operations); break;
    case CAIRN_LOCATE_SWEEP: cairn_locate_sweep(self, operations); break;
    default: cairn_locate_quality(self, operations); break;
    }
}

cairn_status cairn_locate_step(cairn_locate_t *self, uint32_t operations)
{
    int32_t left = network_budget(operations);

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    while (left > 0 && self->stage != CAIRN_LOCATE_DONE) {
        work_on_stage(self, &left);
    }
    if (self->stage != CAIRN_LOCATE_DONE) {
        return CAIRN_MORE;
    }
    return self->converged ? CAIRN_OK : CAIRN_NOT_CONVERGED;
}

size_t cairn_locate_neighbours_begin(locate_neighbours_t *self, const cairn_locate_t *locate, uint32_t node)
{
    self->locate = locate;
    self->node = node;
    self->degree = network_degree(locate->network, node);
    self->marked_only = false;
    return (size_t)self->degree + (locate_has_start(locate, node) ? 1u : 0u);
}

/* The distance at which a range's noise is judged: the present one, kept within what the measured one allows, and not
 * so short that a few short ranges become rigid sticks. */
static cairn_real noise_distance_m(const cairn_locate_t *locate, cairn_real distance_m, cairn_real range_m)
{
    const cairn_real sigma = locate->network->cfg->noise_rel;
    const cairn_real least_m = range_m / (1 + 3 * sigma);
    const cairn_real most_m = range_m / cairn_max(1 - 2 * sigma, 0.5f);
    const cairn_real clamped_m = cairn_min(cairn_max(distance_m, least_m), most_m);

    return cairn_max(clamped_m, SHORT_RANGE * locate->radio_range_m);
}

static void set_noise(const cairn_locate_t *locate, cairn_real variance, cairn_neighbour_t *neighbour)
{
    const cairn_loss_t *loss = locate->cfg->loss;

    neighbour->scale = 1;
    neighbour->weight = 1 / variance; /* normal noise */
    if (loss != NULL && loss != &cairn_loss_squared) {
        neighbour->scale = cairn_sqrt(variance);
        neighbour->weight = loss->singular ? 1 / neighbour->scale : neighbour->weight; /* Laplace noise */
    }
}

void cairn_locate_neighbour(const void *context, size_t j, cairn_neighbour_t *neighbour)
{
    const locate_neighbours_t *self = context;
    const cairn_locate_t *locate = self->locate;
    const cairn_network_t *network = locate->network;
    const size_t dim = network->cfg->dim;
    const cairn_link_t *link;
    uint32_t other;
    cairn_real distance_m;

    neighbour->side = CAIRN_SIDE_BOTH;
    if (j >= self->degree) {
        neighbour->place = locate_start(locate, self->node);
        neighbour->range = 0;
        neighbour->tie = self->node;
        set_noise(locate, locate->start_std_m * locate->start_std_m, neighbour);
        return;
    }
    link = network_link(network, self->node, (uint32_t)j);
    other = cairn_link_node(link);
    neighbour->place = network_place(network, other);
    neighbour->range = link->range_m;
    neighbour->tie = 2 * other + (other < self->node ? 1u : 0u);
    distance_m = cairn_distance(network_place(network, self->node), neighbour->place, dim);
    set_noise(locate, cairn_network_variance(network, link, noise_distance_m(locate, distance_m, link->range_m)),
              neighbour);
    if (!network_is_known(network, other) || (self->marked_only && locate_marks(locate)[other].index == 0)) {
        neighbour->weight = 0;
    }
}

cairn_locate_stage cairn_locate_get_stage(const cairn_locate_t *self) { return self->stage; }

uint32_t cairn_locate_get_sweeps(const cairn_locate_t *self) { return self->n_sweeps; }

cairn_real cairn_locate_get_cost(const cairn_locate_t *self) { return self->cost; }

cairn_real cairn_locate_get_start_std(const cairn_locate_t *self) { return self->start_std_m; }

/* Shares of the bar, and passes of each stage; a stage with a limit of passes takes that. */
cairn_real cairn_locate_get_progress(const cairn_locate_t *self)
{
    static const cairn_real begin[] = {0, 0, 0.2f, 0.3f, 0.9f, 1, 1};
    static const uint8_t n_passes[] = {1, 2, 0, 0, ROUNDS_OF_QUALITY + 1, 1};
    const cairn_locate_stage stage = self->stage;
    const uint32_t limit = stage == CAIRN_LOCATE_SWEEP ? self->cfg->sweeps_max : self->cfg->discovery_max + 1u;
    const cairn_real most = (cairn_real)(n_passes[stage] > 0 ? n_passes[stage] : limit);

    return begin[stage] + cairn_min((cairn_real)self->pass / most, 1) * (begin[stage + 1u] - begin[stage]);
}
