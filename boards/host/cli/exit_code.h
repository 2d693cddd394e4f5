/* SPDX-License-Identifier: MIT
 * What the tool returns to the shell. */
#ifndef CLI_EXIT_CODE_H
#define CLI_EXIT_CODE_H

enum {
    CLI_DONE = 0,     /* done, also when the reader of a pipe had enough */
    CLI_BAD_DATA = 1, /* a file cannot be read or written, or its contents cannot be used */
    CLI_USAGE = 2     /* the command line is wrong */
};

#endif
