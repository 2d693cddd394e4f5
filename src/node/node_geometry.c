/* SPDX-License-Identifier: MIT
 * Principal axis of points, and reflection in it. */
#include "node/node_internal.h"

/* sums: x, y, xx, xy, yy, n, of points relative to this node. */
void cairn_node_scatter(const cairn_node_t *self, const cairn_real *at_m, cairn_real *sums)
{
    const cairn_real x = at_m[0] - self->place_m[0];
    const cairn_real y = at_m[1] - self->place_m[1];

    sums[0] += x;
    sums[1] += y;
    sums[2] += x * x;
    sums[3] += x * y;
    sums[4] += y * y;
    sums[5] += 1;
}

/* Direction of the principal axis; sums become the mean. False with fewer than 3 points, or when the smaller eigenvalue
 * is not below `ratio` of the larger. */
bool cairn_node_axis(cairn_real *sums, cairn_real ratio, cairn_real *axis)
{
    const cairn_real n = sums[5];
    cairn_real xx;
    cairn_real xy;
    cairn_real yy;
    cairn_real half;
    cairn_real spread;
    cairn_real length;

    if (n < 3) {
        return false;
    }
    sums[0] /= n;
    sums[1] /= n;
    xx = sums[2] / n - sums[0] * sums[0];
    xy = sums[3] / n - sums[0] * sums[1];
    yy = sums[4] / n - sums[1] * sums[1];
    half = 0.5f * (xx + yy);
    spread = cairn_sqrt(0.25f * (xx - yy) * (xx - yy) + xy * xy);
    if (!(half - spread < ratio * (half + spread))) {
        return false;
    }
    axis[0] = xx > yy ? 0.5f * (xx - yy) + spread : xy; /* of the two forms, the one without cancellation */
    axis[1] = xx > yy ? xy : 0.5f * (yy - xx) + spread;
    length = cairn_sqrt(axis[0] * axis[0] + axis[1] * axis[1]);
    axis[0] = length > 0 ? axis[0] / length : 1;
    axis[1] = length > 0 ? axis[1] / length : 0;
    return true;
}

void cairn_node_reflect(const cairn_real *point, const cairn_real *axis, cairn_real *place_m)
{
    const cairn_real x = place_m[0] - point[0];
    const cairn_real y = place_m[1] - point[1];
    const cairn_real across = 2 * (y * axis[0] - x * axis[1]);

    place_m[0] += across * axis[1];
    place_m[1] -= across * axis[0];
}
