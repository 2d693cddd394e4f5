/* SPDX-License-Identifier: MIT */
/* No radio: what boards without one answer. */
#include "port.h"

port_status_t port_radio_send(const uint8_t *frame, size_t length)
{
    (void)frame;
    (void)length;
    return PORT_UNSUPPORTED;
}

port_status_t port_radio_receive(uint8_t *frame, size_t capacity, size_t *length)
{
    (void)frame;
    (void)capacity;
    if (length != NULL) {
        *length = 0u;
    }
    return PORT_UNSUPPORTED;
}

void port_idle(void) {}
