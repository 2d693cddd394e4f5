/* SPDX-License-Identifier: MIT
 * Tables of benches. */
#include "verdict.h"

#include "exit_code.h"

void verdict_at_most(verdict_t *self, const char *name, double value, double limit, const char *unit)
{
    const bool good = value <= limit;
    self->n_figures++;
    self->n_short += !good;
    output_print(self->out, "%-58s %10.4g  <= %-8.4g %-5s %s\n", name, value, limit, unit, good ? "ok" : "falls short");
    output_flush(self->out);
}

void verdict_holds(verdict_t *self, const char *name, bool holds)
{
    self->n_figures++;
    self->n_short += !holds;
    output_print(self->out, "%-58s %10s  %-17s %s\n", name, holds ? "yes" : "no", "", holds ? "ok" : "falls short");
    output_flush(self->out);
}

void verdict_note(verdict_t *self, const char *name, double value, const char *unit)
{
    output_print(self->out, "%-58s %10.4g  %-11s %s\n", name, value, "", unit);
    output_flush(self->out);
}

int verdict_end(verdict_t *self)
{
    if (self->n_figures == 0) {
        output_print(self->out, "skipped: no figure was judged\n");
    } else {
        output_print(self->out, "%u of %u figures ok\n", self->n_figures - self->n_short, self->n_figures);
    }
    const output_result_t written = output_close(self->out);
    return written == OUTPUT_FAILED || self->n_short > 0 ? CLI_BAD_DATA : CLI_DONE;
}
