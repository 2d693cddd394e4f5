/* SPDX-License-Identifier: MIT
 * Open addressing with linear probing; the home slot is the high part of a multiplicative hash (Knuth 6.4). */
#include "cairn/ids.h"

#define IDS_MAX      0x1000000u
#define GOLDEN_RATIO UINT32_C(2654435769) /* 2^32 / golden ratio */

static uint32_t home_slot(const cairn_ids_t *self, uint32_t id)
{
    return (uint32_t)(((uint64_t)(uint32_t)(id * GOLDEN_RATIO) * self->n_slots) >> 32);
}

/* The slot that holds the id, or the empty one where it belongs: more slots than ids, so there is one. */
static uint32_t find_slot(const cairn_ids_t *self, uint32_t id)
{
    uint32_t slot = home_slot(self, id);

    for (uint32_t looks = 0; looks < self->n_slots; ++looks) {
        const uint32_t entry = self->slot[slot];
        if (entry == 0 || self->id[entry - 1u] == id) {
            break;
        }
        slot = slot + 1u < self->n_slots ? slot + 1u : 0u;
    }
    return slot;
}

cairn_status cairn_ids_init(cairn_ids_t *self, uint32_t *id, size_t capacity, uint32_t *slot, size_t n_slots)
{
    if (self == NULL || id == NULL || slot == NULL || capacity == 0 || capacity > IDS_MAX) {
        return CAIRN_ERR_ARG;
    }
    if (n_slots < CAIRN_IDS_SLOTS(capacity)) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_aligned(id, sizeof *id) || !cairn_aligned(slot, sizeof *slot)) {
        return CAIRN_ERR_ALIGN;
    }
    self->id = id;
    self->slot = slot;
    self->capacity = (uint32_t)capacity;
    self->n_slots = (uint32_t)CAIRN_IDS_SLOTS(capacity);
    self->n_ids = 0;
    for (uint32_t i = 0; i < self->n_slots; ++i) {
        slot[i] = 0;
    }
    return CAIRN_OK;
}

uint32_t cairn_ids_find(const cairn_ids_t *self, uint32_t id)
{
    const uint32_t entry = self->slot[find_slot(self, id)];

    return entry == 0 ? CAIRN_IDS_NONE : entry - 1u;
}

cairn_status cairn_ids_add(cairn_ids_t *self, uint32_t id, uint32_t *index)
{
    uint32_t slot;

    if (self == NULL || index == NULL) {
        return CAIRN_ERR_ARG;
    }
    slot = find_slot(self, id);
    if (self->slot[slot] == 0) {
        if (self->n_ids >= self->capacity) {
            return CAIRN_FULL;
        }
        self->id[self->n_ids] = id;
        self->slot[slot] = ++self->n_ids;
    }
    *index = self->slot[slot] - 1u;
    return CAIRN_OK;
}

/* Empty a slot and move later entries of the same run up, so that every search still ends at the first empty slot
 * (Knuth 6.4, algorithm R). */
static void empty_slot(cairn_ids_t *self, uint32_t hole)
{
    uint32_t slot = hole;

    for (uint32_t moves = 0; moves < self->n_slots; ++moves) {
        uint32_t home;
        slot = slot + 1u < self->n_slots ? slot + 1u : 0u;
        if (self->slot[slot] == 0) {
            break;
        }
        home = home_slot(self, self->id[self->slot[slot] - 1u]);
        /* the entry may move unless its home lies cyclically in (hole, slot] */
        if ((slot > hole) ? (home <= hole || home > slot) : (home <= hole && home > slot)) {
            self->slot[hole] = self->slot[slot];
            hole = slot;
        }
    }
    self->slot[hole] = 0;
}

cairn_status cairn_ids_replace(cairn_ids_t *self, uint32_t index, uint32_t id)
{
    uint32_t found;

    if (self == NULL || index >= self->n_ids) {
        return CAIRN_ERR_ARG;
    }
    found = cairn_ids_find(self, id);
    if (found != CAIRN_IDS_NONE) {
        return found == index ? CAIRN_OK : CAIRN_ERR_ARG;
    }
    empty_slot(self, find_slot(self, self->id[index]));
    self->id[index] = id;
    self->slot[find_slot(self, id)] = index + 1u;
    return CAIRN_OK;
}
