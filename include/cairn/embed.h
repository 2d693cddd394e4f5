/* SPDX-License-Identifier: MIT
 * Embed: a stream of feature vectors becomes k coordinates each, so that distances are kept, with a fixed number of
 * landmarks in fixed memory. The first l vectors are embedded among themselves; every later one is placed by its
 * distances to them the moment it arrives, and may take a landmark's place. */
#ifndef CAIRN_EMBED_H
#define CAIRN_EMBED_H

#include "cairn/maxmin.h"
#include "cairn/metric.h"
#include "cairn/reservoir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_embed cairn_embed_t;
typedef struct cairn_embed_cfg cairn_embed_cfg_t;

/** Caller memory. */
typedef struct cairn_embed_memory {
    cairn_real *reals;
    size_t n_reals;
    uint16_t *nearest; /* NULL except for cairn_embed_maxmin */
    size_t n_nearest;
} cairn_embed_memory_t;

/** Which vectors are landmarks, linked only where it is used: &cairn_embed_random, &cairn_embed_maxmin. Private fields. */
typedef struct cairn_embed_policy {
    cairn_status (*check)(const cairn_embed_cfg_t *cfg, const cairn_embed_memory_t *memory);
    void (*begin)(cairn_embed_t *self, const cairn_embed_memory_t *rest);
    void (*attach)(cairn_embed_t *self, const cairn_embed_memory_t *rest);
    bool (*choose)(cairn_embed_t *self, uint32_t *slot);
    void (*offer)(cairn_embed_t *self, const cairn_real *features);
    uint16_t reals_each; /* of memory, for a landmark */
} cairn_embed_policy_t;

/** At any time a uniform sample of what came: for streams that change, or come sorted. */
extern const cairn_embed_policy_t cairn_embed_random;

/** Spread out, by source distances: covers rare regions; on noisy data it picks outliers. */
extern const cairn_embed_policy_t cairn_embed_maxmin;

/** Optional robust placing, linked only where it is used: &cairn_embed_robust. Private fields. */
typedef struct cairn_embed_robust {
    void (*repair)(cairn_embed_t *self, size_t i);
    void (*weigh)(cairn_embed_t *self, size_t without, bool late);
    void (*retry)(cairn_embed_t *self, cairn_real scale);
    cairn_real (*settle)(cairn_embed_t *self);
    size_t (*reals)(size_t l);
} cairn_embed_robust_t;

/** Optional smoother, linked only where it is used: &cairn_embed_smoother. Private fields. */
typedef struct cairn_embed_smoother {
    void (*learn)(cairn_embed_t *self, const cairn_real *features);
    void (*apply)(cairn_embed_t *self, const cairn_real *features);
    size_t (*reals)(size_t d, size_t k);
} cairn_embed_smoother_t;

/**
 * Resist wrong distances (a tenth of them many times too long, with 100 landmarks or more): residuals far from the
 * others' lose their weight (Tukey's biweight, Beaton and Tukey 1974). Placing takes about three times as long. With
 * stored distances, those between landmarks are repaired too.
 */
extern const cairn_embed_robust_t cairn_embed_robust;

/**
 * For Euclidean features: learn the linear map back to them from the stream, and average each place with the one that the
 * map says. Removes about half of the noise that a place gets from its l distances.
 */
extern const cairn_embed_smoother_t cairn_embed_smoother;

/** Settings; the caller keeps them alive and constant. Start from cairn_embed_cfg_default. */
struct cairn_embed_cfg {
    const cairn_metric_t *metric;       /* default &cairn_metric_euclidean */
    const cairn_embed_policy_t *policy; /* default &cairn_embed_random; NULL: the first l stay, say k-means centres */
    uint16_t n_features;                /* d, 1 to 65535 */
    uint16_t dim;                       /* k, 1 to 1024 */
    uint16_t n_landmarks;               /* l, 2 to 65520; 5 k or more is advised, below 3 k expect trouble */
    uint16_t rounds; /* steps a vector, 0 to 65535, default 1: more fit the noise of the distances; raise it for exact,
                        low-dimensional data. 0, only without a policy: landmark MDS (de Silva and Tenenbaum
                        2004), cruder and somewhat cheaper, as a baseline */
    uint16_t relax;  /* landmark steps owed after each replacement; a vector pays for half a step; default 3, 0: none */
    bool
        store_distances; /* keep those between landmarks: l (l - 1) / 2 reals more, saves n_features x l a relax step */
    const cairn_embed_robust_t *robust;     /* NULL: least squares */
    const cairn_embed_smoother_t *smoother; /* NULL: none */
    uint64_t seed;                          /* of the landmarks' choice and of the start's vectors */
};

