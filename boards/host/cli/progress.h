/* SPDX-License-Identifier: MIT
 * A progress bar on the terminal, shown only when a job takes more than a second. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    bool enabled; /* wanted, and the standard error stream is a terminal */
    bool drawn;
    double begin_s;
    double drawn_s;
} progress_t;

/* Start; wanted is false for --quiet. */
void progress_begin(progress_t *self, bool wanted);

/* Show that share (0 to 1) of the job is done; cheap enough to call every few milliseconds. */
void progress_update(progress_t *self, double share, const char *stage);

/* Remove the bar. */
void progress_end(progress_t *self);

#endif
