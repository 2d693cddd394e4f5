/* SPDX-License-Identifier: MIT
 * Benches of the command line tool. A new one is a file of its own, a line here and a line in bench_table.c. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

typedef struct bench {
    const char *name;
    const char *summary;               /* one line of `cairn bench` */
    int (*run)(int argc, char **argv); /* the arguments after the name; returns the exit code, 1: falls short */
} bench_t;

extern const bench_t bench_limit;
extern const bench_t bench_locate;
extern const bench_t bench_scale;
extern const bench_t bench_embed;
extern const bench_t bench_mds;
extern const bench_t bench_pic;
extern const bench_t bench_real;
extern const bench_t bench_real_static;
extern const bench_t bench_track;
extern const bench_t bench_walk;

extern const bench_t *const bench_table[]; /* ended by NULL */

#endif
