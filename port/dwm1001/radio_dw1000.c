/* SPDX-License-Identifier: MIT */
/* The DW1000 as a node's radio: beacons, and ranges by double-sided two-way exchanges (poll, response, final, report), in
   which the clocks' drift cancels. Channel 5, 6.8 Mbit/s, 16 MHz, the device's defaults with the corrections that its
   user manual asks for (2.5.5). Messages to the application: boards/apps/node/air.h. */
#include "port.h"

#include "apps/node/air.h"
#include "dwm1001/nrf52.h"

#include <string.h>

#define ROUND_US        1000000u
#define REPLY_US        3000u /* from a frame's arrival to the delayed answer */
#define WAIT_US         6000u
#define TICKS_PER_US    63898u /* 63.8976 GHz: 64 ticks a nanosecond, nearly */
#define ANTENNA_TICKS   16436u /* half of the usual 513 ns: to be calibrated for each module */
#define METRES_PER_TICK 0.0046917640f
#define TIME_MASK       UINT64_C(0xFFFFFFFFFF)

/* register files, and offsets in them */
enum {
    DW_ID = 0x00,
    DW_TX_FCTRL = 0x08,
    DW_TX_BUFFER = 0x09,
    DW_DX_TIME = 0x0A,
    DW_SYS_CTRL = 0x0D,
    DW_SYS_STATUS = 0x0F,
    DW_RX_FINFO = 0x10,
    DW_RX_BUFFER = 0x11,
    DW_RX_TIME = 0x15,
    DW_TX_TIME = 0x17,
    DW_TX_ANTD = 0x18,
    DW_TX_POWER = 0x1E,
    DW_AGC = 0x23,
    DW_DRX = 0x27,
    DW_RF = 0x28,
    DW_TX_CAL = 0x2A,
    DW_PLL = 0x2B,
    DW_OTP = 0x2D,
    DW_LDE = 0x2E,
    DW_PMSC = 0x36
};

#define CTRL_START    0x02u
#define CTRL_DELAYED  0x04u
#define CTRL_OFF      0x40u
#define CTRL_RX       0x100u
#define STATUS_SENT   0x80u
#define STATUS_GOOD   0x4000u /* a frame whose check sequence is right */
#define STATUS_RX_ALL 0x2427FF00u
#define STATUS_TX_ALL 0xF0u

/* first byte of a frame on air */
enum { ON_AIR_BEACON = 0xB0, ON_AIR_POLL = 0xB1, ON_AIR_RESPONSE = 0xB2, ON_AIR_FINAL = 0xB3, ON_AIR_REPORT = 0xB4 };

static struct {
    int state; /* 0: not tried, 1: on, -1: absent */
    uint16_t id;
    uint32_t next_round_us;
    uint16_t wanted; /* range with this node next; 0xFFFF: none */
    uint8_t message[11];
    uint8_t n_message; /* a range to hand over */
} radio;

static void select(int on)
{
    if (on) {
        GPIO_OUTCLR = 1u << PIN_CS;
    } else {
        GPIO_OUTSET = 1u << PIN_CS;
    }
}

static uint8_t spi_byte(uint8_t out)
{
    SPI_READY = 0u;
    SPI_TXD = out;
    while (SPI_READY == 0u) {
    }
    return (uint8_t)SPI_RXD;
}

static void spi_address(uint8_t file, uint16_t offset, int write)
{
    select(1);
    (void)spi_byte((uint8_t)((write ? 0x80u : 0u) | (offset != 0u ? 0x40u : 0u) | file));
    if (offset > 0x7Fu) {
        (void)spi_byte((uint8_t)(0x80u | (offset & 0x7Fu)));
        (void)spi_byte((uint8_t)(offset >> 7));
    } else if (offset != 0u) {
        (void)spi_byte((uint8_t)offset);
    }
}

static void dw_read(uint8_t file, uint16_t offset, uint8_t *bytes, size_t length)
{
    spi_address(file, offset, 0);
    for (size_t i = 0; i < length; ++i) {
        bytes[i] = spi_byte(0u);
    }
    select(0);
}

static void dw_write(uint8_t file, uint16_t offset, const uint8_t *bytes, size_t length)
{
    spi_address(file, offset, 1);
    for (size_t i = 0; i < length; ++i) {
        (void)spi_byte(bytes[i]);
    }
    select(0);
}

static void put_number(uint8_t *at, uint64_t value, size_t length)
{
    for (size_t i = 0; i < length; ++i, value >>= 8) {
        at[i] = (uint8_t)(value & 0xFFu);
    }
}

