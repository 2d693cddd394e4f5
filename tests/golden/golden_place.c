/* SPDX-License-Identifier: MIT
 * Golden hashes of place: all losses in R^k, both methods, and on spheres. */
#include "oracle/instance.h"

static instance_t instance;

/* Bits of the places, costs and rounds of 64 problems in some of the spaces in turn. */
static uint32_t hash_in(uint32_t first_space, uint32_t n_spaces, uint32_t kind, cairn_place_method_t method)
{
    cairn_rng_t rng;
    uint32_t hash = HASH_START;
    cairn_rng_init(&rng, 1234u, kind);
    for (uint32_t run = 0; run < 64u; ++run) {
        cairn_place_result_t result = {0, 0, 0};
        instance_set(&instance, first_space + run % n_spaces, kind, method);
        instance_draw(&instance, &rng, run % 3u != 0);
        cairn_status status = instance_place(&instance, 10u, &result);
        hash = hash_u32(hash, (uint32_t)(int32_t)status);
        hash = hash_u32(hash, result.n_rounds);
        hash = hash_float(hash, (float)result.cost);
        for (size_t i = 0; i < instance.problem.dim; ++i) {
            hash = hash_float(hash, (float)instance.x[i]);
        }
    }
    return hash;
}

/* R^1, R^2, R^3 and R^5. */
static uint32_t hash_loss(uint32_t kind, cairn_place_method_t method) { return hash_in(0, 4u, kind, method); }

/* S^1, S^2 and S^3. */
static uint32_t hash_sphere(uint32_t kind) { return hash_in(4u, 3u, kind, CAIRN_PLACE_NEWTON); }

int port_main(void)
{
    golden_line("place-squared", hash_loss(ORACLE_SQUARED, CAIRN_PLACE_NEWTON));
    golden_line("place-squared-alternate", hash_loss(ORACLE_SQUARED, CAIRN_PLACE_ALTERNATE));
    golden_line("place-absolute", hash_loss(ORACLE_ABSOLUTE, CAIRN_PLACE_NEWTON));
    golden_line("place-absolute-alternate", hash_loss(ORACLE_ABSOLUTE, CAIRN_PLACE_ALTERNATE));
    golden_line("place-squared-distances", hash_loss(ORACLE_SQUARED_DISTANCES, CAIRN_PLACE_NEWTON));
    golden_line("place-huber", hash_loss(ORACLE_HUBER, CAIRN_PLACE_NEWTON));
    golden_line("place-redescend", hash_loss(ORACLE_REDESCEND, CAIRN_PLACE_NEWTON));
    golden_line("place-power", hash_loss(ORACLE_POWER, CAIRN_PLACE_NEWTON));
    golden_line("place-sphere-squared", hash_sphere(ORACLE_SQUARED));
    golden_line("place-sphere-absolute", hash_sphere(ORACLE_ABSOLUTE));
    golden_line("place-sphere-power", hash_sphere(ORACLE_POWER));
    return 0;
}
