/* SPDX-License-Identifier: MIT
 * Power iteration clustering: the block of columns. Source: Lin (2012), chapter 2 and 3.6. What we changed: the constant
 * part, which never changes and would drown the rest in float, is taken out after every step; a uniform link of weight
 * tau keeps outliers from taking a cluster; columns are made orthogonal in the stationary distribution at checkpoints and
 * rotated to the directions that decay least (Ritz vectors), so that each prefix of them is a candidate. */
#include "walk/pic_internal.h"

#define FIELD_MEAN      131070   /* of the sum of four 16-bit fields */
#define FIELD_DEVIATION 37837.0f /* of it: sqrt(4 (2^32 - 1) / 12) */
#define DEPENDENT       1e-5f    /* a column that shrinks more in Gram-Schmidt was a mixture of those before it */
#define JACOBI_SWEEPS   12       /* quadratic convergence: 6 are enough for 8 columns */
#define GOLDEN_64       UINT64_C(0x9E3779B97F4A7C15)

/* Normal deviate, variance 1, from a node's id and a column: nothing to store, the same after each restart. */
static cairn_real hashed_normal(uint32_t id, uint32_t column, uint64_t seed)
{
    uint64_t mixed = ((uint64_t)column << 32 | id) + GOLDEN_64 * (seed + 1u);
    int32_t sum;

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    mixed ^= mixed >> 31;
    sum = (int32_t)(mixed & 0xFFFFu) + (int32_t)((mixed >> 16) & 0xFFFFu) + (int32_t)((mixed >> 32) & 0xFFFFu) +
          (int32_t)(mixed >> 48);
    return (cairn_real)(sum - FIELD_MEAN) / FIELD_DEVIATION;
}

/* Columns are 0 at nodes without links, which thereby drop out of all sums. */
static cairn_real weighted_dot(const cairn_pic_t *self, const cairn_real *x, const cairn_real *y)
{
    const size_t r = self->n_columns;
    const cairn_real *degree = pic_degree(self);
    const cairn_real tau = self->tau;
    pic_sum_t sum = {0, 0, 0};

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i, x += r, y += r) {
        pic_sum_add(&sum, (degree[i] + tau) * *x * *y);
    }
    return pic_sum_get(&sum) / pic_total_mass(self);
}

static cairn_real weighted_mean(const cairn_pic_t *self, const cairn_real *x)
{
    const size_t r = self->n_columns;
    const cairn_real *degree = pic_degree(self);
    const cairn_real tau = self->tau;
    pic_sum_t sum = {0, 0, 0};

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i, x += r) {
        pic_sum_add(&sum, (degree[i] + tau) * *x);
    }
    return pic_sum_get(&sum) / pic_total_mass(self);
}

/* x = (x - shift) * scale on nodes with links; 0 elsewhere. */
static void shift_and_scale(cairn_pic_t *self, cairn_real *x, cairn_real shift, cairn_real scale)
{
    const size_t r = self->n_columns;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        x[i * r] = pic_is_active(self, i) ? (x[i * r] - shift) * scale : 0;
    }
}

static cairn_real inverse_or_zero(cairn_real norm) { return norm > 0 ? 1 / norm : 0; }

/* Take the mean out of a column and give it length 1. */
static void normalise(cairn_pic_t *self, cairn_real *x)
{
    shift_and_scale(self, x, weighted_mean(self, x), 1);
    shift_and_scale(self, x, 0, inverse_or_zero(cairn_sqrt(weighted_dot(self, x, x))));
}

/* Each walk has its own. */
static uint64_t start_seed(const cairn_pic_t *self) { return self->cfg->seed + ((uint64_t)self->n_walked << 32); }

static void draw_column(cairn_pic_t *self, size_t column, uint64_t seed)
{
    const size_t r = self->n_columns;
    cairn_real *u = pic_columns(self) + column;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        const uint32_t id = self->walk.id != NULL ? self->walk.id[i] : i;
        u[i * r] = pic_is_active(self, i) ? hashed_normal(id, (uint32_t)column, seed) : 0;
    }
    normalise(self, u);
}

/* Subtract the parts that lie in earlier columns; returns the length that is left. */
static cairn_real remove_earlier(cairn_pic_t *self, size_t column)
{
    const size_t r = self->n_columns;
    cairn_real *u = pic_columns(self);

    for (size_t c = 0; c < column; ++c) {
        const cairn_real dot = weighted_dot(self, u + column, u + c);
        for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
            u[i * r + column] -= dot * u[i * r + c];
        }
    }
    return cairn_sqrt(weighted_dot(self, u + column, u + column));
}

