/* SPDX-License-Identifier: MIT
 * Heap memory of the tool: ends the program with a message when there is none left. */
#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_code.h"

static const size_t capacity_first = 256;

static void end_without_memory(void)
{
    fputs("cairn: out of memory: use a machine with more memory, or fewer rows\n", stderr);
    exit(CLI_BAD_DATA);
}

void *memory_zeroed(size_t count, size_t element_bytes)
{
    void *array = calloc(count == 0 ? 1 : count, element_bytes);
    if (array == NULL) {
        end_without_memory();
    }
    return array;
}

void *memory_grow(void *array, size_t *capacity, size_t needed, size_t element_bytes)
{
    if (needed <= *capacity) {
        return array;
    }
    size_t grown = *capacity < capacity_first ? capacity_first : *capacity;
    while (grown < needed) {
        if (grown > SIZE_MAX / 2 / element_bytes) {
            end_without_memory();
        }
        grown *= 2;
    }
    void *moved = realloc(array, grown * element_bytes);
    if (moved == NULL) {
        end_without_memory();
    }
    *capacity = grown;
    return moved;
}