static uint64_t get_number(const uint8_t *at, size_t length)
{
    uint64_t value = 0u;
    while (length-- > 0u) {
        value = value << 8 | at[length];
    }
    return value;
}

static void dw_set(uint8_t file, uint16_t offset, uint64_t value, size_t length)
{
    uint8_t bytes[8];
    put_number(bytes, value, length);
    dw_write(file, offset, bytes, length);
}

static uint64_t dw_get(uint8_t file, uint16_t offset, size_t length)
{
    uint8_t bytes[8];
    dw_read(file, offset, bytes, length);
    return get_number(bytes, length);
}

static void wait_us(uint32_t us)
{
    const uint32_t start = (uint32_t)port_time_us();
    while ((uint32_t)port_time_us() - start < us) {
    }
}

static void start_spi(void)
{
    GPIO_OUTSET = 1u << PIN_CS;
    GPIO_PIN_CNF(PIN_CS) = GPIO_OUTPUT;
    GPIO_PIN_CNF(PIN_SCK) = 1u; /* out, input buffer on: the peripheral wants both */
    GPIO_PIN_CNF(PIN_MOSI) = GPIO_OUTPUT;
    GPIO_PIN_CNF(PIN_MISO) = 0u;
    SPI_PSELSCK = PIN_SCK;
    SPI_PSELMOSI = PIN_MOSI;
    SPI_PSELMISO = PIN_MISO;
    SPI_FREQUENCY = SPI_2_MHZ; /* the radio takes 3 MHz at most before its clock runs */
    SPI_CONFIG = 0u;
    SPI_ENABLE = 1u;
}

/* The reset line is only ever pulled low or let go. */
static void reset_radio(void)
{
    GPIO_OUTCLR = 1u << PIN_RESET;
    GPIO_DIRSET = 1u << PIN_RESET;
    wait_us(1000u);
    GPIO_DIRCLR = 1u << PIN_RESET;
    wait_us(5000u);
}

static void load_leading_edge_code(void)
{
    dw_set(DW_PMSC, 0u, 0x0301u, 2u);
    dw_set(DW_OTP, 6u, 0x8000u, 2u);
    wait_us(200u);
    dw_set(DW_PMSC, 0u, 0x0200u, 2u);
}

static void configure_radio(void)
{
    dw_set(DW_AGC, 0x04u, 0x8870u, 2u);
    dw_set(DW_AGC, 0x0Cu, 0x2502A907u, 4u);
    dw_set(DW_DRX, 0x08u, 0x311A002Du, 4u);
    dw_set(DW_LDE, 0x0806u, 0x6Du, 1u);
    dw_set(DW_LDE, 0x1806u, 0x1607u, 2u);
    dw_set(DW_LDE, 0x1804u, ANTENNA_TICKS, 2u);
    dw_set(DW_TX_ANTD, 0u, ANTENNA_TICKS, 2u);
    dw_set(DW_TX_POWER, 0u, 0x0E082848u, 4u);
    dw_set(DW_RF, 0x0Cu, 0x001E3FE3u, 4u);
    dw_set(DW_TX_CAL, 0x0Bu, 0xB5u, 1u);
    dw_set(DW_PLL, 0x0Bu, 0xBEu, 1u);
}

static void listen(void)
{
    dw_set(DW_SYS_CTRL, 0u, CTRL_OFF, 4u);
    dw_set(DW_SYS_STATUS, 0u, STATUS_RX_ALL, 4u);
    dw_set(DW_SYS_CTRL, 0u, CTRL_RX, 4u);
}

static int start(void)
{
    if (radio.state == 0) {
        uint8_t who[8];
        start_spi();
        reset_radio();
        radio.state = dw_get(DW_ID, 0u, 4u) == 0xDECA0130u ? 1 : -1;
        if (radio.state > 0) {
            load_leading_edge_code();
            SPI_FREQUENCY = SPI_8_MHZ;
            configure_radio();
            memcpy(who, (const void *)(uintptr_t)0x40000u, sizeof who); /* page 0: see air.h */
            radio.id = (uint16_t)(who[4] | who[5] << 8);
            radio.wanted = 0xFFFFu;
            radio.next_round_us = (uint32_t)port_time_us() + ROUND_US;
            listen();
        }
    }
    return radio.state > 0;
}

