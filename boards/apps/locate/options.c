/* SPDX-License-Identifier: MIT */
/* The firmware's arguments. */
#include "apps/locate/app.h"

#include "apps/common/decimal.h"

#include <string.h>

static char arguments[PORT_ARGUMENTS_BYTES_MAX];

typedef struct {
    const char *name;
    const cairn_loss_t *loss;
} loss_t;

static const loss_t losses[] = {
    {"squared", &cairn_loss_squared},
    {"absolute", &cairn_loss_absolute},
    {"huber", &cairn_loss_huber},
    {"redescend", &cairn_loss_redescend},
};

static bool fail(app_t *app, const char *what, const char *value)
{
    writer_text(&app->console, "locate: ");
    writer_text(&app->console, what);
    writer_text(&app->console, ", ");
    writer_text(&app->console, value);
    writer_text(&app->console, "\nusage: locate [FOLDER] [--places FILE|-] [--svg FILE] [--noise-rel R]\n"
                               "  [--noise-abs M] [--radius M] [--loss squared|absolute|huber|redescend]\n"
                               "  [--slice OPERATIONS] [--sweeps N]\n");
    return false;
}

/* Cut the next word off; NULL at the end. */
static char *next_word(char **rest)
{
    char *word = *rest;
    while (*word == ' ') {
        ++word;
    }
    if (*word == '\0') {
        return NULL;
    }
    char *end = strchr(word, ' ');
    *rest = end != NULL ? end + 1 : word + strlen(word);
    if (end != NULL) {
        *end = '\0';
    }
    return word;
}

static bool read_real(app_t *app, const char *name, const char *text, double low, double high, double *value)
{
    double read = 0.0;
    if (decimal_parse(text, strlen(text), &read) != DECIMAL_OK || !(read >= low && read <= high)) {
        return fail(app, name, text);
    }
    *value = read;
    return true;
}

static bool read_count(app_t *app, const char *name, const char *text, uint32_t high, uint32_t *value)
{
    uint32_t read = 0;
    if (decimal_parse_unsigned(text, strlen(text), &read) != DECIMAL_OK || read < 1u || read > high) {
        return fail(app, name, text);
    }
    *value = read;
    return true;
}

static bool read_loss(app_t *app, const char *text)
{
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; ++i) {
        if (strcmp(text, losses[i].name) == 0) {
            app->options.loss_name = losses[i].name;
            app->options.loss = losses[i].loss;
            return true;
        }
    }
    return fail(app, "--loss", text);
}

static bool read_option(app_t *app, const char *name, const char *value)
{
    options_t *options = &app->options;
    if (strcmp(name, "--places") == 0) {
        options->places_path = value;
        return true;
    }
    if (strcmp(name, "--svg") == 0) {
        options->svg_path = value;
        return true;
    }
    if (strcmp(name, "--noise-rel") == 0) {
        return read_real(app, name, value, 0.0, 10.0, &options->noise_rel);
    }
    if (strcmp(name, "--noise-abs") == 0) {
        return read_real(app, name, value, 0.0, 1e6, &options->noise_abs_m);
    }
    if (strcmp(name, "--radius") == 0) {
        return read_real(app, name, value, 0.0, 1e6, &options->radius_m);
    }
    if (strcmp(name, "--loss") == 0) {
        return read_loss(app, value);
    }
    if (strcmp(name, "--slice") == 0) {
        return read_count(app, name, value, UINT32_MAX, &options->slice);
    }
    if (strcmp(name, "--sweeps") == 0) {
        return read_count(app, name, value, UINT16_MAX, &options->sweeps_max);
    }
    return fail(app, "unknown option", name);
}

static void set_defaults(options_t *options)
{
    options->loss_name = losses[0].name;
    options->loss = losses[0].loss;
    options->noise_rel = 0.05;
    options->noise_abs_m = 0.1;
    options->slice = 20000;
    options->sweeps_max = cairn_locate_cfg_default.sweeps_max;
}

bool options_read(app_t *app)
{
    options_t *options = &app->options;
    set_defaults(options);
    strncpy(arguments, port_arguments(), sizeof arguments - 1u);
    char *rest = arguments;
    for (char *word = next_word(&rest); word != NULL; word = next_word(&rest)) {
        if (word[0] != '-') {
            if (options->folder != NULL) {
                return fail(app, "a second folder", word);
            }
            options->folder = word;
            continue;
        }
        const char *value = next_word(&rest);
        if (value == NULL) {
            return fail(app, "a value needed, or an unknown option", word);
        }
        if (!read_option(app, word, value)) {
            return false;
        }
    }
    app->network_cfg.dim = DIM;
    app->network_cfg.noise_rel = (cairn_real)options->noise_rel;
    app->network_cfg.noise_abs_m = (cairn_real)options->noise_abs_m;
    app->network_cfg.range_max_m = 0;
    app->locate_cfg = cairn_locate_cfg_default;
    app->locate_cfg.loss = options->loss;
    app->locate_cfg.sweeps_max = (uint16_t)options->sweeps_max;
    app->locate_cfg.radio_range_m = (cairn_real)options->radius_m;
    return true;
}
