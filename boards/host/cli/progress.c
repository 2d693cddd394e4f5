/* SPDX-License-Identifier: MIT
 * A progress bar on the terminal, shown only when a job takes more than a second. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "stopwatch.h"

enum { BAR_CHARACTERS = 32 };

static const double first_s = 1.0;
static const double between_s = 0.1;

void progress_begin(progress_t *self, bool wanted)
{
    self->enabled = wanted && isatty(STDERR_FILENO) == 1;
    self->drawn = false;
    self->begin_s = stopwatch_wall_s();
    self->drawn_s = self->begin_s;
}

void progress_update(progress_t *self, double share, const char *stage)
{
    if (!self->enabled) {
        return;
    }
    double now_s = stopwatch_wall_s();
    if (now_s - self->begin_s < first_s || (self->drawn && now_s - self->drawn_s < between_s)) {
        return;
    }
    double shown = share < 0 ? 0 : share > 1 ? 1 : share;
    int filled = (int)(shown * BAR_CHARACTERS);
    fprintf(stderr, "\r[");
    for (int i = 0; i < BAR_CHARACTERS; i++) {
        fputc(i < filled ? '#' : ' ', stderr);
    }
    fprintf(stderr, "] %3.0f %%  %4.0f s  %-16s", shown * 100, now_s - self->begin_s, stage);
    fflush(stderr);
    self->drawn = true;
    self->drawn_s = now_s;
}

void progress_end(progress_t *self)
{
    if (self->drawn) {
        fprintf(stderr, "\r%*s\r", BAR_CHARACTERS + 40, "");
        fflush(stderr);
    }
    self->enabled = false;
}
