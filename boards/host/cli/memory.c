/* SPDX-License-Identifier: MIT
 * Heap memory of the tool: ends the program with a message when there is none left. */
#define _DEFAULT_SOURCE /* madvise */

#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "exit_code.h"

static const size_t capacity_first = 256;

/* Arrays that are read and written all over take half the time in pages of this size, where the system has them. */
#ifdef MADV_HUGEPAGE
enum { HUGE_PAGE_BYTES = 2 << 20, HUGE_FROM_BYTES = 16 << 20 };
#endif

static void end_without_memory(void)
{
    fputs("cairn: out of memory: use a machine with more memory, or fewer rows\n", stderr);
    exit(CLI_BAD_DATA);
}

void *memory_zeroed(size_t count, size_t element_bytes)
{
    void *array = NULL;
#ifdef MADV_HUGEPAGE
    if (count <= SIZE_MAX / 2 / element_bytes && count * element_bytes >= HUGE_FROM_BYTES) {
        if (posix_memalign(&array, HUGE_PAGE_BYTES, count * element_bytes) != 0) {
            end_without_memory();
        }
        (void)madvise(array, count * element_bytes, MADV_HUGEPAGE); /* a wish: without it the array is only slower */
        memset(array, 0, count * element_bytes);
        return array;
    }
#endif
    array = calloc(count == 0 ? 1 : count, element_bytes);
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
