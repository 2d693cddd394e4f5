/* SPDX-License-Identifier: MIT
 * Learning the weights of kinds of links from pairs, and pinned nodes. Source: Lin (2012), 9.4 and 9.5. What we changed:
 * the objective is divided by the variance of the nodes, because else it shrinks with every step of the walk whatever the
 * weights are; the gradient has the factor that the printed one lacks. Value and derivatives walk as one block. */
#include "cairn/steer.h"

#define STEPS_MAX  64u
#define LOG_MOST   8
#define TERMS      12 /* of the exponential series: its argument is below 1 */
#define HALVINGS   8  /* 2^-8 x 8 < 1 */
#define GOLDEN_64  UINT64_C(0x9E3779B97F4A7C15)
#define SPREAD_MIN 1e-12f /* of the variance, relative to the largest square */

/* exp(x) for |x| <= 8 without libm, the same bits on all targets: the series of x / 2^8, squared eight times. */
static cairn_real exponential(cairn_real x)
{
    cairn_real sum = 1;
    cairn_real term = 1;
    const cairn_real small = x * (cairn_real)(1.0f / 256.0f);

    for (int k = 1; k <= TERMS; ++k) {
        term *= small / (cairn_real)k;
        sum += term;
    }
    for (int k = 0; k < HALVINGS; ++k) {
        sum *= sum;
    }
    return sum;
}

cairn_status cairn_steer_init(cairn_steer_t *self, const cairn_walk_t *const *kind, uint32_t n_kinds)
{
    if (self == NULL || kind == NULL || n_kinds < 1 || n_kinds > CAIRN_STEER_KINDS_MAX) {
        return CAIRN_ERR_ARG;
    }
    for (uint32_t k = 0; k < n_kinds; ++k) {
        if (kind[k] == NULL || kind[k]->multiply == NULL || kind[k]->stochastic || kind[k]->n_nodes == 0 ||
            kind[k]->n_nodes != kind[0]->n_nodes) {
            return CAIRN_ERR_ARG;
        }
    }
    memset(self, 0, sizeof *self);
    for (uint32_t k = 0; k < n_kinds; ++k) {
        self->kind[k] = kind[k];
    }
    self->n_kinds = n_kinds;
    self->n_nodes = kind[0]->n_nodes;
    return CAIRN_OK;
}

/* Parts are the parts of one kind after the other; the vectors go in weighted. */
static void multiply_kinds(const cairn_walk_t *walk, uint32_t begin, uint32_t end, size_t n_columns,
                           const cairn_real *x, cairn_real *y)
{
    const cairn_steer_t *self = walk->context;
    uint32_t first = 0;

    for (uint32_t k = 0; k < self->n_kinds; ++k) {
        const uint32_t n_parts = self->kind[k]->n_parts;
        const uint32_t from = begin > first ? begin - first : 0u;
        const uint32_t to = end > first ? (end - first < n_parts ? end - first : n_parts) : 0u;
        const cairn_real weight = exponential(self->log_weight[k]);
        for (size_t i = 0; i < self->n_nodes * n_columns && from < to; ++i) {
            self->scratch[i] = weight * x[i];
        }
        if (from < to) {
            self->kind[k]->multiply(self->kind[k], from, to, n_columns, self->scratch, y);
        }
        first += n_parts;
    }
}

cairn_status cairn_steer_walk(cairn_steer_t *self, cairn_real *scratch, size_t n_scratch, size_t columns,
                              cairn_walk_t *walk)
{
    if (self == NULL || scratch == NULL || walk == NULL || columns < 1 || columns > CAIRN_WALK_COLUMNS_MAX) {
        return CAIRN_ERR_ARG;
    }
    if (n_scratch < CAIRN_STEER_REALS(self->n_nodes, columns)) {
        return CAIRN_ERR_SIZE;
    }
    self->scratch = scratch;
    self->n_scratch = n_scratch;
    memset(walk, 0, sizeof *walk);
    walk->n_nodes = self->n_nodes;
    for (uint32_t k = 0; k < self->n_kinds; ++k) {
        walk->n_parts += self->kind[k]->n_parts;
        walk->n_links += self->kind[k]->n_links;
    }
    walk->context = self;
    walk->id = self->kind[0]->id;
    walk->multiply = multiply_kinds;
    return CAIRN_OK;
}

/* Uniform in (-1, 1), from a hash. */
static cairn_real hashed(uint32_t node, uint64_t seed)
{
    uint64_t mixed = node + GOLDEN_64 * (seed + 1u);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    mixed ^= mixed >> 31;
    return (cairn_real)((int32_t)(mixed >> 40) - 8388608) * (cairn_real)(1.0f / 8388608.0f);
}

/* The block that walks: v and its derivatives by each log weight, interleaved; what one kind makes of it; the sum. */
typedef struct learner {
    const cairn_steer_t *steer;
    size_t columns; /* kinds + 1 */
    cairn_real *x;
    cairn_real *product;
    cairn_real *sum;
    cairn_real *degree;      /* weighted, of all kinds */
    cairn_real *degree_kind; /* [n_nodes x n_kinds] weighted */
} learner_t;

