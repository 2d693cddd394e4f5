/* SPDX-License-Identifier: MIT
 * One localization on the heap: a problem with dense node indices in double, solved by the library, with timing. */
#include "locate_job.h"

#include <stdlib.h>
#include <string.h>

#include "locate_bias.h"
#include "memory.h"
#include "network_arrays.h"
#include "stopwatch.h"

static const uint32_t slice_operations = 100000; /* a few milliseconds */
static const double start_std_blind = 0.5;       /* of a range */
static const int bias_rounds = 12;               /* of map and biases in turns */
static const double bias_tolerance = 1e-4;       /* of the mean range: biases that change less stand */

/* The library's objects and their arrays. */
typedef struct workspace {
    cairn_network_cfg_t network_cfg;
    cairn_locate_cfg_t locate_cfg;
    cairn_network_memory_t memory;
    cairn_network_t network;
    cairn_locate_t locate;
    cairn_lift_cfg_t lift_cfg;
    cairn_lift_t lift;
    cairn_coldstart_cfg_t cold_cfg;
    cairn_coldstart_t cold;
    cairn_flat_cfg_t flat_cfg;
    cairn_flat_t flat;
    locate_method_t method; /* chosen */
    bool is_flat;           /* the cold start of flat */
    double share_done;      /* shown so far */
    cairn_real side_m[CAIRN_LOCATE_DIM_MAX];
    bias_estimate_t bias;
    bool *silent; /* [n_nodes] no range leads to the node */
    cairn_word_t *work;
    size_t work_len;
} workspace_t;

static size_t at_least(size_t a, size_t b) { return a > b ? a : b; }

/* Of any method. */
static size_t work_words(const locate_problem_t *problem)
{
    size_t n = problem->n_nodes;
    bool starts = memchr(problem->known, KNOWN_START, n) != NULL;
    size_t cold = starts ? CAIRN_COLDSTART_WORDS(n, problem->dim, 1) : CAIRN_FLAT_WORDS(n, problem->dim, n);
    return at_least(cold, at_least(CAIRN_LOCATE_WORDS(n, problem->dim), CAIRN_LIFT_WORDS(n, problem->dim)));
}

static void allocate(workspace_t *self, const locate_problem_t *problem)
{
    network_arrays_allocate(&self->memory, problem->n_nodes, problem->n_ranges, problem->dim);
    self->silent = memory_zeroed(problem->n_nodes, sizeof *self->silent);
    memset(self->silent, 1, problem->n_nodes * sizeof *self->silent);
    for (size_t i = 0; i < problem->n_ranges; i++) {
        self->silent[problem->range[i].a] = false;
        self->silent[problem->range[i].b] = false;
    }
    self->work_len = work_words(problem);
    self->work = memory_zeroed(self->work_len, sizeof *self->work);
}

static void release(workspace_t *self)
{
    network_arrays_free(&self->memory);
    free(self->silent);
    free(self->work);
    bias_estimate_free(&self->bias);
    free(self);
}

static void configure(workspace_t *self, const locate_problem_t *problem, const locate_options_t *options)
{
    memset(&self->network_cfg, 0, sizeof self->network_cfg);
    self->network_cfg.dim = (uint8_t)problem->dim;
    self->network_cfg.noise_rel = (cairn_real)options->noise_rel;
    self->network_cfg.noise_abs_m = (cairn_real)options->noise_abs_m;
    self->locate_cfg = cairn_locate_cfg_default;
    self->locate_cfg.loss = options->loss;
    self->locate_cfg.radio_range_m = (cairn_real)options->radius_m;
    self->locate_cfg.start_std_m = (cairn_real)options->start_std_m;
    self->cold_cfg = cairn_coldstart_cfg_default;
    self->cold_cfg.locate = self->locate_cfg;
    self->flat_cfg.cold = self->cold_cfg;
    self->lift_cfg = cairn_lift_cfg_default;
    self->lift_cfg.loss = options->loss;
    self->lift_cfg.seed = (uint32_t)options->seed;
    for (size_t k = 0; k < problem->dim && options->side_m != NULL; k++) {
        self->side_m[k] = (cairn_real)(options->side_m[k] - problem->origin_m[k]);
        self->lift_cfg.side_m = self->side_m;
        self->flat_cfg.side_m = self->side_m;
    }
}

