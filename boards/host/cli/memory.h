/* SPDX-License-Identifier: MIT
 * Heap memory of the tool: ends the program with a message when there is none left. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stddef.h>

/* An array of count elements, all bits 0; never NULL, also when count is 0. Release it with free(). */
void *memory_zeroed(size_t count, size_t element_bytes);

/* Room for at least `needed` elements in a growing array: returns it, moved perhaps, and updates *capacity. */
void *memory_grow(void *array, size_t *capacity, size_t needed, size_t element_bytes);

#endif
