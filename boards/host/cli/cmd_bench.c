/* SPDX-License-Identifier: MIT
 * cairn bench: runs one of the registered benches, or lists them. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "bench/bench.h"
#include "command.h"
#include "exit_code.h"

static const args_help_t help = {"cairn bench", "[NAME [OPTION...]]",
                                 "Measures and compares with published figures; without a name, lists the benches.\n"
                                 "`cairn bench NAME --help` tells more. Exit code 1: a figure falls short.\n",
                                 NULL};

static void end_quietly(int signal_number)
{
    (void)signal_number;
    _exit(CLI_DONE);
}

/* Rows take minutes: each is shown when it is there, and a reader that goes away ends the bench, which leaves no files. */
static void show_rows_at_once(void)
{
    signal(SIGPIPE, end_quietly);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

static int list_benches(void)
{
    output_t out;
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    for (size_t i = 0; bench_table[i] != NULL; i++) {
        output_print(&out, "%-12s %s\n", bench_table[i]->name, bench_table[i]->summary);
    }
    return output_exit_code(output_close(&out));
}

int command_bench(int argc, char **argv)
{
    if (argc == 0) {
        return list_benches();
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        return args_print_help(&help, NULL, 0);
    }
    for (size_t i = 0; bench_table[i] != NULL; i++) {
        if (strcmp(bench_table[i]->name, argv[0]) == 0) {
            show_rows_at_once();
            return bench_table[i]->run(argc - 1, argv + 1);
        }
    }
    return args_usage_error(help.command, "there is no bench '%s'", argv[0]);
}