/* A start without ranges stays out: a device that is switched off must not push others away, nor be pushed. */
static cairn_status give_known_places(workspace_t *self, const locate_problem_t *problem, known_place_t which)
{
    cairn_network_t *network = &self->network;
    for (size_t i = 0; i < problem->n_nodes; i++) {
        if (problem->known[i] != (uint8_t)which || (which == KNOWN_START && self->silent[i])) {
            continue;
        }
        cairn_real local_m[CAIRN_LOCATE_DIM_MAX];
        for (size_t k = 0; k < problem->dim; k++) {
            local_m[k] = (cairn_real)(problem->known_m[i * problem->dim + k] - problem->origin_m[k]);
        }
        cairn_status status = which == KNOWN_ANCHOR ? cairn_network_set_anchor(network, (uint32_t)i, local_m)
                                                    : cairn_network_set_start(network, (uint32_t)i, local_m);
        if (status < 0) {
            return status;
        }
    }
    return CAIRN_OK;
}

static cairn_status fill(workspace_t *self, const locate_problem_t *problem)
{
    cairn_status status = cairn_network_init(&self->network, &self->network_cfg, &self->memory, problem->n_nodes);
    if (status < 0) {
        return status;
    }
    for (size_t i = 0; i < problem->n_ranges; i++) {
        const range_row_t *row = &problem->range[i];
        status =
            cairn_network_add_range(&self->network, row->a, row->b, (cairn_real)row->range_m, (cairn_real)row->std_m);
        if (status != CAIRN_OK) {
            return status < 0 ? status : CAIRN_ERR_SIZE;
        }
    }
    status = give_known_places(self, problem, KNOWN_ANCHOR);
    return status < 0 ? status : give_known_places(self, problem, KNOWN_START);
}

/* The bar only grows, also where a job goes back to an earlier stage or is run again. */
static void show(workspace_t *self, progress_t *progress, double share, const char *stage)
{
    self->share_done = fmax(self->share_done, share);
    if (progress != NULL) {
        progress_update(progress, self->share_done, stage);
    }
}

static const char *stage_name(cairn_locate_stage stage)
{
    switch (stage) {
    case CAIRN_LOCATE_JUDGE: return "judging starts";
    case CAIRN_LOCATE_PATHS: return "paths";
    case CAIRN_LOCATE_DISCOVER: return "discovery";
    case CAIRN_LOCATE_SWEEP: return "sweeps";
    case CAIRN_LOCATE_QUALITY: return "deviations";
    default: return "";
    }
}

static cairn_status solve_light(workspace_t *self, progress_t *progress)
{
    cairn_status status =
        cairn_locate_init(&self->locate, &self->locate_cfg, &self->network, self->work, self->work_len);
    if (status < 0) {
        return status;
    }
    do {
        status = cairn_locate_step(&self->locate, slice_operations);
        show(self, progress, (double)cairn_locate_get_progress(&self->locate),
             stage_name(cairn_locate_get_stage(&self->locate)));
    } while (status == CAIRN_MORE);
    return status;
}

static const char *cold_stage_name(cairn_coldstart_stage stage)
{
    switch (stage) {
    case CAIRN_COLDSTART_GAUGE: return "a frame";
    case CAIRN_COLDSTART_PLACES:
    case CAIRN_COLDSTART_CLEAN: return "first places";
    case CAIRN_COLDSTART_IRON:
    case CAIRN_COLDSTART_GLOBAL: return "the map as a whole";
    case CAIRN_COLDSTART_STARTS: return "judging starts";
    case CAIRN_COLDSTART_REPAIR:
    case CAIRN_COLDSTART_SETTLE: return "undoing folds";
    case CAIRN_COLDSTART_FINAL: return "to the minimum";
    case CAIRN_COLDSTART_PROBES: return "deviations";
    case CAIRN_COLDSTART_STATES: return "mirror images";
    default: return "";
    }
}

static cairn_status solve_cold(workspace_t *self, progress_t *progress)
{
    cairn_status status =
        cairn_coldstart_init(&self->cold, &self->cold_cfg, &self->network, self->work, self->work_len);
    if (status < 0) {
        return status;
    }
    do {
        status = cairn_coldstart_step(&self->cold, slice_operations);
        show(self, progress, (double)cairn_coldstart_get_progress(&self->cold),
             cold_stage_name(cairn_coldstart_get_stage(&self->cold)));
    } while (status == CAIRN_MORE);
    return status;
}