/* Gram-Schmidt, twice, in the stationary distribution. */
static void orthogonalise_column(cairn_pic_t *self, size_t column)
{
    cairn_real *u = pic_columns(self) + column;
    cairn_real length = remove_earlier(self, column);

    if (!(length > DEPENDENT)) { /* start it anew: the walk has merged it with the others */
        draw_column(self, column, start_seed(self) + self->t + 1u);
        length = remove_earlier(self, column);
    }
    shift_and_scale(self, u, 0, length > DEPENDENT ? 1 / length : 0);
    length = remove_earlier(self, column);
    shift_and_scale(self, u, weighted_mean(self, u), inverse_or_zero(length));
}

void cairn_pic_orthogonalise(cairn_pic_t *self)
{
    for (size_t c = 0; c < self->n_columns; ++c) {
        orthogonalise_column(self, c);
    }
}

void cairn_pic_draw_columns(cairn_pic_t *self)
{
    for (size_t c = 0; c < self->n_columns; ++c) {
        draw_column(self, c, start_seed(self));
    }
    cairn_pic_orthogonalise(self);
}

/* For each column the mean of y and of its square in the stationary distribution, in blocks, as pic_sum_t does. Columns
 * are 0 at nodes without links. */
static void measure_columns(const cairn_pic_t *self, const cairn_real *y, cairn_real *mean, cairn_real *square)
{
    const size_t r = self->n_columns;
    const cairn_real *degree = pic_degree(self);
    const uint32_t n = self->walk.n_nodes;
    const cairn_real share = 1 / pic_total_mass(self);

    for (size_t c = 0; c < r; ++c) {
        cairn_real sum = 0;
        cairn_real sum_square = 0;
        for (uint32_t begin = 0; begin < n; begin += PIC_BLOCK) {
            const uint32_t end = n - begin < PIC_BLOCK ? n : begin + PIC_BLOCK;
            const cairn_real *at = y + (size_t)begin * r + c;
            cairn_real block = 0;
            cairn_real block_square = 0;
            for (uint32_t i = begin; i < end; ++i, at += r) {
                const cairn_real part = (degree[i] + self->tau) * *at;
                block += part;
                block_square += part * *at;
            }
            sum += block;
            sum_square += block_square;
        }
        mean[c] = sum * share;
        square[c] = sum_square * share;
    }
}

/* y = A u becomes (y + tau mean(u)) / (degree + tau), in place; half of u is kept when the walk is lazy. */
static void finish_product(cairn_pic_t *self)
{
    const size_t r = self->n_columns;
    const uint32_t n = self->walk.n_nodes;
    const cairn_real *degree = pic_degree(self);
    const cairn_real keep = self->cfg->lazy ? 0.5f : (cairn_real)0;
    const cairn_real *u = pic_columns(self);
    cairn_real *y = pic_scratch(self);
    cairn_real mean[CAIRN_WALK_COLUMNS_MAX] = {0};

    for (size_t c = 0; c < r; ++c) {
        const cairn_real *x = u + c;
        pic_sum_t sum = {0, 0, 0};
        for (uint32_t i = 0; i < n; ++i, x += r) {
            pic_sum_add(&sum, *x); /* 0 without links */
        }
        mean[c] = pic_sum_get(&sum) * self->tau / (cairn_real)self->n_active;
    }
    for (uint32_t i = 0; i < n; ++i, u += r, y += r) {
        const cairn_real inverse = degree[i] > 0 ? (1 - keep) / (degree[i] + self->tau) : (cairn_real)0;
        for (size_t c = 0; c < r; ++c) {
            y[c] = (y[c] + mean[c]) * inverse + keep * u[c];
        }
    }
}

/* Columns become x with mean 0 and length 1. The mean of a product is that of the columns, 0, but for rounding: so its
 * square may be taken off the mean square. */
static void take_columns(cairn_pic_t *self, const cairn_real *x)
{
    const size_t r = self->n_columns;
    const cairn_real *degree = pic_degree(self);
    cairn_real *u = pic_columns(self);
    cairn_real shift[CAIRN_WALK_COLUMNS_MAX] = {0};
    cairn_real scale[CAIRN_WALK_COLUMNS_MAX] = {0};

    measure_columns(self, x, shift, scale);
    for (size_t c = 0; c < r; ++c) {
        scale[c] = inverse_or_zero(cairn_sqrt(cairn_max(scale[c] - shift[c] * shift[c], 0)));
    }
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i, u += r, x += r) {
        const cairn_real active = degree[i] > 0 ? (cairn_real)1 : (cairn_real)0;
        for (size_t c = 0; c < r; ++c) {
            u[c] = active * (x[c] - shift[c]) * scale[c];
        }
    }
}

void cairn_pic_finish_step(cairn_pic_t *self)
{
    finish_product(self);
    take_columns(self, pic_scratch(self));
    memset(pic_scratch(self), 0, (size_t)self->walk.n_nodes * self->n_columns * sizeof(cairn_real));
}