/** Defaults: Euclidean, random policy, 1 round, 3 relax steps. Set n_features, dim and n_landmarks. */
extern const cairn_embed_cfg_t cairn_embed_cfg_default;

/** Largest distance between vectors: sums of its third power over landmarks stay a float. */
#define CAIRN_EMBED_DISTANCE_MAX 1e11f

/** l rounded up to whole blocks of 16. */
#define CAIRN_EMBED_PADDED(l) (((size_t)(l) + 15u) / 16u * 16u)

/** To be given as d below for a metric that keeps a number with each vector (cairn_metric_euclidean_dot). */
#define CAIRN_EMBED_KEPT(d) (((size_t)(d) + 4u) / 4u * 4u)

/** Reals of memory without options, a constant expression: sources, images twice, l-vectors, a k x k matrix. */
#define CAIRN_EMBED_REALS(l, d, k)                                                                                     \
    ((size_t)(l) * (size_t)(d) + CAIRN_EMBED_PADDED(l) * (2u * (size_t)(k) + 3u) + (size_t)(k) * ((size_t)(k) + 9u))
/** Reals more for store_distances. */
#define CAIRN_EMBED_STORED_REALS(l) ((size_t)(l) * ((size_t)(l)-1u) / 2u)
/** Reals more for cairn_embed_maxmin, which needs l uint16_t as well. */
#define CAIRN_EMBED_MAXMIN_REALS(l) ((size_t)(l))
/** Reals more for cairn_embed_robust. */
#define CAIRN_EMBED_ROBUST_REALS(l) (3u * CAIRN_EMBED_PADDED(l))
/** Reals more for cairn_embed_smoother. */
#define CAIRN_EMBED_SMOOTHER_REALS(d, k)                                                                               \
    (2u * (size_t)(d) * (size_t)(k) + (size_t)(d) + (size_t)(k) * (2u * (size_t)(k) + 3u))

/** What has been refused since init. */
typedef struct cairn_embed_counters {
    uint32_t n_nonfinite;   /* vectors with NaN or infinity */
    uint32_t n_unplaceable; /* vectors that have no distance, or one too large */
    uint32_t n_replaced;    /* landmarks replaced */
    uint32_t n_plain_steps; /* steps where the fast one did not help and the plain recentring one was taken */
} cairn_embed_counters_t;

/** What the object is doing. */
typedef enum cairn_embed_stage {
    CAIRN_EMBED_COLLECT = 0,     /* landmarks wanted */
    CAIRN_EMBED_TRIANGULATE = 1, /* classical start of the landmarks */
    CAIRN_EMBED_SWEEP = 2,       /* landmarks among themselves */
    CAIRN_EMBED_TRIAL = 3,       /* calibration of the start of a vector */
    CAIRN_EMBED_READY = 4
} cairn_embed_stage_t;

/**
 * State. Private, read by the functions below; holds pointers to caller objects only. To save it, copy it and its arrays
 * between any two calls (cairn/snapshot.h stores and checks such images); to go on, copy them back and, when they or the
 * settings are elsewhere than before, attach them. Places that follow are the same to the bit, by the same build.
 */
