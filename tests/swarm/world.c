/* SPDX-License-Identifier: MIT
 * True places of a swarm, their links and ranges, motion, and the map's errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "swarm/swarm.h"

static const double corner[4][2] = {{.1, .1}, {.9, .1}, {.1, .9}, {.9, .9}};
static const double corner_spread = .05;
static const double two_pi = 6.28318530717958647692;

double swarm_uniform(cairn_rng_t *rng) { return (double)cairn_rng_next(rng) / 4294967296.0; }

double swarm_normal(cairn_rng_t *rng)
{
    double radius = sqrt(-2 * log(1 - swarm_uniform(rng)));
    return radius * cos(two_pi * swarm_uniform(rng));
}

/* Links of each node from the table of ranges; deaf directions are drawn again for each set of links. */
static void link_up(swarm_t *self)
{
    size_t n_nodes = self->cfg.world.n_nodes;
    const range_table_t *ranges = &self->world.ranges;
    self->other = realloc(self->other, (2 * ranges->n_rows + 1) * sizeof *self->other);
    self->range_m = realloc(self->range_m, (2 * ranges->n_rows + 1) * sizeof *self->range_m);
    self->deaf = realloc(self->deaf, (2 * ranges->n_rows + 1) * sizeof *self->deaf);
    memset(self->row, 0, (n_nodes + 2) * sizeof *self->row);
    for (size_t k = 0; k < ranges->n_rows; k++) {
        self->row[ranges->row[k].a + 2]++;
        self->row[ranges->row[k].b + 2]++;
    }
    for (size_t i = 2; i < n_nodes + 2; i++) {
        self->row[i] += self->row[i - 1];
    }
    for (size_t k = 0; k < ranges->n_rows; k++) {
        const uint32_t end[2] = {ranges->row[k].a, ranges->row[k].b};
        for (size_t e = 0; e < 2; e++) {
            uint32_t at = self->row[end[e] + 1]++;
            self->other[at] = end[1 - e];
            self->range_m[at] = (float)ranges->row[k].range_m;
            self->deaf[at] = swarm_uniform(&self->rng) < self->cfg.one_way;
        }
    }
}

void swarm_measure(swarm_t *self)
{
    (void)generator_measure(&self->world);
    link_up(self);
}

void swarm_init(swarm_t *self, const swarm_cfg_t *cfg)
{
    size_t n_nodes = cfg->world.n_nodes;
    memset(self, 0, sizeof *self);
    self->cfg = *cfg;
    generator_init(&self->world, &cfg->world);
    cairn_rng_init(&self->rng, cfg->world.seed, 77);
    for (size_t i = 0; i < 4 && cfg->corners; i++) {
        for (size_t k = 0; k < 2; k++) {
            self->world.place_m[2 * i + k] = corner[i][k] + corner_spread * (2 * swarm_uniform(&self->rng) - 1);
        }
    }
    self->row = memory_zeroed(n_nodes + 2, sizeof *self->row);
    self->when_us = memory_zeroed(n_nodes, sizeof *self->when_us);
    self->order = memory_zeroed(n_nodes, sizeof *self->order);
    self->dead = memory_zeroed(n_nodes, sizeof *self->dead);
    self->rogue = memory_zeroed(n_nodes, sizeof *self->rogue);
    self->velocity_m = memory_zeroed(2 * n_nodes, sizeof *self->velocity_m);
    self->core = memory_zeroed(n_nodes, sizeof *self->core);
    swarm_measure(self);
    (void)limit_find_core(&self->world, self->core);
    swarm_native_init(self);
}

void swarm_free(swarm_t *self)
{
    generator_free(&self->world);
    free(self->row);
    free(self->other);
    free(self->range_m);
    free(self->deaf);
    free(self->when_us);
    free(self->order);
    free(self->dead);
    free(self->rogue);
    free(self->velocity_m);
    free(self->core);
    free(self->late);
    free(self->node);
    free(self->node_cfg);
    free(self->neighbours);
    free(self->far);
    free(self->ways);
}