/* Send at once (at == 0) or at a time of the radio's clock; returns when the antenna sent it, 0: not sent. */
static uint64_t transmit(const uint8_t *frame, size_t length, uint64_t at)
{
    const uint32_t start_us = (uint32_t)port_time_us();
    dw_set(DW_SYS_CTRL, 0u, CTRL_OFF, 4u);
    dw_set(DW_SYS_STATUS, 0u, STATUS_TX_ALL, 4u);
    dw_write(DW_TX_BUFFER, 0u, frame, length);
    dw_set(DW_TX_FCTRL, 0u, 0x00154000u | (length + 2u), 4u); /* 6.8 Mbit/s, ranging, 16 MHz, preamble 128 */
    if (at != 0u) {
        dw_set(DW_DX_TIME, 0u, at & TIME_MASK, 5u);
    }
    dw_set(DW_SYS_CTRL, 0u, CTRL_START | (at != 0u ? CTRL_DELAYED : 0u), 4u);
    while ((dw_get(DW_SYS_STATUS, 0u, 4u) & STATUS_SENT) == 0u) {
        if ((uint32_t)port_time_us() - start_us > 2u * WAIT_US) {
            return 0u; /* a delayed time that was already over */
        }
    }
    return dw_get(DW_TX_TIME, 0u, 5u);
}

/* A frame within so many microseconds; 0: none. */
static size_t receive(uint8_t *frame, size_t capacity, uint32_t within_us, uint64_t *at)
{
    const uint32_t start_us = (uint32_t)port_time_us();
    for (;;) {
        const uint32_t status = (uint32_t)dw_get(DW_SYS_STATUS, 0u, 4u);
        if ((status & STATUS_GOOD) != 0u) {
            size_t length = (size_t)(dw_get(DW_RX_FINFO, 0u, 4u) & 0x7Fu);
            length = length > 2u ? length - 2u : 0u;
            length = length < capacity ? length : 0u;
            dw_read(DW_RX_BUFFER, 0u, frame, length);
            *at = dw_get(DW_RX_TIME, 0u, 5u);
            listen();
            return length;
        }
        if ((status & STATUS_RX_ALL & 0x24059000u) != 0u) {
            listen(); /* damaged: on with it */
        }
        if ((uint32_t)port_time_us() - start_us >= within_us) {
            return 0u;
        }
    }
}

static uint64_t reply_time(uint64_t arrived)
{
    return (arrived + (uint64_t)REPLY_US * TICKS_PER_US) & TIME_MASK &
           ~UINT64_C(0x1FF); /* the low 9 bits are ignored */
}

/* Frames of an exchange: kind 1, to 2, from 2, then up to three differences of times, 5 bytes each, or the range. */
static size_t exchange_frame(uint8_t *frame, uint8_t kind, uint16_t to)
{
    frame[0] = kind;
    put_number(frame + 1, to, 2u);
    put_number(frame + 3, radio.id, 2u);
    return 5u;
}

static int is_answer(const uint8_t *frame, size_t length, uint8_t kind, uint16_t from)
{
    return length >= 5u && frame[0] == kind && get_number(frame + 1, 2u) == radio.id &&
           get_number(frame + 3, 2u) == from;
}

static void hand_over(uint16_t peer, float range_m)
{
    uint32_t bits;
    memcpy(&bits, &range_m, sizeof bits);
    radio.message[0] = AIR_RANGE;
    put_number(radio.message + 1, peer, 2u);
    put_number(radio.message + 3, bits, 4u);
    put_number(radio.message + 7, port_time_us(), 4u);
    radio.n_message = sizeof radio.message;
}

/* The end that asks: poll, response, final with its times, and the range back in the report. */
static void range_with(uint16_t peer)
{
    uint8_t frame[PORT_FRAME_BYTES_MAX];
    uint64_t arrived;
    size_t length = exchange_frame(frame, ON_AIR_POLL, peer);
    const uint64_t polled = transmit(frame, length, 0u);
    listen();
    length = receive(frame, sizeof frame, 2u * WAIT_US, &arrived);
    if (polled == 0u || !is_answer(frame, length, ON_AIR_RESPONSE, peer)) {
        return;
    }
    const uint64_t final = reply_time(arrived);
    length = exchange_frame(frame, ON_AIR_FINAL, peer);
    put_number(frame + length, (arrived - polled) & TIME_MASK, 5u);
    put_number(frame + length + 5u, (final + ANTENNA_TICKS - arrived) & TIME_MASK, 5u);
    const uint64_t sent = transmit(frame, length + 10u, final);
    listen();
    length = receive(frame, sizeof frame, WAIT_US, &arrived);
    if (sent != 0u && is_answer(frame, length, ON_AIR_REPORT, peer) && length == 9u) {
        float range_m;
        memcpy(&range_m, frame + 5, sizeof range_m);
        hand_over(peer, range_m);
    }
}

