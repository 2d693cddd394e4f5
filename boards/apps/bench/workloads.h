/* SPDX-License-Identifier: MIT */
/* The list: one line for each workload object defined in workload_<name>.c. */
BENCH_WORKLOAD(workload_empty)
BENCH_WORKLOAD(workload_sqrt_sum)
BENCH_WORKLOAD(workload_locate)
BENCH_WORKLOAD(workload_fix)
BENCH_WORKLOAD(workload_track_2d)
BENCH_WORKLOAD(workload_track_3d)
BENCH_WORKLOAD(workload_track_odometry)
BENCH_WORKLOAD(workload_track_links)
BENCH_WORKLOAD(workload_textbook_ekf)
BENCH_WORKLOAD(workload_track_predict)
BENCH_WORKLOAD(workload_node_tick)
BENCH_WORKLOAD(workload_node_tick_moving)
/* These need more than the microbit's 16 KB. */
#if !defined(BOARD_RAM_BYTES) || BOARD_RAM_BYTES > 16384
BENCH_WORKLOAD(workload_coldstart)
BENCH_WORKLOAD(workload_cluster)
BENCH_WORKLOAD(workload_embed)
BENCH_WORKLOAD(workload_embed_early)
#endif
