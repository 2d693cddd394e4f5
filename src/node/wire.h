/* SPDX-License-Identifier: MIT
 * Little-endian numbers in byte arrays, whatever the machine's own order. */
#ifndef CAIRN_WIRE_H
#define CAIRN_WIRE_H

#include <stdint.h>

static inline void wire_put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value & 0xFFu);
    at[1] = (uint8_t)(value >> 8 & 0xFFu);
}

static inline void wire_put_u32(uint8_t *at, uint32_t value)
{
    wire_put_u16(at, value & 0xFFFFu);
    wire_put_u16(at + 2, value >> 16);
}

static inline uint16_t wire_get_u16(const uint8_t *at) { return (uint16_t)(at[0] | (uint32_t)at[1] << 8); }

static inline uint32_t wire_get_u32(const uint8_t *at)
{
    return wire_get_u16(at) | (uint32_t)wire_get_u16(at + 2) << 16;
}
#endif
