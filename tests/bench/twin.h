/* SPDX-License-Identifier: MIT
 * Names of a second copy of the library's clustering, in double, beside the float one. */
#ifndef BENCH_TWIN_H
#define BENCH_TWIN_H

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdouble-promotion" /* constants of the float library are exact or as good */
#endif
#ifndef CAIRN_REAL_DOUBLE
#define CAIRN_REAL_DOUBLE
#endif
#define cairn_walk_multiply_runs    twin_walk_multiply_runs
#define cairn_walk_multiply_run     twin_walk_multiply_run
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
#define cairn_pic_begins_thin       twin_pic_begins_thin
#define cairn_pic_add_thin          twin_pic_add_thin
#define cairn_pic_scale_thin        twin_pic_scale_thin
#define cairn_graph_init            twin_graph_init
#define cairn_graph_add             twin_graph_add
#define cairn_graph_add_dense       twin_graph_add_dense
#define cairn_graph_add_list        twin_graph_add_list
#define cairn_graph_add_priority    twin_graph_add_priority
#define cairn_graph_add_row         twin_graph_add_row
#define cairn_graph_admit           twin_graph_admit
#define cairn_graph_clear_index     twin_graph_clear_index
#define cairn_graph_clear_node      twin_graph_clear_node
#define cairn_graph_count           twin_graph_count
#define cairn_graph_drop_list       twin_graph_drop_list
#define cairn_graph_drop_row_slot   twin_graph_drop_row_slot
#define cairn_graph_find            twin_graph_find
#define cairn_graph_get_links       twin_graph_get_links
#define cairn_graph_get_nodes       twin_graph_get_nodes
#define cairn_graph_hash            twin_graph_hash
#define cairn_graph_repeat          twin_graph_repeat
#define cairn_graph_rescale         twin_graph_rescale
#define cairn_graph_restore_heap    twin_graph_restore_heap
#define cairn_graph_scale           twin_graph_scale
#define cairn_graph_touch           twin_graph_touch
#define cairn_graph_walk            twin_graph_walk

#endif