/* The end that is asked; it knows all times in the end: (Ra Rb - Da Db) / (Ra + Rb + Da + Db). */
static void answer(uint16_t peer, uint64_t polled)
{
    uint8_t frame[PORT_FRAME_BYTES_MAX];
    uint64_t arrived;
    size_t length = exchange_frame(frame, ON_AIR_RESPONSE, peer);
    const uint64_t responded = transmit(frame, length, reply_time(polled));
    listen();
    length = receive(frame, sizeof frame, 2u * WAIT_US, &arrived);
    if (responded == 0u || !is_answer(frame, length, ON_AIR_FINAL, peer) || length != 15u) {
        return;
    }
    const uint64_t round_a = get_number(frame + 5, 5u);
    const uint64_t reply_a = get_number(frame + 10, 5u);
    const uint64_t reply_b = (responded - polled) & TIME_MASK;
    const uint64_t round_b = (arrived - responded) & TIME_MASK;
    /* 28-bit products: in halves around the replies, so that nothing overflows and no digit is lost */
    const int64_t extra_a = (int64_t)round_a - (int64_t)reply_b;
    const int64_t extra_b = (int64_t)round_b - (int64_t)reply_a;
    const int64_t sum = (int64_t)(round_a + round_b + reply_a + reply_b);
    if (sum <= 0) {
        return;
    }
    /* Ra Rb - Da Db = extra_a Rb + Db extra_b, with Ra = Db + extra_a and Rb = Da + extra_b */
    const int64_t flight = (extra_a * (int64_t)round_b + (int64_t)reply_b * extra_b) / sum;
    const float range_m = METRES_PER_TICK * (float)flight;
    length = exchange_frame(frame, ON_AIR_REPORT, peer);
    memcpy(frame + length, &range_m, sizeof range_m);
    (void)transmit(frame, length + sizeof range_m, 0u);
    listen();
    hand_over(peer, range_m);
}

port_status_t port_radio_send(const uint8_t *frame, size_t length)
{
    uint8_t on_air[PORT_FRAME_BYTES_MAX];
    if (frame == NULL || length == 0u || length > PORT_FRAME_BYTES_MAX) {
        return PORT_ERR_ARG;
    }
    if (!start()) {
        return PORT_ERR_IO;
    }
    if (frame[0] != AIR_BEACON || length > PORT_FRAME_BYTES_MAX - 2u) {
        return PORT_OK; /* reports are for emulated swarms */
    }
    memcpy(on_air, frame, length);
    on_air[0] = ON_AIR_BEACON;
    const uint64_t sent = transmit(on_air, length, 0u);
    listen();
    return sent != 0u ? PORT_OK : PORT_ERR_IO;
}

/* What has come in by radio. */
static size_t take_frame(uint8_t *frame, size_t capacity)
{
    uint64_t arrived;
    const size_t length = receive(frame, capacity, 0u, &arrived);
    if (length > 5u && frame[0] == ON_AIR_BEACON) {
        frame[0] = AIR_BEACON;
        radio.wanted = (uint16_t)get_number(frame + 3, 2u); /* its sender: bytes 2 and 3 of the beacon */
        return length;
    }
    if (length == 5u && frame[0] == ON_AIR_POLL && get_number(frame + 1, 2u) == radio.id) {
        answer((uint16_t)get_number(frame + 3, 2u), arrived);
    }
    return 0u;
}

port_status_t port_radio_receive(uint8_t *frame, size_t capacity, size_t *length)
{
    if (frame == NULL || length == NULL || capacity < PORT_FRAME_BYTES_MAX) {
        return PORT_ERR_ARG;
    }
    *length = 0u;
    if (!start()) {
        return PORT_ERR_IO;
    }
    const uint32_t now_us = (uint32_t)port_time_us();
    if (radio.n_message > 0u) {
        *length = radio.n_message;
        memcpy(frame, radio.message, *length);
        radio.n_message = 0u;
    } else if (now_us - radio.next_round_us < UINT32_MAX / 2u) {
        radio.next_round_us += ROUND_US;
        frame[0] = AIR_ROUND;
        put_number(frame + 1, now_us, 4u);
        *length = 5u;
    } else if (radio.wanted != 0xFFFFu) {
        const uint16_t peer = radio.wanted;
        radio.wanted = 0xFFFFu;
        if (peer > radio.id) { /* both hear each other's beacons: the lower id asks */
            range_with(peer);
        }
    } else {
        *length = take_frame(frame, capacity);
    }
    return *length > 0u ? PORT_OK : PORT_EMPTY;
}

/* A frame may come at any moment and the radio keeps one: no sleep. */
void port_idle(void) {}
