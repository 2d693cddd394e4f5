/* SPDX-License-Identifier: MIT
 * The few SVG elements that drawings of the tool are made of; lengths are pixels, y points down. */
#include "svg.h"

#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed UTF-8 sequence at text, 0 when it is none or a control character. */
static size_t utf8_length(const unsigned char *text)
{
    if (text[0] < 0x80) {
        return text[0] >= 0x20 && text[0] != 0x7F ? 1 : 0;
    }
    size_t length = text[0] >= 0xC2 && text[0] <= 0xDF   ? 2
                    : (text[0] & 0xF0) == 0xE0           ? 3
                    : text[0] >= 0xF0 && text[0] <= 0xF4 ? 4
                                                         : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    if (length == 3) { /* overlong forms, surrogates and the two noncharacters that XML forbids */
        uint32_t code = ((uint32_t)(text[0] & 0x0F) << 12) | ((uint32_t)(text[1] & 0x3F) << 6) | (text[2] & 0x3Fu);
        return code < 0x800 || (code >= 0xD800 && code <= 0xDFFF) || code >= 0xFFFE ? 0 : 3;
    }
    if (length == 4 && ((text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F))) {
        return 0;
    }
    return length;
}

static void print_escaped(output_t *out, const char *text)
{
    while (*text != '\0') {
        size_t length = utf8_length((const unsigned char *)text);
        if (length == 0) {
            output_print(out, "?");
            text++;
            continue;
        }
        switch (*text) {
        case '&': output_print(out, "&amp;"); break;
        case '<': output_print(out, "&lt;"); break;
        case '>': output_print(out, "&gt;"); break;
        case '"': output_print(out, "&quot;"); break;
        default: output_print(out, "%.*s", (int)length, text);
        }
        text += length;
    }
}

void svg_begin(output_t *out, double width_px, double height_px, const char *style, const char *title)
{
    output_print(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                 "role=\"img\">\n<title>",
                 width_px, height_px, width_px, height_px);
    print_escaped(out, title);
    output_print(out, "</title>\n<style>\n%s</style>\n", style);
    output_print(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", width_px, height_px);
}

void svg_end(output_t *out) { output_print(out, "</svg>\n"); }

void svg_group_begin(output_t *out, const char *css_class, const char *clip_id)
{
    output_print(out, "<g class=\"%s\"", css_class);
    if (clip_id != NULL) {
        output_print(out, " clip-path=\"url(#%s)\"", clip_id);
    }
    output_print(out, ">\n");
}

void svg_group_end(output_t *out) { output_print(out, "</g>\n"); }

void svg_clip_rectangle(output_t *out, const char *clip_id, double x, double y, double width, double height)
{
    output_print(out, "<clipPath id=\"%s\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n",
                 clip_id, x, y, width, height);
}

void svg_rectangle(output_t *out, const char *css_class, double x, double y, double width, double height)
{
    output_print(out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", css_class, x, y,
                 width, height);
}

void svg_line(output_t *out, double x1, double y1, double x2, double y2)
{
    output_print(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n", x1, y1, x2, y2);
}

/* End an element that was begun without its closing bracket. */
static void close_mark(output_t *out, const char *element, const char *tooltip)
{
    if (tooltip == NULL) {
        output_print(out, "/>\n");
        return;
    }
    output_print(out, "><title>");
    print_escaped(out, tooltip);
    output_print(out, "</title></%s>\n", element);
}

void svg_circle(output_t *out, double x, double y, double radius, const char *tooltip)
{
    output_print(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", x, y, radius);
    close_mark(out, "circle", tooltip);
}

void svg_triangle(output_t *out, double x, double y, double radius, const char *tooltip)
{
    output_print(out, "<path d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2fz\"", x, y - radius, x + 0.866 * radius,
                 y + 0.5 * radius, x - 0.866 * radius, y + 0.5 * radius);
    close_mark(out, "path", tooltip);
}

void svg_diamond(output_t *out, double x, double y, double radius, const char *tooltip)
{
    output_print(out, "<path d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2fL%.2f %.2fz\"", x, y - radius, x + radius, y, x,
                 y + radius, x - radius, y);
    close_mark(out, "path", tooltip);
}

void svg_cross(output_t *out, double x, double y, double radius, const char *tooltip)
{
    output_print(out, "<path d=\"M%.2f %.2fL%.2f %.2fM%.2f %.2fL%.2f %.2f\"", x - radius, y - radius, x + radius,
                 y + radius, x - radius, y + radius, x + radius, y - radius);
    close_mark(out, "path", tooltip);
}

void svg_segments_begin(output_t *out) { output_print(out, "<path d=\""); }

void svg_segment(output_t *out, double x1, double y1, double x2, double y2)
{
    output_print(out, "M%.1f %.1fL%.1f %.1f\n", x1, y1, x2, y2);
}

void svg_segments_end(output_t *out) { output_print(out, "\"/>\n"); }

void svg_text(output_t *out, const char *css_class, double x, double y, svg_anchor_t anchor, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    output_print(out, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", css_class, x, y, anchors[anchor]);
    print_escaped(out, text);
    output_print(out, "</text>\n");
}
