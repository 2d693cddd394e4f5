/* SPDX-License-Identifier: MIT
 * cairn: the command line tool. Finds the command and hands over. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cairn/version.h"
#include "command.h"
#include "exit_code.h"
#include "output.h"

static const command_t commands[] = {
    {"locate", "places of sensors from measured ranges and a few anchors", command_locate},
    {"track", "paths of moving sensors, one range at a time", command_track},
    {"cluster", "groups of nodes from links, or of points", command_cluster},
    {"label", "labels of all nodes from a few known ones", command_label},
    {"embed", "a stream of feature vectors as points that keep their distances", command_embed},
    {"mds", "places of objects from a table of their distances", command_mds},
    {"simulate", "made-up networks with their true places", command_simulate},
    {"bench", "measured accuracy and speed beside published figures", command_bench},
};

static const size_t n_commands = sizeof commands / sizeof commands[0];

static int print_help(void)
{
    output_t out;
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    output_print(&out, "usage: cairn COMMAND [OPTION...]\n\n"
                       "Each job of the Cairn library on CSV files.\n\ncommands\n");
    for (size_t i = 0; i < n_commands; i++) {
        output_print(&out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    output_print(&out, "\n  cairn COMMAND --help   options, columns and what is refused\n"
                       "  cairn --version        the version\n\n"
                       "Results go to the standard output or --out; a summary of `key: value` lines and complaints\n"
                       "to the standard error stream. Exit code: 0 done, 1 bad data, 2 wrong usage. When the reader\n"
                       "of a pipe goes away early, the tool stops quietly with 0.\n");
    return output_exit_code(output_close(&out));
}

static int print_version(void)
{
    output_t out;
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    output_print(&out, "cairn %s\n", CAIRN_VERSION);
    return output_exit_code(output_close(&out));
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a write to a closed pipe fails instead, and output.c ends quietly */
    signal(SIGXFSZ, SIG_IGN); /* one beyond the largest file allowed fails too, and output.c says so */
    if (argc < 2) {
        fputs("cairn: which command? See cairn --help\n", stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        return print_help();
    }
    if (strcmp(argv[1], "--version") == 0) {
        return print_version();
    }
    for (size_t i = 0; i < n_commands; i++) {
        if (strcmp(commands[i].name, argv[1]) == 0) {
            return commands[i].run(argc - 2, argv + 2);
        }
    }
    fprintf(stderr, "cairn: there is no command '%s'; see cairn --help\n", argv[1]);
    return CLI_USAGE;
}
