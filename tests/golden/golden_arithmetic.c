/* SPDX-License-Identifier: MIT */
/* Golden: what all others stand on, 32-bit and 64-bit integers and the four float operations with sqrtf. */
#include "support/test.h"

#include "port.h"

#include <math.h>

int port_main(void)
{
    uint64_t state = 1u;
    uint32_t hash = HASH_START;
    uint32_t float_hash = HASH_START;
    float sum = 0.0f;
    for (int i = 0; i < 1000; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t word = (uint32_t)(state >> 33);
        hash = hash_u32(hash, word);
        float value = (float)(word & 0xFFFFFFu) * (1.0f / 16777216.0f);
        sum += sqrtf(value) / (1.0f + value * value);
        float_hash = hash_float(float_hash, sum - 0.25f * value);
    }
    golden_line("integers", hash);
    golden_line("floats", float_hash);
    return 0;
}
