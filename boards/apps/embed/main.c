/* SPDX-License-Identifier: MIT
 * Streams windows as of an accelerometer (12 features, 4 kinds of movement) through embed on the board and prints the map:
 * one letter a kind. Exit code 0: every window was placed. */
#include "apps/common/writer.h"
#include "cairn/embed.h"

enum { L = 32, D = 12, K = 2, N_WINDOWS = 300, COLUMNS = 60, ROWS = 20 };

static cairn_real reals[CAIRN_EMBED_REALS(L, D, K) + CAIRN_EMBED_STORED_REALS(L)];
static cairn_embed_t embed;
static cairn_embed_cfg_t cfg;
static cairn_real place[N_WINDOWS][K];
static char map[ROWS][COLUMNS + 1];

/* Mean, deviation, range and rate of sign changes of three axes, for lying, standing, walking and running. */
static void draw_window(cairn_rng_t *rng, uint32_t kind, cairn_real *features)
{
    static const cairn_real gravity[4][3] = {{0.9f, 0.1f, 0.2f}, {0, 0.1f, 1}, {0.1f, 0.2f, 0.9f}, {0.3f, 0.1f, 0.9f}};
    static const cairn_real effort[4] = {0.05f, 0.1f, 0.6f, 1.3f};
    const cairn_real strength = effort[kind] * (0.7f + 0.6f * cairn_rng_uniform(rng));
    for (int axis = 0; axis < 3; ++axis) {
        features[4 * axis] = gravity[kind][axis] + 0.1f * cairn_rng_uniform(rng);
        features[4 * axis + 1] = strength * (0.5f + 0.2f * (cairn_real)axis) + 0.05f * cairn_rng_uniform(rng);
        features[4 * axis + 2] = 2.5f * features[4 * axis + 1] + 0.1f * cairn_rng_uniform(rng);
        features[4 * axis + 3] = strength + 0.2f * cairn_rng_uniform(rng);
    }
}

static int find_cell(cairn_real value, cairn_real low, cairn_real high, int n)
{
    const int cell = high > low ? (int)((value - low) / (high - low) * (cairn_real)n) : 0;
    return cell < n ? cell : n - 1;
}

static void draw_map(writer_t *out)
{
    static const char letters[] = "LSWR";
    cairn_real low[K], high[K];
    memset(map, ' ', sizeof map);
    for (int a = 0; a < K; ++a) {
        low[a] = high[a] = place[0][a];
        for (int i = 0; i < N_WINDOWS; ++i) {
            low[a] = cairn_min(low[a], place[i][a]);
            high[a] = cairn_max(high[a], place[i][a]);
        }
    }
    for (int i = 0; i < N_WINDOWS; ++i) {
        const int row = find_cell(place[i][1], low[1], high[1], ROWS);
        map[row][find_cell(place[i][0], low[0], high[0], COLUMNS)] = letters[i % 4];
    }
    for (int row = 0; row < ROWS; ++row) {
        map[row][COLUMNS] = '\0';
        writer_text(out, map[row]);
        writer_text(out, "\n");
    }
    writer_text(out, "L lying, S standing, W walking, R running; ");
}

int port_main(void)
{
    const cairn_embed_memory_t memory = {reals, sizeof reals / sizeof reals[0], NULL, 0};
    writer_t out;
    cairn_rng_t rng;
    int n_wrong;
    cfg = cairn_embed_cfg_default;
    cfg.n_features = D;
    cfg.dim = K;
    cfg.n_landmarks = L;
    cfg.store_distances = true;
    cairn_rng_init(&rng, 8, 8);
    writer_console(&out);
    n_wrong = cairn_embed_init(&embed, &cfg, &memory) != CAIRN_OK;
    for (uint32_t i = 0; i < N_WINDOWS; ++i) {
        cairn_real features[D];
        draw_window(&rng, i % 4u, features);
        const cairn_status status = cairn_embed_push(&embed, features, place[i]);
        n_wrong += status < 0;
        while (status == CAIRN_MORE && cairn_embed_step(&embed, 500) == CAIRN_MORE) {
        }
        for (uint32_t j = 0; j <= i && status == CAIRN_MORE; ++j) {
            n_wrong += cairn_embed_get_landmark(&embed, j, place[j]) != CAIRN_OK;
        }
    }
    draw_map(&out);
    writer_unsigned(&out, sizeof reals + sizeof embed, 0);
    writer_text(&out, " bytes\n");
    writer_flush(&out);
    return n_wrong != 0 ? 1 : 0;
}