static cairn_status solve_flat(workspace_t *self, progress_t *progress)
{
    cairn_status status = cairn_flat_init(&self->flat, &self->flat_cfg, &self->network, self->work, self->work_len);
    self->is_flat = status >= 0;
    if (status < 0) {
        return status;
    }
    do {
        status = cairn_flat_step(&self->flat, slice_operations);
        show(self, progress, (double)cairn_flat_get_progress(&self->flat),
             cold_stage_name(cairn_coldstart_get_stage(cairn_flat_get_cold(&self->flat))));
    } while (status == CAIRN_MORE);
    return status;
}

/* Anchors in one plane, or as few as span it. In 2-D only with a side: there an anchor elsewhere is easily had. */
static bool may_be_flat(const workspace_t *self, cairn_status cold_status)
{
    size_t dim = self->network_cfg.dim;
    bool few = cold_status == CAIRN_ERR_ANCHORS && self->network.n_anchors == dim && self->network.n_starts == 0;
    return (cold_status == CAIRN_ERR_GEOMETRY || few) && (dim == 3 || self->flat_cfg.side_m != NULL);
}

static cairn_status solve_once(workspace_t *self, progress_t *progress)
{
    if (self->method != LOCATE_COLD) {
        return solve_light(self, progress);
    }
    cairn_status status = solve_cold(self, progress);
    return may_be_flat(self, status) ? solve_flat(self, progress) : status;
}

static cairn_status solve_lift(workspace_t *self, progress_t *progress)
{
    cairn_bias_t *bias = self->bias.values != NULL ? &self->bias.bias : NULL;
    cairn_status status =
        cairn_lift_init(&self->lift, &self->lift_cfg, &self->network, bias, self->work, self->work_len);
    if (status < 0) {
        return status;
    }
    do {
        status = cairn_lift_step(&self->lift, slice_operations);
        show(self, progress, (double)cairn_lift_get_progress(&self->lift), "sweeps through one dimension more");
    } while (status == CAIRN_MORE);
    if (bias != NULL) {
        bias_estimate_apply(&self->bias, &self->network);
    }
    return status;
}

/* Map and biases in turns; each map from scratch, since the one before is bent by the biases that it did not know. */
static cairn_status solve_in_turns(workspace_t *self, progress_t *progress)
{
    bias_estimate_apply(&self->bias, &self->network);
    double mean_m = 0;
    cairn_status status = CAIRN_OK;
    for (size_t k = 0; k < self->network.n_ranges; k++) {
        mean_m += (double)self->memory.links[k].range_m / (double)self->network.n_ranges;
    }
    for (int round = 0; round < bias_rounds && status >= 0; round++) {
        status = solve_once(self, progress);
        if (status < 0 || bias_estimate_update(&self->bias, &self->network) < bias_tolerance * mean_m) {
            return status;
        }
    }
    return status < 0 ? status : solve_once(self, progress);
}

/* What lift serves: small networks without starts. */
static bool may_lift(const locate_problem_t *problem, const cairn_network_t *network)
{
    return problem->n_nodes <= LOCATE_LIFT_NODES_MAX && network->n_starts == 0 &&
           (network->n_anchors > problem->dim || network->n_anchors == 0);
}

/* Whether nearly all pairs with a sensor in them have a range. */
static bool is_dense(const locate_problem_t *problem, const cairn_network_t *network)
{
    double n = (double)problem->n_nodes;
    double n_anchors = (double)network->n_anchors;
    return (double)network->n_ranges >= LOCATE_DENSE_SHARE * (n * (n - 1) - n_anchors * (n_anchors - 1)) / 2;
}

/* Lift finds biases with the map at once, but folds maps where ranges are missing; bad ranges alone cold bears better. */
static locate_method_t choose_method(const locate_problem_t *problem, const locate_options_t *options,
                                     const cairn_network_t *network)
{
    bool biased = options->bias != LOCATE_BIAS_NONE && options->bias != LOCATE_BIAS_LINK;
    if (options->loss == &cairn_loss_log) {
        return LOCATE_LIFT; /* the others know no logarithms */
    }
    if (options->method != LOCATE_AUTO) {
        return options->method;
    }
    return biased && may_lift(problem, network) && is_dense(problem, network) ? LOCATE_LIFT : LOCATE_COLD;
}

