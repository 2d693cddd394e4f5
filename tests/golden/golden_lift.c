/* SPDX-License-Identifier: MIT
 * Golden hashes of the lift, alone and with each kind of bias, and of rigid motions. */
#include "cairn/lift.h"
#include "cairn/rigid.h"
#include "oracle/world.h"

enum { NODES = 12, POINTS = 6 };

static const cairn_lift_cfg_t lift_cfg = {NULL, NULL, 1, 2, 10, 20, 20, (cairn_real)1e-4};
static cairn_lift_t job;
static cairn_bias_t bias;
static cairn_real values[WORLD_RANGES];

/* Lifts the drawn world, with a model of bias unless `cfg` is NULL; the values count too. */
static void golden(const char *name, const cairn_bias_cfg_t *cfg)
{
    size_t n_values = 0;
    world_build();
    if (cfg != NULL) {
        CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
        n_values = CAIRN_BIAS_VALUES(cfg->model, world.n_nodes, world_net.n_ranges);
        CHECK_EQ(cairn_bias_init(&bias, cfg, &world_net, values, n_values), CAIRN_OK);
    }
    cairn_status status = cairn_lift_init(&job, &lift_cfg, &world_net, cfg != NULL ? &bias : NULL, world_work,
                                          CAIRN_LIFT_WORDS(world.n_nodes, world.dim));
    do {
        status = status < 0 ? status : cairn_lift_step(&job, 3000u);
    } while (status == CAIRN_MORE);
    uint32_t hash = hash_u32(world_hash(), (uint32_t)(int32_t)status);
    hash = hash_u32(hash, cairn_lift_get_sweeps(&job));
    for (size_t k = 0; k < n_values; ++k) {
        hash = hash_float(hash, (float)cairn_bias_get(&bias, k));
    }
    golden_line(name, hash_float(hash, (float)cairn_lift_get_cost(&job)));
}

/* Fits of random points to random points, so that mirror images and motions without one both occur. */
static void golden_rigid(const char *name, size_t dim)
{
    uint32_t hash = HASH_START;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 31u, dim);
    for (uint32_t run = 0; run < 16u; ++run) {
        cairn_real points[2][POINTS * CAIRN_RIGID_DIM_MAX];
        cairn_rigid_t motion;
        cairn_real rms = 0;
        for (size_t i = 0; i < 2u * POINTS * dim; ++i) {
            points[i % 2u][i / 2u] = random_between(&rng, -5, 5);
        }
        hash = hash_u32(hash, (uint32_t)(int32_t)cairn_rigid_fit(&motion, points[0], points[1], NULL, POINTS, dim,
                                                                 run % 2u == 0, &rms));
        hash = hash_float(hash, (float)rms);
        cairn_rigid_apply(&motion, points[0], points[0]);
        for (size_t k = 0; k < dim; ++k) {
            hash = hash_float(hash, (float)points[0][k]);
        }
    }
    golden_line(name, hash);
}

int port_main(void)
{
    static const char *const names[] = {"lift-bias-common", "lift-bias-scale", "lift-bias-link", "lift-bias-device",
                                        "lift-bias-gain"};
    world_draw(NODES, 4u, 2u, 7, (cairn_real)0.125, 1u);
    golden("lift-squared", NULL);
    for (int model = 0; model < 5; ++model) {
        const cairn_bias_cfg_t cfg = {(cairn_bias_model_t)model, 0, (cairn_real)0.25, (cairn_real)1.5};
        golden(names[model], &cfg);
    }
    world_draw(NODES, 5u, 3u, 9, (cairn_real)0.125, 2u);
    golden("lift-3d", NULL);
    golden_rigid("rigid-2d", 2u);
    golden_rigid("rigid-3d", 3u);
    return 0;
}