static void lay_out(learner_t *self, const cairn_steer_t *steer, cairn_real *work)
{
    const size_t block = steer->n_nodes * (steer->n_kinds + 1u);

    self->steer = steer;
    self->columns = steer->n_kinds + 1u;
    self->x = work;
    self->product = self->x + block;
    self->sum = self->product + block;
    self->degree = self->sum + block;
    self->degree_kind = self->degree + steer->n_nodes;
}

static void find_degrees(const learner_t *self)
{
    const cairn_steer_t *steer = self->steer;

    memset(self->degree, 0, steer->n_nodes * sizeof *self->degree);
    for (uint32_t k = 0; k < steer->n_kinds; ++k) {
        const cairn_real weight = exponential(steer->log_weight[k]);
        for (uint32_t i = 0; i < steer->n_nodes; ++i) {
            self->x[i] = weight;
            self->product[i] = 0;
        }
        steer->kind[k]->multiply(steer->kind[k], 0, steer->kind[k]->n_parts, 1, self->x, self->product);
        for (uint32_t i = 0; i < steer->n_nodes; ++i) {
            self->degree_kind[(size_t)i * steer->n_kinds + k] = self->product[i];
            self->degree[i] += self->product[i];
        }
    }
}

/* v = W v, and by the product rule g_k = W g_k + (a_k A_k v - a_k d_k v_new) / d. */
static void walk_on(const learner_t *self)
{
    const cairn_steer_t *steer = self->steer;
    const size_t c = self->columns;

    memset(self->sum, 0, steer->n_nodes * c * sizeof *self->sum);
    for (uint32_t k = 0; k < steer->n_kinds; ++k) {
        const cairn_real weight = exponential(steer->log_weight[k]);
        memset(self->product, 0, steer->n_nodes * c * sizeof *self->product);
        steer->kind[k]->multiply(steer->kind[k], 0, steer->kind[k]->n_parts, c, self->x, self->product);
        for (uint32_t i = 0; i < steer->n_nodes; ++i) {
            for (size_t j = 0; j < c; ++j) {
                self->sum[i * c + j] += weight * self->product[i * c + j];
            }
            self->sum[i * c + k + 1u] += weight * self->product[i * c];
        }
    }
    for (uint32_t i = 0; i < steer->n_nodes; ++i) {
        const cairn_real inverse = self->degree[i] > 0 ? 1 / self->degree[i] : (cairn_real)0;
        const cairn_real value = self->sum[i * c] * inverse;
        self->x[i * c] = value;
        for (size_t k = 0; k < steer->n_kinds; ++k) {
            self->x[i * c + k + 1u] =
                (self->sum[i * c + k + 1u] - self->degree_kind[i * steer->n_kinds + k] * value) * inverse;
        }
    }
}

/* Take the mean out of v and bring its largest entry to 1; derivatives shrink and grow with it. Neither changes the
 * objective. */
static void renew(const learner_t *self)
{
    const size_t c = self->columns;
    const uint32_t n = self->steer->n_nodes;
    cairn_real mean = 0;
    cairn_real largest = 0;

    for (uint32_t i = 0; i < n; ++i) {
        mean += self->x[i * c] / (cairn_real)n;
    }
    for (uint32_t i = 0; i < n; ++i) {
        self->x[i * c] -= mean;
        largest = cairn_max(largest, cairn_abs(self->x[i * c]));
    }
    for (size_t i = 0; i < n * c && largest > 0; ++i) {
        self->x[i] /= largest;
    }
}

/* Adds the mean square of the pairs, and its derivatives behind it, times sign, to total [columns]. */
static void add_pairs(const learner_t *self, const uint32_t *a, const uint32_t *b, size_t n, cairn_real sign,
                      cairn_real *total)
{
    const size_t c = self->columns;

    for (size_t p = 0; p < n; ++p) {
        const cairn_real *one = self->x + a[p] * c;
        const cairn_real *two = self->x + b[p] * c;
        const cairn_real apart = (one[0] - two[0]) * sign / (cairn_real)n;
        total[0] += apart * (one[0] - two[0]);
        for (size_t k = 1; k < c; ++k) {
            total[k] += 2 * apart * (one[k] - two[k]);
        }
    }
}

/* Objective and gradient; false when the nodes are all alike. */
static bool judge(const learner_t *self, const cairn_steer_pairs_t *pairs, cairn_real *total)
{
    const size_t c = self->columns;
    const uint32_t n = self->steer->n_nodes;
    cairn_real variance[CAIRN_STEER_KINDS_MAX + 1u] = {0};

    memset(total, 0, c * sizeof *total);
    add_pairs(self, pairs->must_a, pairs->must_b, pairs->n_must, 1, total);
    add_pairs(self, pairs->cannot_a, pairs->cannot_b, pairs->n_cannot, -1, total);
    for (uint32_t i = 0; i < n; ++i) { /* the mean of v is 0 */
        const cairn_real share = self->x[i * c] / (cairn_real)n;
        variance[0] += share * self->x[i * c];
        for (size_t k = 1; k < c; ++k) {
            variance[k] += 2 * share * self->x[i * c + k];
        }
    }
    if (!(variance[0] > SPREAD_MIN)) {
        return false;
    }
    total[0] /= variance[0];
    for (size_t k = 1; k < c; ++k) {
        total[k] = (total[k] - total[0] * variance[k]) / variance[0];
    }
    return true;
}

