/* SPDX-License-Identifier: MIT
 * The view of a drawing: which part of the plane it shows, with equal axes, and the frame, grid and scale bar. */
#include "map_view.h"

#include <math.h>
#include <stdio.h>

#include "svg.h"

static const double margin_share = 0.04;  /* of the wider side, kept free round the contents */
static const double tick_gap_px = 7;      /* between a number and the frame */
static const double digit_px = 8;         /* at most, of a number */
static const double label_least_px = 18;  /* from the left edge, where numbers are long */
static const double slimmest_share = 0.4; /* the plot is at least this high and wide, of the room */

void map_view_fit(map_view_t *self, const double low_m[2], const double high_m[2], double left_px, double top_px,
                  double width_max_px, double height_max_px)
{
    self->plain_units = false;
    double size_m[2];
    for (int k = 0; k < 2; k++) {
        size_m[k] = high_m[k] - low_m[k];
    }
    double margin_m = margin_share * fmax(size_m[0], size_m[1]);
    if (!(margin_m > 0)) {
        margin_m = 0.5;
    }
    size_m[0] += 2 * margin_m;
    size_m[1] += 2 * margin_m;
    self->left_px = left_px;
    self->top_px = top_px;
    self->px_per_m = fmin(width_max_px / size_m[0], height_max_px / size_m[1]);
    self->width_px = fmax(self->px_per_m * size_m[0], slimmest_share * width_max_px);
    self->height_px = fmax(self->px_per_m * size_m[1], slimmest_share * height_max_px);
    double shown_m[2] = {self->width_px / self->px_per_m, self->height_px / self->px_per_m};
    for (int k = 0; k < 2; k++) {
        double middle_m = low_m[k] + (high_m[k] - low_m[k]) / 2;
        self->low_m[k] = middle_m - shown_m[k] / 2;
        self->high_m[k] = middle_m + shown_m[k] / 2;
    }
}

double map_view_x_px(const map_view_t *self, double x_m)
{
    return self->left_px + (x_m - self->low_m[0]) * self->px_per_m;
}

double map_view_y_px(const map_view_t *self, double y_m)
{
    return self->top_px + self->height_px - (y_m - self->low_m[1]) * self->px_per_m;
}

bool map_view_contains(const map_view_t *self, const double *place_m)
{
    return place_m[0] >= self->low_m[0] && place_m[0] <= self->high_m[0] && place_m[1] >= self->low_m[1] &&
           place_m[1] <= self->high_m[1];
}

/* The largest of 1, 2, 5 times a power of ten that is not above limit. */
static double round_down(double limit)
{
    double power = pow(10, floor(log10(limit)));
    double share = limit / power;
    return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

static int decimals_for(double step)
{
    double digits = -floor(log10(step) + 1e-9);
    return digits < 0 ? 0 : digits > 12 ? 12 : (int)digits;
}

/* Returns how many characters its number has. */
static int draw_tick(output_t *out, const map_view_t *self, int axis, double at_m, double step_m)
{
    char text[64];
    double shown_m = fabs(at_m) < step_m * 1e-6 ? 0 : at_m;
    int n_characters = snprintf(text, sizeof text, "%.*f", decimals_for(step_m), shown_m);
    double bottom_px = self->top_px + self->height_px;
    if (axis == 0) {
        double x_px = map_view_x_px(self, at_m);
        svg_line(out, x_px, self->top_px, x_px, bottom_px);
        svg_text(out, "tick", x_px, bottom_px + 17, SVG_MIDDLE, text);
    } else {
        double y_px = map_view_y_px(self, at_m);
        svg_line(out, self->left_px, y_px, self->left_px + self->width_px, y_px);
        svg_text(out, "tick", self->left_px - tick_gap_px, y_px + 4, SVG_END, text);
    }
    return n_characters;
}

void map_view_draw_grid(output_t *out, const map_view_t *self)
{
    static const double between_px = 110;
    double step_m = round_down(between_px * 1.3 / self->px_per_m);
    int longest = 0; /* of the numbers along the last axis */
    svg_group_begin(out, "grid", NULL);
    for (int axis = 0; axis < 2; axis++) {
        double first = ceil(self->low_m[axis] / step_m);
        longest = 0;
        for (int i = 0; i < 100 && (first + i) * step_m <= self->high_m[axis]; i++) {
            int n_characters = draw_tick(out, self, axis, (first + i) * step_m, step_m);
            longest = n_characters > longest ? n_characters : longest;
        }
    }
    svg_group_end(out);
    double bottom_px = self->top_px + self->height_px;
    svg_rectangle(out, "frame", self->left_px, self->top_px, self->width_px, self->height_px);
    svg_text(out, "tick", self->left_px + self->width_px / 2, bottom_px + 36, SVG_MIDDLE,
             self->plain_units ? "x1" : "x, metres");
    double label_px = fmax(self->left_px - 3 * tick_gap_px - digit_px * longest, label_least_px);
    output_print(out, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">\n", label_px,
                 self->top_px + self->height_px / 2);
    svg_text(out, "tick", 0, 0, SVG_MIDDLE, self->plain_units ? "x2" : "y, metres");
    svg_group_end(out);
}

void map_view_draw_scale(output_t *out, const map_view_t *self, double x_px, double y_px, double width_max_px)
{
    char text[64];
    double length_m = round_down(width_max_px / self->px_per_m);
    double length_px = length_m * self->px_per_m;
    svg_group_begin(out, "scale", NULL);
    svg_line(out, x_px, y_px, x_px + length_px, y_px);
    svg_line(out, x_px, y_px - 4, x_px, y_px + 4);
    svg_line(out, x_px + length_px, y_px - 4, x_px + length_px, y_px + 4);
    svg_group_end(out);
    snprintf(text, sizeof text, "%.*f m", decimals_for(length_m), length_m);
    svg_text(out, "label", x_px, y_px + 20, SVG_START, text);
}
