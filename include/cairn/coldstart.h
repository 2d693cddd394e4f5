/* SPDX-License-Identifier: MIT
 * Cold start: places of all sensors of a network as good as its ranges allow, from the ranges alone, in slices. */
#ifndef CAIRN_COLDSTART_H
#define CAIRN_COLDSTART_H

#include "cairn/locate.h"
#include "cairn/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_coldstart_cfg {
    cairn_locate_cfg_t
        locate; /* loss, start_std_m and radio_range_m as for cairn_locate; the other fields are not used, but checked. An
                                  estimated radio range is that of a ball with the mean range; where the ranges do not
                                  look like that, no distance is too long for it and pushes are 1 at most */
    cairn_real push;        /* how strongly nodes without a range are pushed to the radio range, relative to a range of
                               that length, >= 0, default 10; 0: pairs without a range mean nothing. Four times as
                               strong in the end where starts are used, fine is 0, the radio range is given and next
                               to no pair within it is without a range */
    uint16_t repair_rounds; /* rounds of fold repair at most, 0 to 100, default 4 */
    uint8_t fine; /* 1: the last stage trusts short ranges (a tenth of the radio range instead of a half) and goes
                               on for longer: for maps that begin near the truth, where short, stiff pairs do no harm.
                               At nodes with no more ranges than dimensions pushes weigh there no more than if ranges
                               had a deviation of 3 % of the radio range: among sharper ones such nodes do not come to
                               rest. About twice the work. 0 (default): only when starts are used */
} cairn_coldstart_cfg_t;

/** Defaults as stated at each field. */
extern const cairn_coldstart_cfg_t cairn_coldstart_cfg_default;

/** Words of work memory, a constant expression: 10 a node in 1-D, 14 in 2-D, 21 in 3-D, 2, 4 and 6 more when any sensor has
 * a start (starts: 1, else 0), and 448 and 64 a dimension. */
#define CAIRN_COLDSTART_WORDS(nodes, dim, starts)                                                                      \
    ((size_t)(nodes) * (3u + ((dim) == 1 ? 7u : 4u * (size_t)(dim) + CAIRN_COLDSTART_BLOCK(dim)) +                     \
                        ((starts) ? 2u * (size_t)(dim) : 0u)) +                                                        \
     CAIRN_COLDSTART_FIXED(dim))
#define CAIRN_COLDSTART_BLOCK(dim) ((size_t)(dim) * ((size_t)(dim) + 1u) / 2u)
#define CAIRN_COLDSTART_FIXED(dim) (448u + 64u * (size_t)(dim))

/** What the job is doing. */
typedef enum cairn_coldstart_stage {
    CAIRN_COLDSTART_GAUGE = 0,   /* no known place: lay out landmarks as a frame */
    CAIRN_COLDSTART_PLACES = 1,  /* first places: paths from the anchors, trilateration */
    CAIRN_COLDSTART_CLEAN = 2,   /* nodes far from most of their neighbours go to the others */
    CAIRN_COLDSTART_IRON = 3,    /* take out the jitter of the first places */
    CAIRN_COLDSTART_GLOBAL = 4,  /* bend the map as a whole */
    CAIRN_COLDSTART_STARTS = 5,  /* what the starts are worth; what is better on the map begun from them, or by them */
    CAIRN_COLDSTART_REPAIR = 6,  /* undo folds */
    CAIRN_COLDSTART_SETTLE = 7,  /* smooth after a repair */
    CAIRN_COLDSTART_FINAL = 8,   /* to the minimum */
    CAIRN_COLDSTART_PROBES = 9,  /* deviations: the map solved for made-up errors */
    CAIRN_COLDSTART_STATES = 10, /* what is not told from its mirror image */
    CAIRN_COLDSTART_DONE = 11
} cairn_coldstart_stage;

/** A sum and what rounding has left out of it. Private. */
typedef struct cairn_coldstart_sum {
    cairn_real sum;
    cairn_real rest;
} cairn_coldstart_sum_t;

/** The noise of ranges as the present stage takes it. Private. */
typedef struct cairn_coldstart_noise {
    cairn_real abs2; /* squares of absolute and relative deviation */
    cairn_real rel2;
    cairn_real soft2; /* square of the least relative deviation of the present stage */
    cairn_real
        least2; /* bounds of the distance that the noise is judged at: of squared range, of squared range, metres */
    cairn_real most2;
    cairn_real floor2;
} cairn_coldstart_noise_t;