void swarm_choose(swarm_t *self, size_t count, size_t *chosen)
{
    size_t n_sensors = self->cfg.world.n_nodes - self->cfg.world.n_anchors;
    size_t *deck = memory_zeroed(n_sensors, sizeof *deck);
    for (size_t i = 0; i < n_sensors; i++) {
        deck[i] = self->cfg.world.n_anchors + i;
    }
    for (size_t i = 0; i < count; i++) {
        size_t j = i + cairn_rng_below(&self->rng, (uint32_t)(n_sensors - i));
        chosen[i] = deck[j];
        deck[j] = deck[i];
    }
    free(deck);
}

/* fit [6]: x = fit[0] + fit[1] x' + fit[2] y', y = fit[3] + fit[4] x' + fit[5] y' */
static swarm_score_t score_with(swarm_t *self, const double *fit)
{
    swarm_score_t score = {0, 0, 0, 0, 0, 0};
    size_t n_all = 0;
    for (size_t i = self->cfg.world.n_anchors; i < self->cfg.world.n_nodes; i++) {
        double place_m[2] = {.5, .5};
        int stage = 0;
        bool known = !self->dead[i] && self->agents.place(self, i, place_m, &stage);
        double x = fit[0] + fit[1] * place_m[0] + fit[2] * place_m[1] - self->world.place_m[2 * i];
        double y = fit[3] + fit[4] * place_m[0] + fit[5] * place_m[1] - self->world.place_m[2 * i + 1];
        if (self->dead[i] || self->rogue[i] != SWARM_HONEST) {
            continue;
        }
        score.n_core += self->core[i];
        score.rmse_m += self->core[i] ? x * x + y * y : 0;
        score.rmse_all_m += known ? x * x + y * y : 0;
        n_all += known;
        if (stage == CAIRN_STAGE_PLACED) {
            score.n_placed++;
            score.n_core_placed += self->core[i];
            score.n_wrong += sqrt(x * x + y * y) > .4 * self->cfg.world.radius_m;
        }
    }
    score.rmse_m = score.n_core > 0 ? sqrt(score.rmse_m / (double)score.n_core) : 0;
    score.rmse_all_m = n_all > 0 ? sqrt(score.rmse_all_m / (double)n_all) : 0;
    return score;
}

swarm_score_t swarm_score(swarm_t *self)
{
    static const double identity[6] = {0, 1, 0, 0, 0, 1};
    return score_with(self, identity);
}

/* Sums over the placed core: means, and products of estimate and truth. */
static void sum_up(swarm_t *self, double *mean, double *product)
{
    double n = 0;
    memset(mean, 0, 4 * sizeof *mean);
    memset(product, 0, 4 * sizeof *product);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = self->cfg.world.n_anchors; i < self->cfg.world.n_nodes; i++) {
            double at[4] = {0, 0, self->world.place_m[2 * i], self->world.place_m[2 * i + 1]};
            int stage = 0;
            if (self->dead[i] || !self->core[i] || !self->agents.place(self, i, at, &stage)) {
                continue;
            }
            n += pass == 0;
            for (size_t k = 0; k < 4; k++) {
                mean[k] += pass == 0 ? at[k] : 0;
                product[k] += pass == 1 ? (at[k / 2] - mean[k / 2]) * (at[2 + k % 2] - mean[2 + k % 2]) : 0;
            }
        }
        for (size_t k = 0; k < 4 && pass == 0 && n > 0; k++) {
            mean[k] /= n;
        }
    }
}

swarm_score_t swarm_score_moved(swarm_t *self)
{
    double mean[4];
    double product[4]; /* xx', xy', yx', yy': estimate x truth */
    swarm_score_t best = {1e9, 0, 0, 0, 0, 0};
    sum_up(self, mean, product);
    for (int mirror = 0; mirror < 2; mirror++) {
        double sign = mirror ? -1 : 1;
        double cosine = product[0] + sign * product[3];
        double sine = product[1] - sign * product[2];
        double length = sqrt(cosine * cosine + sine * sine);
        double fit[6] = {0, 1, 0, 0, 0, 1};
        if (length > 0) {
            fit[1] = cosine / length;
            fit[2] = -sign * sine / length;
            fit[4] = sine / length;
            fit[5] = sign * cosine / length;
        }
        fit[0] = mean[2] - fit[1] * mean[0] - fit[2] * mean[1];
        fit[3] = mean[3] - fit[4] * mean[0] - fit[5] * mean[1];
        swarm_score_t score = score_with(self, fit);
        best = score.rmse_m < best.rmse_m ? score : best;
    }
    return best;
}