struct cairn_embed {
    const cairn_embed_cfg_t *cfg;
    uint16_t dim;         /* of cfg */
    uint16_t n_landmarks; /* of cfg */
    uint16_t padded;
    uint16_t n_held;     /* landmarks */
    uint16_t cursor;     /* next row of the stage */
    uint16_t pass;       /* of the stage */
    uint16_t relax_next; /* landmark that is relaxed next */
    uint8_t relax_tries; /* its step has been made and shortened so often */
    uint8_t relax_waits; /* vectors since, that were dear themselves */
    uint16_t n_fresh;    /* replacements since the inverse was computed anew */
    uint16_t n_scaled;   /* vectors in the running ratio */
    bool tried_again;    /* the last step took more than one try */
    bool smoothing;      /* the smoother has a map */
    cairn_embed_stage_t stage;
    cairn_real *source;  /* [l x d] */
    cairn_real *image;   /* [k x padded] */
    cairn_real *second;  /* [k x padded] next images, while landmarks are triangulated */
    cairn_real *inverse; /* [k x k] of the images' ridged covariance */
    cairn_real *centre;  /* [k] of the images */
    cairn_real *vectors; /* [8 x k] x, u, g, Hu, p, trial, triangulated, step of the landmark that is relaxed */
    cairn_real *square;  /* [padded] |y - c|^2 */
    cairn_real *weight;  /* [padded] 0 in the padding */
    cairn_real *range;   /* [padded] wanted distances of the vector at hand */
    cairn_real *along;   /* [padded] pulls of the landmarks: the first row of second, while that is not in use */
    cairn_real *stored;  /* packed distances of landmarks, or NULL */
    cairn_real *sorting; /* [3 x padded] of the robust option, or NULL */
    cairn_real *learned; /* of the smoother, or NULL */
    cairn_real spread2;  /* trace of the covariance */
    cairn_real weight_sum;
    cairn_real scale;     /* of the triangulated start */
    cairn_real ratio_num; /* running ratio for it */
    cairn_real ratio_den;
    cairn_real pull_sum;    /* of the landmarks on the place at hand */
    cairn_real residual;    /* root mean square residual of the last vector placed */
    cairn_real relax_cost;  /* of the landmark that is relaxed, where it is */
    cairn_real relax_slope; /* half the slope of its cost along its step */
    uint32_t relax_owed;
    uint32_t n_learned; /* of the smoother */
    cairn_embed_counters_t counters;
    cairn_rng_t rng;
    union {
        cairn_reservoir_t random;
        cairn_maxmin_t maxmin;
    } sample; /* of the policy */
};

/**
 * Reals of memory that settings need.
 *
 * cfg  settings
 *
 * Returns the number; 0 when cfg is NULL, a setting is out of range or the number overflows. Work: O(1).
 */
size_t cairn_embed_reals(const cairn_embed_cfg_t *cfg);