/** A job. Private, read by the functions below; holds pointers to caller objects only. */
typedef struct cairn_coldstart {
    const cairn_coldstart_cfg_t *cfg;
    cairn_network_t *network;
    cairn_word_t *work;
    cairn_coldstart_stage stage;
    cairn_coldstart_stage end; /* the job is over when it is reached */
    uint32_t phase;            /* part of the stage */
    uint32_t cursor;           /* next node or word of the phase */
    uint32_t row;              /* first node of the pair at the cursor */
    uint32_t round;            /* of repair and of cleaning */
    uint32_t outer;            /* steps of the stage done */
    uint32_t halvings;         /* of the present step */
    uint32_t iteration;        /* of the conjugate gradients */
    uint32_t n_iterations;     /* of the whole job */
    uint32_t n_accepted;       /* repairs of the round */
    uint32_t n_repairs;        /* of the whole job */
    uint32_t n_changed;        /* counted in this phase */
    uint32_t pair_words;       /* length of the list */
    uint32_t pair_share;       /* share of the unmeasured pairs that the list keeps, of 256 */
    uint32_t share_before;     /* the same before the last step of Newton */
    uint32_t n_pairs;          /* unmeasured pairs nearer than the radio range */
    uint32_t n_finals;         /* last stages done */
    uint32_t n_members;        /* of the set being repaired */
    uint32_t n_landmarks;      /* nodes that stood in for anchors */
    uint32_t n_near;           /* of the pairs, much nearer than the radio range */
    uint32_t n_suspects;       /* nodes listed for repair */
    bool has_starts;
    bool converged;
    bool coarse_ready;
    bool plain;       /* squared loss, and no range has a deviation of its own */
    bool far_starts;  /* the starts decide what the ranges leave open, no more */
    bool two_maps;    /* one without the starts, one from them; the better parts are taken, large ones if clearly so */
    bool first_kept;  /* the first of them is complete */
    bool starts_done; /* what the starts can tell is in the map */
    bool sure_disc;   /* it is given, and the ranges look like it */
    bool sided;       /* the mirror image in the anchors' plane is no alternative */
    uint8_t soft;     /* 1: a step of the last stage took all its iterations; 2: the stage goes on with more of them */
    uint8_t damp;     /* of steps of Newton: what happens to the nodes' own dampings */
    uint8_t n_sweeps; /* over loose nodes, after the last step */
    bool again;       /* the last step is given up, to be solved again from where it began */
    bool newton;      /* a fine last stage takes the steps of Newton that end it */
    bool pulls;       /* the radio range is known well enough to pull measured pairs into it */
    cairn_real radio_range_m;
    cairn_real stretch; /* of the distances between places that err on their own: ranges are taken so much longer */
    cairn_real unit_variance; /* mean variance of a range as long as the radio range */
    cairn_real unit_weight;   /* weight of a range as long as the radio range */
    cairn_coldstart_noise_t noise;
    cairn_real push_weight;       /* of a pair, and of a range longer than the radio range */
    cairn_real loose_push_weight; /* of a pair of which an end has no more ranges than dimensions */
    cairn_real cap;               /* of the cost of a pair; 0: none */
    cairn_real progress;
    cairn_real missing;  /* estimated share of the pairs in range that have no range */
    cairn_real isotropy; /* of the Hessian of a range: 0 Gauss-Newton, 1 SMACOF */
    cairn_real damping;
    cairn_real prior_weight;
    cairn_real cost;
    cairn_real cost_before;
    cairn_real slope;    /* of the cost downhill along the present step, where it begins, times its length */
    cairn_real back;     /* sum of what nodes contribute to a form or slope that should be positive and is not */
    cairn_real worst;    /* the largest of these */
    cairn_real longest2; /* square of the longest step of a node */
    cairn_real moved2;   /* sum of squares of the steps, as they would be without the nodes' own dampings */
    cairn_real rho;      /* conjugate gradients */
    cairn_real rho_first;
    cairn_real alpha;
    cairn_real beta;
    cairn_coldstart_sum_t total;
    cairn_rng_t rng;                        /* of the probes */
    cairn_real low_m[CAIRN_LOCATE_DIM_MAX]; /* corner of the grid */
    cairn_real high_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real cell_m;
    cairn_real shift_from_m[CAIRN_LOCATE_DIM_MAX]; /* where an anchor would fit, and from there to the anchor */
    cairn_real shift_m[CAIRN_LOCATE_DIM_MAX];
    uint32_t n_cells[CAIRN_LOCATE_DIM_MAX];
    cairn_real coarse_low_m[CAIRN_LOCATE_DIM_MAX]; /* corner of the coarse level */
    cairn_real coarse_cell_m;
    uint32_t coarse_cells; /* along each axis; 0: no coarse level */
    uint32_t coarse_stride[CAIRN_LOCATE_DIM_MAX];
    uint32_t coarse_rows;
    uint32_t coarse_band;
    /* The last field: first places and quality, stages of the light form over the same work. */
    cairn_locate_t locate;
} cairn_coldstart_t;

