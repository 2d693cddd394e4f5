/* SPDX-License-Identifier: MIT */
/* Radio frames on a UART, each behind a byte with its length: PL011 (lm3s6965evb) or STM32 USART (netduinoplus2). The
   receive interrupt is enabled in the NVIC but masked in the processor: it only ends a wait. */
#include "port.h"

#include <string.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define NVIC_ENABLE 0xE000E100u
#define NVIC_UNPEND 0xE000E280u

#if defined(UART_PL011)
#define UART_BASE 0x4000C000u
#define UART_IRQ  5u

static void uart_start(void)
{
    REGISTER(UART_BASE + 0x24u) = 1u;     /* baud rate: whatever */
    REGISTER(UART_BASE + 0x2Cu) = 0x70u;  /* 8 bits, FIFO */
    REGISTER(UART_BASE + 0x38u) = 0x50u;  /* interrupts: received, receive time-out */
    REGISTER(UART_BASE + 0x30u) = 0x301u; /* on: UART, transmitter, receiver */
}

static int uart_has(void) { return (REGISTER(UART_BASE + 0x18u) & 0x10u) == 0u; }

static uint8_t uart_get(void)
{
    uint8_t byte = (uint8_t)REGISTER(UART_BASE);
    REGISTER(UART_BASE + 0x44u) = 0x50u;
    return byte;
}

static void uart_put(uint8_t byte)
{
    while ((REGISTER(UART_BASE + 0x18u) & 0x20u) != 0u) {
    }
    REGISTER(UART_BASE) = byte;
}
#elif defined(UART_STM32)
#define UART_BASE 0x40011000u
#define UART_IRQ  37u

static void uart_start(void)
{
    REGISTER(UART_BASE + 8u) = 0x10u;
    REGISTER(UART_BASE + 12u) = (1u << 13) | (1u << 5) | (1u << 3) | (1u << 2); /* on: USART, interrupt, both ways */
}

static int uart_has(void) { return (REGISTER(UART_BASE) & 0x20u) != 0u; }

static uint8_t uart_get(void) { return (uint8_t)REGISTER(UART_BASE + 4u); }

static void uart_put(uint8_t byte)
{
    while ((REGISTER(UART_BASE) & 0x80u) == 0u) {
    }
    REGISTER(UART_BASE + 4u) = byte;
}
#else
#error "UART_PL011 or UART_STM32"
#endif

static struct {
    int started;
    uint8_t expected; /* bytes of the frame under way; 0: the next byte is a length */
    uint8_t n_bytes;
    uint8_t frame[PORT_FRAME_BYTES_MAX];
} uart;

static void start(void)
{
    if (!uart.started) {
        uart.started = 1;
        __asm__ volatile("cpsid i" ::: "memory");
        uart_start();
        REGISTER(NVIC_ENABLE + 4u * (UART_IRQ / 32u)) = 1u << (UART_IRQ % 32u);
    }
}

port_status_t port_radio_send(const uint8_t *frame, size_t length)
{
    if (frame == NULL || length == 0u || length > PORT_FRAME_BYTES_MAX) {
        return PORT_ERR_ARG;
    }
    start();
    uart_put((uint8_t)length);
    for (size_t i = 0; i < length; ++i) {
        uart_put(frame[i]);
    }
    return PORT_OK;
}

/* A length beyond the longest frame is no frame: what follows is looked at anew. */
static int take_byte(uint8_t byte)
{
    if (uart.expected == 0u) {
        uart.expected = byte <= PORT_FRAME_BYTES_MAX ? byte : 0u;
        uart.n_bytes = 0u;
        return 0;
    }
    uart.frame[uart.n_bytes++] = byte;
    return uart.n_bytes == uart.expected;
}

port_status_t port_radio_receive(uint8_t *frame, size_t capacity, size_t *length)
{
    if (frame == NULL || length == NULL || capacity < PORT_FRAME_BYTES_MAX) {
        return PORT_ERR_ARG;
    }
    *length = 0u;
    start();
    while (uart_has()) {
        uint8_t byte = uart_get();
        REGISTER(NVIC_UNPEND + 4u * (UART_IRQ / 32u)) = 1u << (UART_IRQ % 32u);
        if (take_byte(byte)) {
            memcpy(frame, uart.frame, uart.n_bytes);
            *length = uart.n_bytes;
            uart.expected = 0u;
            return PORT_OK;
        }
    }
    return PORT_EMPTY;
}

void port_idle(void)
{
    start();
    if (!uart_has()) {
        __asm__ volatile("wfi" ::: "memory");
    }
}
