/* SPDX-License-Identifier: MIT
 * Normalised mutual information, apart from the rest because it needs the logarithm of libm. */
#include "cairn/agree.h"

static cairn_real log_of(cairn_real x)
{
#ifdef CAIRN_REAL_DOUBLE
    return log(x);
#else
    return logf(x);
#endif
}

static cairn_real entropy_term(uint32_t count, cairn_real all)
{
    const cairn_real share = (cairn_real)count / all;

    return count > 0 ? -share * log_of(share) : (cairn_real)0;
}

cairn_real cairn_agree_nmi(const uint32_t *table, size_t k)
{
    cairn_real all = 0;
    cairn_real apart = 0; /* H(T) + H(C) */
    cairn_real joint = 0; /* H(T, C) = H(T) + H(C) - I(T, C) */

    for (size_t i = 0; i < k * k; ++i) {
        all += (cairn_real)table[i];
    }
    for (size_t c = 0; c < k && all > 0; ++c) {
        uint32_t row = 0;
        uint32_t column = 0;
        for (size_t t = 0; t < k; ++t) {
            row += table[c * k + t];
            column += table[t * k + c];
            joint += entropy_term(table[c * k + t], all);
        }
        apart += entropy_term(row, all) + entropy_term(column, all);
    }
    return apart > 0 ? cairn_max(2 * (apart - joint) / apart, 0) : (cairn_real)1;
}