static void rotate_pair(cairn_real *h, cairn_real *v, size_t r, size_t p, size_t q)
{
    cairn_real theta;
    cairn_real t;
    cairn_real c;
    cairn_real s;

    if (!(cairn_abs(h[p * r + q]) > CAIRN_REAL_EPSILON * (cairn_abs(h[p * r + p]) + cairn_abs(h[q * r + q])))) {
        return;
    }
    theta = (h[q * r + q] - h[p * r + p]) / (2 * h[p * r + q]);
    t = (theta >= 0 ? (cairn_real)1 : (cairn_real)-1) / (cairn_abs(theta) + cairn_sqrt(theta * theta + 1));
    c = 1 / cairn_sqrt(t * t + 1);
    s = t * c;
    for (size_t k = 0; k < r; ++k) { /* columns of H and V, then rows of H */
        const cairn_real hp = h[k * r + p];
        const cairn_real vp = v[k * r + p];
        h[k * r + p] = c * hp - s * h[k * r + q];
        h[k * r + q] = s * hp + c * h[k * r + q];
        v[k * r + p] = c * vp - s * v[k * r + q];
        v[k * r + q] = s * vp + c * v[k * r + q];
    }
    for (size_t k = 0; k < r; ++k) {
        const cairn_real hp = h[p * r + k];
        h[p * r + k] = c * hp - s * h[q * r + k];
        h[q * r + k] = s * hp + c * h[q * r + k];
    }
}

/* Eigenvectors of the symmetric H in the columns of V (Jacobi; Golub and Van Loan 8.5). */
static void diagonalise(cairn_real *h, cairn_real *v, size_t r)
{
    for (size_t k = 0; k < r * r; ++k) {
        v[k] = k % (r + 1) == 0 ? (cairn_real)1 : (cairn_real)0;
    }
    for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep) {
        for (size_t p = 0; p + 1 < r; ++p) {
            for (size_t q = p + 1; q < r; ++q) {
                rotate_pair(h, v, r, p, q);
            }
        }
    }
}

/* Sort the eigenvalues, falling, and the columns of V with them. */
static void sort_values(cairn_pic_t *self, const cairn_real *h, cairn_real *v)
{
    const size_t r = self->n_columns;

    for (size_t c = 0; c < r; ++c) {
        self->ritz[c] = h[c * r + c];
    }
    for (size_t c = 0; c + 1 < r; ++c) {
        size_t largest = c;
        for (size_t k = c + 1; k < r; ++k) {
            largest = self->ritz[k] > self->ritz[largest] ? k : largest;
        }
        for (size_t k = 0; k < r && largest != c; ++k) {
            const cairn_real x = v[k * r + c];
            v[k * r + c] = v[k * r + largest];
            v[k * r + largest] = x;
        }
        const cairn_real value = self->ritz[c];
        self->ritz[c] = self->ritz[largest];
        self->ritz[largest] = value;
    }
}

/* How fast the columns that clusters do not need still shrink, at the slowest: the length of their product. Their Ritz
 * values will not do: they mix positive and negative eigenvalues. */
static void measure_rest(cairn_pic_t *self, cairn_real *gram, const cairn_real *v)
{
    const size_t r = self->n_columns;
    const cairn_real *y = pic_scratch(self);

    self->rest = 0;
    for (size_t p = 0; p < r; ++p) {
        for (size_t q = 0; q <= p; ++q) {
            gram[p * r + q] = weighted_dot(self, y + p, y + q);
            gram[q * r + p] = gram[p * r + q];
        }
    }
    for (size_t c = self->cfg->n_clusters - 1u; c < r; ++c) {
        cairn_real square = 0;
        for (size_t p = 0; p < r; ++p) {
            for (size_t q = 0; q < r; ++q) {
                square += v[p * r + c] * gram[p * r + q] * v[q * r + c];
            }
        }
        self->rest = cairn_max(self->rest, cairn_sqrt(cairn_max(square, 0)));
    }
}

void cairn_pic_rotate(cairn_pic_t *self)
{
    const size_t r = self->n_columns;
    cairn_real *u = pic_columns(self);
    const cairn_real *y = pic_scratch(self);
    cairn_real *h = pic_matrix(self, 0);
    cairn_real *v = pic_matrix(self, 1);

    finish_product(self);
    for (size_t p = 0; p < r; ++p) {
        for (size_t q = 0; q <= p; ++q) {
            h[p * r + q] = weighted_dot(self, u + p, y + q);
            h[q * r + p] = h[p * r + q];
        }
    }
    diagonalise(h, v, r);
    sort_values(self, h, v);
    if (r >= self->cfg->n_clusters) {
        measure_rest(self, h, v);
    }
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i, y += r) {
        for (size_t c = 0; c < r; ++c) {
            cairn_real sum = 0;
            for (size_t k = 0; k < r; ++k) {
                sum += y[k] * v[k * r + c];
            }
            u[i * r + c] = sum;
        }
    }
    take_columns(self, u);
}
