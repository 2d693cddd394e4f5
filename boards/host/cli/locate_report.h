/* SPDX-License-Identifier: MIT
 * What a localization prints: the table of places, the drawing, the summary, and why the library refused. */
#ifndef CLI_LOCATE_REPORT_H
#define CLI_LOCATE_REPORT_H

#include "locate_files.h"
#include "output.h"

/* Write `id,x_m,y_m[,z_m],std_m,state`, one row a node in ascending order of id. */
output_result_t report_places(const char *path, const locate_files_t *files, const locate_answer_t *answer);

/* Write the drawing. */
output_result_t report_map(const char *path, const locate_files_t *files, const locate_answer_t *answer);

/* Print the `key: value` lines on the standard error stream. */
void report_summary(const locate_files_t *files, const locate_options_t *options, const locate_answer_t *answer);

/* Print why the library refused the files. */
void report_refusal(const locate_paths_t *paths, const locate_files_t *files, const locate_options_t *options,
                    cairn_status status);

#endif
