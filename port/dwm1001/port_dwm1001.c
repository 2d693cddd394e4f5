/* SPDX-License-Identifier: MIT */
/* Port to the DWM1001 module: console on UART0, microseconds from TIMER0, entropy from the RNG. No files. */
#include "port.h"

#include "dwm1001/nrf52.h"

static int console_on;
static int timer_on;
static uint32_t timer_last;
static uint32_t timer_wraps;

static void start_console(void)
{
    GPIO_OUTSET = 1u << PIN_UART_TX;
    GPIO_PIN_CNF(PIN_UART_TX) = GPIO_OUTPUT;
    UART_PSELTXD = PIN_UART_TX;
    UART_PSELRXD = PIN_UART_RX;
    UART_BAUDRATE = UART_115200;
    UART_ENABLE = UART_ON;
    UART_STARTTX = 1u;
    console_on = 1;
}

void port_console_write(const char *text, size_t length)
{
    if (!console_on) {
        start_console();
    }
    for (size_t i = 0; i < length; ++i) {
        UART_TXDRDY = 0u;
        UART_TXD = (uint8_t)text[i];
        while (UART_TXDRDY == 0u) {
        }
    }
}

/* Must be called at least every 71 minutes, or a wrap of the timer is missed: the radio's rounds do. */
uint64_t port_time_us(void)
{
    if (!timer_on) {
        CLOCK_HFCLKSTARTED = 0u;
        CLOCK_HFCLKSTART = 1u; /* the crystal: ranging rounds want more than the RC's 1.5 % */
        while (CLOCK_HFCLKSTARTED == 0u) {
        }
        TIMER_BITMODE = 3u;
        TIMER_PRESCALER = 4u;
        TIMER_START = 1u;
        timer_on = 1;
    }
    TIMER_CAPTURE = 1u;
    uint32_t now = TIMER_CC;
    timer_wraps += now < timer_last;
    timer_last = now;
    return (uint64_t)timer_wraps << 32 | now;
}

uint64_t port_counter(void) { return port_time_us(); }

const char *port_counter_unit(void) { return "us"; }

port_status_t port_entropy(uint32_t *word)
{
    if (word == NULL) {
        return PORT_ERR_ARG;
    }
    uint32_t bits = 0u;
    RNG_CONFIG = 1u; /* bias correction */
    RNG_START = 1u;
    for (int i = 0; i < 4; ++i) {
        RNG_VALRDY = 0u;
        while (RNG_VALRDY == 0u) {
        }
        bits = bits << 8 | (RNG_VALUE & 0xFFu);
    }
    RNG_STOP = 1u;
    *word = bits;
    return PORT_OK;
}

port_status_t port_file_open(port_file_t *file, const char *path, int write)
{
    (void)write;
    return file == NULL || path == NULL ? PORT_ERR_ARG : PORT_UNSUPPORTED;
}

port_status_t port_file_read(port_file_t *file, void *bytes, size_t capacity, size_t *length)
{
    (void)file;
    (void)bytes;
    (void)capacity;
    if (length != NULL) {
        *length = 0u;
    }
    return PORT_ERR_ARG;
}

port_status_t port_file_write(port_file_t *file, const void *bytes, size_t length)
{
    (void)file;
    (void)bytes;
    (void)length;
    return PORT_ERR_ARG;
}

port_status_t port_file_close(port_file_t *file)
{
    (void)file;
    return PORT_ERR_ARG;
}

/* There is no command line: a node serves. */
const char *port_arguments(void) { return "serve"; }

void port_exit(int code)
{
    (void)code;
    for (;;) {
        __asm__ volatile("wfi");
    }
}
