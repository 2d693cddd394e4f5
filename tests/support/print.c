/* SPDX-License-Identifier: MIT */
/* Printing and hashing without stdio, through the port's console. */
#include "support/test.h"

#include "port.h"

#include <string.h>

void print_text(const char *text) { port_console_write(text, strlen(text)); }

void print_unsigned(uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + (int)(value % 10u));
        value /= 10u;
    } while (value != 0u);
    port_console_write(digits + at, sizeof digits - at);
}

void print_int(int64_t value)
{
    if (value < 0) {
        print_text("-");
        print_unsigned(0u - (uint64_t)value);
    } else {
        print_unsigned((uint64_t)value);
    }
}

void print_hex(uint32_t value)
{
    char digits[8];
    for (size_t i = sizeof digits; i-- > 0u; value >>= 4) {
        digits[i] = "0123456789abcdef"[value & 15u];
    }
    port_console_write(digits, sizeof digits);
}

static void print_fixed(double value, int n_decimals)
{
    double scale = 1.0;
    for (int i = 0; i < n_decimals; ++i) {
        scale *= 10.0;
    }
    uint64_t whole = (uint64_t)value;
    uint64_t fraction = (uint64_t)((value - (double)whole) * scale + 0.5);
    if (fraction >= (uint64_t)scale) {
        whole += 1u;
        fraction -= (uint64_t)scale;
    }
    print_unsigned(whole);
    if (n_decimals > 0) {
        print_text(".");
        for (uint64_t digit = (uint64_t)scale / 10u; digit > fraction && digit > 1u; digit /= 10u) {
            print_text("0");
        }
        print_unsigned(fraction);
    }
}

void print_real(double value, int n_decimals)
{
    int exponent = 0;
    if (value != value) {
        print_text("nan");
        return;
    }
    if (value < 0.0) {
        print_text("-");
        value = -value;
    }
    if (value > 1.7e308) {
        print_text("inf");
        return;
    }
    n_decimals = n_decimals < 0 ? 0 : n_decimals > 9 ? 9 : n_decimals;
    while (value >= 1e15) {
        value /= 10.0;
        ++exponent;
    }
    while (value > 0.0 && value < (exponent < 0 ? 1.0 : 1e-3)) {
        value *= 10.0;
        --exponent;
    }
    print_fixed(value, n_decimals);
    if (exponent != 0) {
        print_text("e");
        print_int(exponent);
    }
}

uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ at[i]) * 16777619u;
    }
    return hash;
}

uint32_t hash_u32(uint32_t hash, uint32_t word)
{
    for (int i = 0; i < 4; ++i, word >>= 8) {
        hash = (hash ^ (word & 255u)) * 16777619u;
    }
    return hash;
}

uint32_t hash_float(uint32_t hash, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return hash_u32(hash, word);
}

void golden_line(const char *name, uint32_t hash)
{
    print_text(name);
    print_text(" ");
    print_hex(hash);
    print_text("\n");
}