static bool is_nobody_placed(const cairn_network_t *network, size_t n_nodes)
{
    uint32_t n_placed = 0;
    for (uint32_t i = 0; i < n_nodes; i++) {
        cairn_real place_m[CAIRN_LOCATE_DIM_MAX], std_m;
        cairn_status status = cairn_network_get_place(network, i, place_m, &std_m);
        n_placed += status >= 0 && status != CAIRN_UNPLACED ? 1u : 0u;
    }
    return n_placed <= network->n_anchors;
}

static cairn_status solve(workspace_t *self, const locate_problem_t *problem, const locate_options_t *options,
                          progress_t *progress)
{
    cairn_status status = CAIRN_OK;
    if (options->bias != LOCATE_BIAS_NONE && self->network.n_ranges > 0) {
        status = cairn_network_seal(&self->network);
        status = status < 0 ? status : bias_estimate_begin(&self->bias, options, &self->network);
    }
    if (status < 0) {
        return status;
    }
    self->method = choose_method(problem, options, &self->network);
    if (self->method == LOCATE_LIFT) {
        bool shares = self->bias.values != NULL && locate_bias_is_share(options);
        if (shares && options->loss == &cairn_loss_squared) {
            self->lift_cfg.loss = &cairn_loss_log; /* squares of shares would stretch the map, and the shares with it */
        }
        return solve_lift(self, progress);
    }
    if (self->bias.values != NULL) {
        return solve_in_turns(self, progress);
    }
    status = solve_once(self, progress);
    if (self->is_flat && status == CAIRN_NOT_CONVERGED && options->method == LOCATE_AUTO &&
        may_lift(problem, &self->network) && is_nobody_placed(&self->network, problem->n_nodes)) {
        self->method = LOCATE_LIFT; /* sensors that range with anchors only make no map without them */
        self->is_flat = false;
        return solve_lift(self, progress);
    }
    return status;
}

/* Nothing is known of a node but its start; where there are no others, not even how good that is. */
static void stay_at_start(const workspace_t *self, const locate_problem_t *problem, size_t node,
                          locate_answer_t *answer)
{
    double std_m = answer->start_std_m > 0 ? answer->start_std_m : (double)self->locate_cfg.start_std_m;
    answer->has_place[node] = true;
    answer->state[node] = CAIRN_NODE_PLACED;
    answer->std_m[node] = std_m > 0 ? std_m : start_std_blind * problem->range[0].range_m;
    for (size_t k = 0; k < problem->dim; k++) {
        answer->place_m[node * problem->dim + k] = problem->known_m[node * problem->dim + k];
    }
}

