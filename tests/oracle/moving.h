/* SPDX-License-Identifier: MIT
 * Networks that move, for tests of faults: scripted runs in the plane and in space, with and without anchors, in each set of
 * which a fault happens. */
#ifndef CAIRN_ORACLE_MOVING_H
#define CAIRN_ORACLE_MOVING_H

#define WORLD_NODES      18
#define WORLD_RANGES     168
#define WORLD_WORK_WORDS CAIRN_TRACK_NETWORK_WORDS(18, 3)

#include "cairn/residual.h"
#include "cairn/rigid.h"
#include "cairn/track_network.h"
#include "oracle/world.h"

enum { SETS = 5, FORMS = 3, ANCHORED_FORMS = 2 };

/* In the plane and in space among anchors, and in the plane without any; the ranges hold every sensor. */
static const struct form {
    uint32_t n_nodes, n_anchors, dim;
    cairn_real radius_m;
} forms[FORMS] = {{16, 4, 2, 8}, {18, 8, 3, 10}, {16, 0, 2, 8}};

static const cairn_track_network_cfg_t cfgs[FORMS] = {
    {(cairn_real)0.2, 8}, {(cairn_real)0.2, 10}, {(cairn_real)0.2, 8}};

/* A map that stands still is off by this after four sets. */
static const cairn_real back_m = (cairn_real)0.4;

static cairn_track_network_t track;
static uint32_t form; /* of the run */

typedef void (*give_fn)(uint32_t a, uint32_t b, cairn_real range_m);

static inline void draw(uint32_t seed)
{
    world_draw(forms[form].n_nodes, forms[form].n_anchors, forms[form].dim, forms[form].radius_m, (cairn_real)0.1,
               seed);
}

/* The sensors start at the truth. */
static inline void begin_drawn(void)
{
    world_begin();
    world_add_anchors();
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK_EQ(cairn_network_set_start(&world_net, i, world_truth(i)), CAIRN_OK);
    }
    CHECK_EQ(cairn_track_network_init(&track, &cfgs[form], &world_net, world_work, WORLD_WORK_WORDS), CAIRN_OK);
}

static inline void begin(uint32_t seed)
{
    draw(seed);
    begin_drawn();
}

static inline void move(uint32_t set)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 100u + set, 5u);
    for (uint32_t i = world.n_anchors * world.dim; i < world.n_nodes * world.dim; ++i) {
        world.truth[i] += cfgs[form].motion_m * random_normal(&rng);
    }
}

/* Ranges of a set, one by one into `give`. */
static inline void measure(uint32_t set, give_fn give)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 200u + set, 2u);
    for (uint32_t b = world.n_anchors > 0 ? world.n_anchors : 1u; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            const cairn_real distance_m = cairn_distance(world_truth(a), world_truth(b), world.dim);
            const cairn_real range_m = distance_m + world.noise * random_normal(&rng);
            if (distance_m <= world.radius && range_m > 0) {
                give(a, b, range_m);
            }
        }
    }
}

static inline void give_plainly(uint32_t a, uint32_t b, cairn_real range_m)
{
    CHECK_EQ(cairn_network_add_range(&world_net, a, b, range_m, 0), CAIRN_OK);
}

static inline cairn_status finish(uint32_t budget)
{
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        status = cairn_track_network_step(&track, budget);
    }
    return status;
}

/* A set of ranges from where the sensors are now. */
static inline void locate(uint32_t set, give_fn give)
{
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK);
    measure(set, give);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    CHECK(finish(100000u) >= 0);
    world_check_honest();
}

static inline void follow(uint32_t set, give_fn give)
{
    move(set);
    locate(set, give);
}

/* All that a refused call must leave alone. */
static inline uint32_t all_bytes(void) { return hash_bytes(world_bytes(), &track, sizeof track); }

/* Root mean square error of all sensors; without anchors, after a rigid motion. */
static inline cairn_real error_m(void)
{
    cairn_real place_m[WORLD_REALS], sum_m2 = 0, rms_m = 1000;
    cairn_rigid_t motion;
    uint32_t n_placed = 0;
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        const cairn_status status = cairn_network_get_place(&world_net, i, place_m + (size_t)i * world.dim, NULL);
        n_placed += status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE;
        if (i >= world.n_anchors) {
            sum_m2 += world_error(i) * world_error(i);
        }
    }
    if (n_placed < world.n_nodes) {
        return 1000;
    }
    if (world.n_anchors > 0) {
        return cairn_sqrt(sum_m2 / (cairn_real)(world.n_nodes - world.n_anchors));
    }
    CHECK_EQ(cairn_rigid_fit(&motion, place_m, world.truth, NULL, world.n_nodes, world.dim, true, &rms_m), CAIRN_OK);
    CHECK(!motion.mirrored);
    return rms_m;
}

static inline bool is_suspect(void)
{
    cairn_residual_t residual;
    CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_OK);
    return cairn_residual_judge(&residual) != 0;
}

/* A kind of fault: what happens in a set, which it completes, and after how many good sets the network is back. */
typedef struct fault {
    void (*happen)(uint32_t set);
    uint32_t n_forms;
    uint32_t n_back;
} fault_t;

static inline void run_until(uint32_t set, uint32_t seed)
{
    begin(seed);
    for (uint32_t k = 0; k < set; ++k) {
        follow(k, give_plainly);
    }
}

/* Every set of every form's script meets the fault. */
static inline void check_fault(const fault_t *fault)
{
    for (form = 0; form < fault->n_forms; ++form) {
        for (uint32_t seed = 1; seed <= TEST_SEEDS(3u); ++seed) {
            for (uint32_t set = 0; set < SETS; set += TEST_STRIDE) {
                test_context("form, seed and set", 100u * form + 10u * seed + set);
                run_until(set, seed);
                fault->happen(set);
                for (uint32_t k = 1; k <= fault->n_back; ++k) {
                    follow(set + k, give_plainly);
                }
                CHECK(error_m() < back_m);
            }
        }
    }
}

#endif