/**
 * Start without landmarks.
 *
 * self    out, every field is written
 * cfg     settings, kept
 * memory  arrays and lengths; the arrays are kept, need not be cleared
 *
 * CAIRN_OK         ready to collect
 * CAIRN_ERR_ARG    NULL, or a setting out of range
 * CAIRN_ERR_SIZE   an array is too short: see cairn_embed_reals
 * CAIRN_ERR_ALIGN  an array is misaligned
 *
 * Work: O(n_reals).
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_init(cairn_embed_t *self, const cairn_embed_cfg_t *cfg,
                                               const cairn_embed_memory_t *memory);

/**
 * Take up a saved state whose arrays, or settings, are elsewhere now.
 *
 * self    in: copy of an initialised object's state; out: bound to cfg and memory
 * cfg     the settings it was saved with, kept
 * memory  copies of its arrays; kept
 *
 * CAIRN_OK         goes on where it was
 * CAIRN_ERR_ARG    NULL, or a setting out of range
 * CAIRN_ERR_SIZE   an array is too short: see cairn_embed_reals
 * CAIRN_ERR_ALIGN  an array is misaligned
 * CAIRN_ERR_STATE  the state has other numbers of landmarks or coordinates
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_attach(cairn_embed_t *self, const cairn_embed_cfg_t *cfg,
                                                 const cairn_embed_memory_t *memory);

/**
 * Take the next vector of the stream. Several passes over the same data are one long stream.
 *
 * self      initialised object
 * features  [n_features]
 * place     [dim] out; written only with CAIRN_OK
 *
 * CAIRN_OK             placed
 * CAIRN_UNPLACED       kept as a landmark; places come later: see cairn_embed_get_landmark
 * CAIRN_MORE           the same, and it was the last one wanted: call cairn_embed_step until it is done
 * CAIRN_ERR_ARG        NULL
 * CAIRN_ERR_NONFINITE  a feature is NaN or infinite; counted
 * CAIRN_ERR_RANGE      the vector has no distance to others (a negative feature where there must be none, a zero vector
 *                      with an angle), or one above CAIRN_EMBED_DISTANCE_MAX; counted
 * CAIRN_ERR_STATE      landmarks are complete but not embedded yet: call cairn_embed_step
 *
 * Work: l distances and about 9 k l + 35 l + 6 k^2 operations a round; at most half as much again when a landmark is relaxed,
 * or k^2 l + k^3 when this vector becomes one, with cairn_embed_maxmin also up to l^2 distances between landmarks, typically
 * l. The smoother takes 4 k d more, and 3 k^2 d + k^3 with every 200th vector.
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_push(cairn_embed_t *self, const cairn_real *features, cairn_real *place);

/**
 * As push, in a second pass, for a vector that has a place from the pass before: the result is the mean of that place and
 * the new one, whose noises come from different landmarks; where the mean does not fit the landmarks, for the old place is
 * no longer right, the new one alone.
 *
 * self      object with embedded landmarks
 * features  [n_features]
 * place     [dim] in: of the pass before; out: written only with CAIRN_OK
 *
 * Returns as cairn_embed_push, also CAIRN_ERR_NONFINITE for the old place; CAIRN_ERR_STATE before landmarks are embedded.
 * Work: as push and 3 k l.
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_revise(cairn_embed_t *self, const cairn_real *features, cairn_real *place);

/**
 * Do with the landmarks that have come, fewer than wanted: the stream was short.
 *
 * self  object that collects and has at least one landmark
 *
 * CAIRN_MORE       call cairn_embed_step until it is done
 * CAIRN_ERR_ARG    NULL
 * CAIRN_ERR_STATE  not collecting, or there is no landmark
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_close(cairn_embed_t *self);

/**
 * Do a slice of embedding the landmarks among themselves. Slicing does not change the result by a bit.
 *
 * self   object with all its landmarks
 * pairs  budget; one is a look at one pair. The slice ends at the first row at or after it
 *
 * CAIRN_MORE       work is left
 * CAIRN_OK         done: vectors can be placed
 * CAIRN_ERR_ARG    NULL
 * CAIRN_ERR_STATE  landmarks are wanted first
 *
 * Work: pairs + l looks of O(k), and O(d) without stored distances; in all 15 rounds of l^2 (31 with the robust option), each
 * of which ends with k^2 l + k^3. The robust option also repairs stored distances: up to l^2 additions a row, once.
 * Source: classical scaling by Newton's iteration, then the step of push, Gauss-Seidel.
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_step(cairn_embed_t *self, uint32_t pairs);

/**
 * Place a vector without taking it into the stream: nothing but scratch changes, so the same vector gets the same bits
 * at once or in any company.
 *
 * self      object with embedded landmarks
 * features  [n_features]
 * place     [dim] out; written only with CAIRN_OK
 *
 * Returns as cairn_embed_push; never CAIRN_UNPLACED or CAIRN_MORE; CAIRN_ERR_STATE before the landmarks are embedded.
 * Nothing is counted. Work: as cairn_embed_push without a relax step.
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_place(cairn_embed_t *self, const cairn_real *features, cairn_real *place);

/**
 * Place of a landmark. The first l vectors of the stream are landmarks 0 .. l-1 until they are replaced.
 *
 * self   object with embedded landmarks
 * i      < cairn_embed_get_held
 * place  [dim] out
 *
 * CAIRN_OK         written
 * CAIRN_ERR_ARG    NULL or i too large
 * CAIRN_ERR_STATE  not embedded yet
 *
 * Work: O(dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_get_landmark(const cairn_embed_t *self, size_t i, cairn_real *place);

/**
 * Turn, mirror and shift all images, so that places that follow are in another frame: see cairn_align_fit.
 *
 * self      object with embedded landmarks
 * rotation  [dim x dim] row-major, orthogonal
 * shift     [dim] added after it
 *
 * CAIRN_OK             done
 * CAIRN_ERR_ARG        NULL
 * CAIRN_ERR_NONFINITE  an entry is not finite
 * CAIRN_ERR_STATE      not embedded yet
 *
 * Work: O(dim^2 l + dim^3).
 */
CAIRN_MUST_CHECK cairn_status cairn_embed_move(cairn_embed_t *self, const cairn_real *rotation,
                                               const cairn_real *shift);

/**
 * Landmarks held.
 *
 * self  initialised object
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_embed_get_held(const cairn_embed_t *self);

/**
 * Features of a landmark.
 *
 * self  initialised object
 * i     < cairn_embed_get_held
 *
 * Returns [n_features], NULL when i is too large. Work: O(1).
 */
const cairn_real *cairn_embed_get_source(const cairn_embed_t *self, size_t i);

/**
 * Root mean square of (distance to a landmark's image - wanted distance) of the place that the last push or revise
 * returned: how well it fits. The robust option weighs them.
 *
 * self  initialised object
 *
 * Returns the residual in units of the metric. Work: O(1).
 */
cairn_real cairn_embed_get_residual(const cairn_embed_t *self);

/**
 * Counters since init.
 *
 * self  initialised object
 *
 * Returns them. Work: O(1).
 */
cairn_embed_counters_t cairn_embed_get_counters(const cairn_embed_t *self);

#ifdef __cplusplus
}
#endif
#endif
