/* SPDX-License-Identifier: MIT
 * A second copy of the library's clustering, in double and under other names: the oracle of its float labels. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdouble-promotion" /* constants of the float library are exact or as good */
#endif
#ifndef CAIRN_REAL_DOUBLE
#define CAIRN_REAL_DOUBLE
#endif
#define PIC_RUN pic_run_double

#define cairn_walk_multiply_runs    twin_walk_multiply_runs
#define cairn_run_weight            twin_run_weight
#define cairn_half_walk             twin_half_walk
#define cairn_half_count            twin_half_count
#define cairn_half_starts           twin_half_starts
#define cairn_half_fill             twin_half_fill
#define cairn_rng_init              twin_rng_init
#define cairn_rng_next              twin_rng_next
#define cairn_rng_below             twin_rng_below
#define cairn_rng_uniform           twin_rng_uniform
#define cairn_pic_cfg_default       twin_pic_cfg_default
#define cairn_pic_cfg_small         twin_pic_cfg_small
#define cairn_pic_init              twin_pic_init
#define cairn_pic_begin             twin_pic_begin
#define cairn_pic_step              twin_pic_step
#define cairn_pic_get_label         twin_pic_get_label
#define cairn_pic_get_place         twin_pic_get_place
#define cairn_pic_get_result        twin_pic_get_result
#define cairn_pic_draw_columns      twin_pic_draw_columns
#define cairn_pic_finish_step       twin_pic_finish_step
#define cairn_pic_orthogonalise     twin_pic_orthogonalise
#define cairn_pic_rotate            twin_pic_rotate
#define cairn_pic_split             twin_pic_split
#define cairn_walk_sort             twin_walk_sort
#define cairn_pic_has_sample        twin_pic_has_sample
#define cairn_pic_choose_centres    twin_pic_choose_centres
#define cairn_pic_round             twin_pic_round
#define cairn_pic_take_best_centres twin_pic_take_best_centres
#define cairn_pic_clear_inner       twin_pic_clear_inner
#define cairn_pic_add_inner         twin_pic_add_inner
#define cairn_pic_score             twin_pic_score
#define cairn_pic_number            twin_pic_number
#define cairn_pic_add_ties          twin_pic_add_ties
#define cairn_pic_clear_ties        twin_pic_clear_ties
#define cairn_pic_move              twin_pic_move
#define cairn_pic_vote              twin_pic_vote
#define cairn_pic_block_nodes       twin_pic_block_nodes
#define cairn_pic_add_stays         twin_pic_add_stays
#define cairn_pic_settle            twin_pic_settle

#include "../../src/core/rng.c"
#include "../../src/walk/half.c"
#include "../../src/walk/pic.c"
#include "../../src/walk/pic_block.c"
#include "../../src/walk/pic_kmeans.c"
#include "../../src/walk/pic_move.c"
#include "../../src/walk/pic_score.c"
#include "../../src/walk/pic_split.c"
#include "../../src/walk/pic_stable.c"
#include "../../src/walk/sort.c"
#include "../../src/walk/walk.c"

#include "pic_run.c"
