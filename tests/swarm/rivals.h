/* SPDX-License-Identifier: MIT
 * Maps that fit a network's ranges better than least squares from the truth. */
#ifndef SWARM_RIVALS_H
#define SWARM_RIVALS_H

#include "swarm/swarm.h"

typedef struct rivals {
    bool found;     /* the network is ambiguous */
    bool by_swarm;  /* only the swarm's map told it */
    double central; /* error of least squares from the library's cold start, by the reference's */
} rivals_t;

/* A network is ambiguous when the cheapest map found is another one than that of `reference`, least squares from the
 * truth: its error is above 1.3 times the reference's. Maps are found by least squares from the library's cold start and
 * from the swarm's present map (unless that lies in a frame of its own); one that costs the same is not cheaper. The cold
 * start is asked of every network, also where the swarm has come near the truth; the swarm's map hardly tells it of a
 * network that the swarm finds, so those that it alone tells of are counted apart. */
rivals_t rivals_find(swarm_t *swarm, const limit_t *reference);

#endif