static void read_places(const workspace_t *self, const locate_problem_t *problem, locate_answer_t *answer)
{
    size_t dim = problem->dim;
    answer->place_m = memory_zeroed(problem->n_nodes * dim, sizeof *answer->place_m);
    answer->std_m = memory_zeroed(problem->n_nodes, sizeof *answer->std_m);
    answer->state = memory_zeroed(problem->n_nodes, sizeof *answer->state);
    answer->has_place = memory_zeroed(problem->n_nodes, sizeof *answer->has_place);
    for (size_t i = 0; i < problem->n_nodes; i++) {
        cairn_real local_m[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real origin_m[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real whole_m[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real std_m = 0;
        cairn_status status = cairn_network_get_local(&self->network, (uint32_t)i, local_m, origin_m);
        answer->state[i] = (uint8_t)cairn_network_get_state(&self->network, (uint32_t)i);
        answer->has_place[i] = status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE;
        if (self->silent[i] && problem->known[i] == KNOWN_START) {
            stay_at_start(self, problem, i, answer);
            continue;
        }
        if (!answer->has_place[i]) {
            continue;
        }
        status = cairn_network_get_place(&self->network, (uint32_t)i, whole_m, &std_m);
        answer->std_m[i] = status < 0 ? 0 : (double)std_m;
        for (size_t k = 0; k < dim; k++) {
            answer->place_m[i * dim + k] = problem->origin_m[k] + (double)origin_m[k] + (double)local_m[k];
        }
    }
}

static void summarize_solver(const workspace_t *self, locate_answer_t *answer)
{
    switch (self->method) {
    case LOCATE_LIFT:
        answer->n_iterations = cairn_lift_get_sweeps(&self->lift);
        answer->cost = (double)cairn_lift_get_cost(&self->lift);
        break;
    case LOCATE_COLD: {
        const cairn_coldstart_t *cold = self->is_flat ? cairn_flat_get_cold(&self->flat) : &self->cold;
        answer->n_iterations = cairn_coldstart_get_iterations(cold);
        answer->cost = (double)cairn_coldstart_get_cost(cold);
        answer->start_std_m = (double)cairn_locate_get_start_std(&cold->locate);
        break;
    }
    default:
        answer->n_iterations = cairn_locate_get_sweeps(&self->locate);
        answer->cost = (double)cairn_locate_get_cost(&self->locate);
        answer->start_std_m = (double)cairn_locate_get_start_std(&self->locate);
        break;
    }
}

/* The library promises finite results; drawing and printing rely on it. */
static bool is_finite(const locate_problem_t *problem, const locate_answer_t *answer)
{
    for (size_t i = 0; i < problem->n_nodes; i++) {
        bool finite = isfinite(answer->std_m[i]);
        for (size_t k = 0; k < problem->dim; k++) {
            finite = finite && isfinite(answer->place_m[i * problem->dim + k]);
        }
        if (!finite) {
            return false;
        }
    }
    return true;
}

cairn_status locate_job_run(const locate_problem_t *problem, const locate_options_t *options, progress_t *progress,
                            locate_answer_t *answer)
{
    workspace_t *self = memory_zeroed(1, sizeof *self);
    memset(answer, 0, sizeof *answer);
    allocate(self, problem);
    configure(self, problem, options);
    double wall_s = stopwatch_wall_s();
    double processor_s = stopwatch_processor_s();
    cairn_status status = fill(self, problem);
    bool known = self->network.n_anchors > 0;
    bool started = self->network.n_starts > 0;
    if (status >= 0) {
        status = solve(self, problem, options, progress);
    }
    answer->wall_s = stopwatch_wall_s() - wall_s;
    answer->processor_s = stopwatch_processor_s() - processor_s;
    answer->outcome = status;
    if (status >= 0) {
        answer->n_pairs = self->network.n_ranges;
        answer->method = self->method;
        answer->own_frame = !known && (!started || self->method == LOCATE_LIFT);
        summarize_solver(self, answer);
        bias_estimate_summary(&self->bias, answer);
        locate_check_run(&answer->check, &self->network);
        read_places(self, problem, answer);
        if (!is_finite(problem, answer)) {
            status = CAIRN_ERR_NONFINITE;
            locate_answer_free(answer);
        }
    }
    release(self);
    return status;
}

void locate_answer_free(locate_answer_t *answer)
{
    free(answer->place_m);
    free(answer->std_m);
    free(answer->state);
    free(answer->has_place);
    memset(answer, 0, sizeof *answer);
}

static double squared_distance(const double *a, const double *b, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return sum;
}

void locate_answer_compare(const locate_problem_t *problem, const locate_answer_t *answer, const double *truth_m,
                           const bool *has_truth, locate_error_t *error)
{
    double sum_m2 = 0;
    double sum_placed_m2 = 0;
    double max_m2 = 0;
    memset(error, 0, sizeof *error);
    for (size_t i = 0; i < problem->n_nodes; i++) {
        bool wanted = problem->known[i] != KNOWN_ANCHOR && answer->has_place[i] && (has_truth == NULL || has_truth[i]);
        if (!wanted) {
            continue;
        }
        size_t first = i * problem->dim;
        double error_m2 = squared_distance(&answer->place_m[first], &truth_m[first], problem->dim);
        sum_m2 += error_m2;
        max_m2 = error_m2 > max_m2 ? error_m2 : max_m2;
        error->n_compared++;
        if (answer->state[i] == CAIRN_NODE_PLACED) {
            sum_placed_m2 += error_m2;
            error->n_placed++;
        }
    }
    error->rmse_m = error->n_compared > 0 ? sqrt(sum_m2 / (double)error->n_compared) : 0;
    error->rmse_placed_m = error->n_placed > 0 ? sqrt(sum_placed_m2 / (double)error->n_placed) : 0;
    error->max_m = sqrt(max_m2);
}