static cairn_status check_ends(const uint32_t *a, const uint32_t *b, size_t n, uint32_t n_nodes)
{
    if (n > 0 && (a == NULL || b == NULL)) {
        return CAIRN_ERR_ARG;
    }
    for (size_t p = 0; p < n; ++p) {
        if (a[p] >= n_nodes || b[p] >= n_nodes) {
            return CAIRN_ERR_UNKNOWN_ID;
        }
    }
    return CAIRN_OK;
}

static cairn_status check_pairs(const cairn_steer_t *self, const cairn_steer_pairs_t *pairs)
{
    const cairn_status status = check_ends(pairs->must_a, pairs->must_b, pairs->n_must, self->n_nodes);

    if (pairs->n_must + pairs->n_cannot == 0) {
        return CAIRN_ERR_ARG;
    }
    return status != CAIRN_OK ? status : check_ends(pairs->cannot_a, pairs->cannot_b, pairs->n_cannot, self->n_nodes);
}

/* Against the gradient, by a step of this length. */
static void descend(cairn_steer_t *self, const cairn_real *gradient, cairn_real rate)
{
    cairn_real square = 0;

    for (uint32_t k = 0; k < self->n_kinds; ++k) {
        square += gradient[k] * gradient[k];
    }
    for (uint32_t k = 0; k < self->n_kinds && square > 0; ++k) {
        const cairn_real moved = self->log_weight[k] - rate * gradient[k] / cairn_sqrt(square);
        self->log_weight[k] = cairn_min(cairn_max(moved, -LOG_MOST), LOG_MOST);
    }
}

cairn_status cairn_steer_learn(cairn_steer_t *self, const cairn_steer_pairs_t *pairs, uint32_t n_steps, uint64_t seed,
                               cairn_real rate, cairn_real *work, size_t n_work, cairn_real *cost, cairn_real *gradient)
{
    cairn_real total[CAIRN_STEER_KINDS_MAX + 1u];
    learner_t learner;
    cairn_status status;

    if (self == NULL || pairs == NULL || work == NULL || n_steps < 1 || n_steps > STEPS_MAX || rate < 0) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(rate)) {
        return CAIRN_ERR_NONFINITE;
    }
    status = n_work < CAIRN_STEER_LEARN_REALS(self->n_nodes, self->n_kinds) ? CAIRN_ERR_SIZE : check_pairs(self, pairs);
    if (status != CAIRN_OK) {
        return status;
    }
    lay_out(&learner, self, work);
    find_degrees(&learner);
    memset(learner.x, 0, self->n_nodes * learner.columns * sizeof *work);
    for (uint32_t i = 0; i < self->n_nodes; ++i) {
        learner.x[i * learner.columns] = hashed(i, seed);
    }
    for (uint32_t t = 0; t < n_steps; ++t) {
        walk_on(&learner);
        renew(&learner);
    }
    if (!judge(&learner, pairs, total)) {
        return CAIRN_UNPLACED;
    }
    if (cost != NULL) {
        *cost = total[0];
    }
    if (gradient != NULL) {
        memcpy(gradient, total + 1, self->n_kinds * sizeof *gradient);
    }
    descend(self, total + 1, rate);
    return CAIRN_OK;
}

cairn_status cairn_steer_settle(const cairn_walk_t *walk, const uint8_t *pinned, uint32_t n_steps, size_t n_columns,
                                cairn_real *place, cairn_real *work, size_t n_work)
{
    cairn_real *degree = work;
    cairn_real *product;
    size_t n;

    if (walk == NULL || walk->multiply == NULL || pinned == NULL || place == NULL || work == NULL || n_steps < 1 ||
        n_steps > UINT16_MAX || n_columns < 1 || n_columns > CAIRN_WALK_COLUMNS_MAX) {
        return CAIRN_ERR_ARG;
    }
    n = walk->n_nodes;
    if (n_work < n * (n_columns + 1u)) {
        return CAIRN_ERR_SIZE;
    }
    for (size_t i = 0; i < n * n_columns; ++i) {
        if (!cairn_isfinite(place[i])) {
            return CAIRN_ERR_NONFINITE;
        }
    }
    product = work + n;
    for (size_t i = 0; i < n; ++i) {
        product[i] = 1;
        degree[i] = 0;
    }
    walk->multiply(walk, 0, walk->n_parts, 1, product, degree);
    for (uint32_t step = 0; step < n_steps; ++step) {
        memset(product, 0, n * n_columns * sizeof *product);
        walk->multiply(walk, 0, walk->n_parts, n_columns, place, product);
        for (size_t i = 0; i < n * n_columns; ++i) {
            const bool is_free = pinned[i / n_columns] == 0 && degree[i / n_columns] > 0;
            place[i] = is_free ? product[i] / degree[i / n_columns] : place[i];
        }
    }
    return CAIRN_OK;
}
