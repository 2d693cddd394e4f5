/* SPDX-License-Identifier: MIT
 * One cold start of a made-up network, measured against the truth. */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include "cairn/coldstart.h"
#include "generator.h"

typedef struct trial_cfg {
    generator_cfg_t network; /* the sensors move once before they are measured */
    double missing;          /* share of the ranges left out at random */
    double tripled;          /* share of the ranges tripled */
    bool give_starts;        /* the places before the movement */
    const cairn_loss_t *loss;
} trial_cfg_t;

typedef struct trial {
    cairn_status status;
    size_t n_ranges;
    size_t n_core;
    double rmse_m; /* all sensors with a place */
    double rmse_core_m;
    double seconds;  /* processor time of init and steps: everything but drawing and entering the ranges */
    size_t n_lost;   /* sensors without a place */
    size_t n_placed; /* sensors in state placed */
    size_t n_off;    /* of these, off by more than 4 deviations in some coordinate's mean */
    double nees;     /* mean over these of squared error per dimension over squared deviation */
    double misfit;   /* sum over ranges and starts, whether given or not, of squared residual over true variance */
    size_t bytes;    /* of the network and of the work */
    double limit_m;  /* core, of least squares from the truth; 0 when not asked for */
    bool limit_converged;
} trial_t;

/* Draw, locate, compare; with_limit: also find the limit. */
void trial_run(const trial_cfg_t *cfg, bool with_limit, trial_t *result);

#endif
