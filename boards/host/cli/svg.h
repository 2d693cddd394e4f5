/* SPDX-License-Identifier: MIT
 * The few SVG elements that drawings of the tool are made of; lengths are pixels, y points down. */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include "output.h"

typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor_t;

/* Begin a drawing on white, with a style sheet (may be ""). The title is for tooltips and screen readers. */
void svg_begin(output_t *out, double width_px, double height_px, const char *style, const char *title);
void svg_end(output_t *out);

/* Group elements under a class of the style sheet; clip_id names a clip rectangle, NULL: none. */
void svg_group_begin(output_t *out, const char *css_class, const char *clip_id);
void svg_group_end(output_t *out);

/* Define a rectangle outside which a group is not drawn. */
void svg_clip_rectangle(output_t *out, const char *clip_id, double x, double y, double width, double height);

void svg_rectangle(output_t *out, const char *css_class, double x, double y, double width, double height);
void svg_line(output_t *out, double x1, double y1, double x2, double y2);

/* Marks; tooltip may be NULL. */
void svg_circle(output_t *out, double x, double y, double radius, const char *tooltip);
void svg_triangle(output_t *out, double x, double y, double radius, const char *tooltip);
void svg_diamond(output_t *out, double x, double y, double radius, const char *tooltip);
void svg_cross(output_t *out, double x, double y, double radius, const char *tooltip);

/* One path of many segments: small even with a hundred thousand of them. */
void svg_segments_begin(output_t *out);
void svg_segment(output_t *out, double x1, double y1, double x2, double y2);
void svg_segments_end(output_t *out);

/* Text is escaped; what is not printable ASCII or UTF-8 becomes a question mark. */
void svg_text(output_t *out, const char *css_class, double x, double y, svg_anchor_t anchor, const char *text);

#endif