/**
 * Begin to locate a network: seals it if it is open.
 *
 * self       out, every field is written
 * cfg        settings, kept by self
 * network    ranges, anchors, starts; kept by self; places, deviations and states are written to it as the job goes:
 *            deviations mean nothing before it is done. Must not be changed by others until then
 * work       [work_len] caller's, kept by self until the job is done; need not be cleared
 * work_len   >= CAIRN_COLDSTART_WORDS(nodes, dim, whether any sensor has a start)
 *
 * CAIRN_OK              begun
 * CAIRN_ERR_ARG         NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE   a setting is NaN or infinite
 * CAIRN_ERR_SIZE        work too short
 * CAIRN_ERR_ALIGN       work misaligned
 * CAIRN_ERR_ANCHORS     some nodes have an anchor place or a start, but fewer than dim + 1. Without any, the map has a
 *                       frame of its own: it is right up to a rigid motion and a reflection
 * CAIRN_ERR_GEOMETRY    no sensor has a start, and the anchors are coincident, collinear (2-D) or coplanar (3-D): see
 *                       cairn/flat.h
 * CAIRN_ERR_RESOLUTION  as cairn_network_seal
 *
 * Work: as cairn_network_seal, and a few passes over the nodes.
 */
CAIRN_MUST_CHECK cairn_status cairn_coldstart_init(cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg,
                                                   cairn_network_t *network, cairn_word_t *work, size_t work_len);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget; one operation is one look at one link (about 40 instructions on a Cortex-M4F)
 *
 * CAIRN_MORE           work is left
 * CAIRN_OK             done: read the places from the network
 * CAIRN_NOT_CONVERGED  done: the limit of steps was reached; the places are the best so far. Or there were no ranges; or
 *                      nothing was known and the ranges span too little for a frame (a pair, a chain): nobody is placed
 * CAIRN_ERR_ARG        self is NULL
 *
 * Work: operations + the links of 32 nodes x 64, or one repair: 64 nodes x their links x 192, or one
 * search for chains: 1536 nodes x their links. Or a pass over the nodes, with about 40 operations for each anchor; or the
 * links of one node's neighbours, dim times. In a fine last stage, one patch of 26 / dim nodes with few ranges: what they
 * are linked to or near x 121, and 60 systems of 26 equations.
 */
CAIRN_MUST_CHECK cairn_status cairn_coldstart_step(cairn_coldstart_t *self, uint32_t operations);

/**
 * What the job is doing now.
 *
 * self  begun job
 *
 * Returns the stage. Work: O(1).
 */
cairn_coldstart_stage cairn_coldstart_get_stage(const cairn_coldstart_t *self);

/**
 * Products of the Hessian so far: the work that counts on large networks.
 *
 * self  begun job
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_coldstart_get_iterations(const cairn_coldstart_t *self);

/**
 * Folds undone so far.
 *
 * self  begun job
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_coldstart_get_repairs(const cairn_coldstart_t *self);

/**
 * Cost of the map: half the sum, over ranges, unmeasured pairs and starts, of weight x squared residual; about half of
 * one per range when the declared noise is right. With cfg->fine, or with starts, the last stage takes the
 * quasi-likelihood in its place, the integral of weight x residual over the distance, whose slope is what is descended.
 *
 * self  begun job
 *
 * Returns the cost of the last step. Work: O(1).
 */
cairn_real cairn_coldstart_get_cost(const cairn_coldstart_t *self);

/**
 * Estimated share of the pairs within the radio range that have no range.
 *
 * self  begun job
 *
 * Returns 0 to 1; 0 until it has been estimated, which a job without pushes may never do. Work: O(1).
 */
cairn_real cairn_coldstart_get_missing(const cairn_coldstart_t *self);

/**
 * Rough share of the job that is done, for a progress bar; never falls.
 *
 * self  begun job
 *
 * Returns 0 to 1. Work: O(1).
 */
cairn_real cairn_coldstart_get_progress(const cairn_coldstart_t *self);

#ifdef __cplusplus
}
#endif
#endif
