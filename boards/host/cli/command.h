/* SPDX-License-Identifier: MIT
 * The commands of the tool. A new one is a file of its own, a line here and a line in main.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

typedef struct command {
    const char *name;
    const char *summary;               /* one line of `cairn --help` */
    int (*run)(int argc, char **argv); /* the arguments after the name; returns the exit code */
} command_t;

int command_locate(int argc, char **argv);
int command_track(int argc, char **argv);
int command_cluster(int argc, char **argv);
int command_label(int argc, char **argv);
int command_embed(int argc, char **argv);
int command_mds(int argc, char **argv);
int command_simulate(int argc, char **argv);
int command_bench(int argc, char **argv);

#endif
