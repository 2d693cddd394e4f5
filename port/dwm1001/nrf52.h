/* SPDX-License-Identifier: MIT */
/* The registers of the nRF52832 that this port uses: product specification 1.4, chapters 18 to 40. */
#ifndef DWM1001_NRF52_H
#define DWM1001_NRF52_H

#include <stdint.h>

#define NRF(address) (*(volatile uint32_t *)(address))

/* CLOCK */
#define CLOCK_HFCLKSTART   NRF(0x40000000u)
#define CLOCK_HFCLKSTARTED NRF(0x40000100u)

/* UART0, without DMA */
#define UART_STARTRX  NRF(0x40002000u)
#define UART_STARTTX  NRF(0x40002008u)
#define UART_TXDRDY   NRF(0x4000211Cu)
#define UART_ENABLE   NRF(0x40002500u)
#define UART_PSELTXD  NRF(0x4000250Cu)
#define UART_PSELRXD  NRF(0x40002514u)
#define UART_TXD      NRF(0x4000251Cu)
#define UART_BAUDRATE NRF(0x40002524u)
#define UART_ON       4u
#define UART_115200   0x01D7E000u

/* SPI1, without DMA */
#define SPI_READY     NRF(0x40004108u)
#define SPI_ENABLE    NRF(0x40004500u)
#define SPI_PSELSCK   NRF(0x40004508u)
#define SPI_PSELMOSI  NRF(0x4000450Cu)
#define SPI_PSELMISO  NRF(0x40004510u)
#define SPI_RXD       NRF(0x40004518u)
#define SPI_TXD       NRF(0x4000451Cu)
#define SPI_FREQUENCY NRF(0x40004524u)
#define SPI_CONFIG    NRF(0x40004554u)
#define SPI_2_MHZ     0x20000000u
#define SPI_8_MHZ     0x80000000u

/* TIMER0: 32 bits, 1 MHz */
#define TIMER_START     NRF(0x40008000u)
#define TIMER_CAPTURE   NRF(0x40008040u)
#define TIMER_BITMODE   NRF(0x40008508u)
#define TIMER_PRESCALER NRF(0x40008510u)
#define TIMER_CC        NRF(0x40008540u)

/* RNG */
#define RNG_START  NRF(0x4000D000u)
#define RNG_STOP   NRF(0x4000D004u)
#define RNG_VALRDY NRF(0x4000D100u)
#define RNG_CONFIG NRF(0x4000D504u)
#define RNG_VALUE  NRF(0x4000D508u)

/* NVMC: flash in pages of 4096 bytes */
#define NVMC_READY     NRF(0x4001E400u)
#define NVMC_CONFIG    NRF(0x4001E504u)
#define NVMC_ERASEPAGE NRF(0x4001E508u)

/* GPIO */
#define GPIO_OUTSET     NRF(0x50000508u)
#define GPIO_OUTCLR     NRF(0x5000050Cu)
#define GPIO_IN         NRF(0x50000510u)
#define GPIO_DIRSET     NRF(0x50000518u)
#define GPIO_DIRCLR     NRF(0x5000051Cu)
#define GPIO_PIN_CNF(n) NRF(0x50000700u + 4u * (n))
#define GPIO_OUTPUT     3u /* direction out, input buffer off */

/* Wires of the module */
enum {
    PIN_UART_TX = 5,
    PIN_UART_RX = 11,
    PIN_SCK = 16,
    PIN_CS = 17,
    PIN_MISO = 18,
    PIN_IRQ = 19,
    PIN_MOSI = 20,
    PIN_RESET = 24
};

#endif
