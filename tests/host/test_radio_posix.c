/* SPDX-License-Identifier: MIT */
/* The POSIX radio carries frames between processes, and to nobody's surprise not back to the sender. */
#define _POSIX_C_SOURCE 200809L

#include "port.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char directory[] = "/tmp/cairn-test-XXXXXX";

/* Waits up to two seconds for a frame. */
static port_status_t receive(uint8_t *frame, size_t *length)
{
    const struct timespec pause = {0, 1000000L};
    uint64_t end_us = port_time_us() + 2000000u;
    port_status_t status = port_radio_receive(frame, PORT_FRAME_BYTES_MAX, length);
    while (status == PORT_EMPTY && port_time_us() < end_us) {
        (void)nanosleep(&pause, NULL);
        status = port_radio_receive(frame, PORT_FRAME_BYTES_MAX, length);
    }
    return status;
}

/* The other node: answers one frame with its bytes reversed. */
static int answer(void)
{
    uint8_t frame[PORT_FRAME_BYTES_MAX], reversed[PORT_FRAME_BYTES_MAX];
    size_t length;
    if (receive(frame, &length) != PORT_OK) {
        return 1;
    }
    for (size_t i = 0; i < length; ++i) {
        reversed[i] = frame[length - 1u - i];
    }
    return port_radio_send(reversed, length) == PORT_OK ? 0 : 1;
}

TEST(test_radio_should_carry_frames_when_two_processes_share_a_directory)
{
    static const uint8_t sent[3] = {1u, 2u, 3u};
    static const uint8_t want[3] = {3u, 2u, 1u};
    uint8_t frame[PORT_FRAME_BYTES_MAX];
    size_t length = 0u;
    int result = -1;
    int ready[2];
    REQUIRE(mkdtemp(directory) != NULL && setenv("CAIRN_RADIO", directory, 1) == 0 && pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        CHECK_EQ(port_radio_receive(frame, sizeof frame, &length), PORT_EMPTY); /* opens the radio */
        (void)!write(ready[1], "r", 1u);
        exit(answer());
    }
    REQUIRE(child > 0);
    CHECK_EQ(read(ready[0], frame, 1u), 1);
    CHECK_EQ(port_radio_receive(frame, sizeof frame, &length), PORT_EMPTY);
    CHECK_EQ(port_radio_send(sent, sizeof sent), PORT_OK);
    CHECK_EQ(receive(frame, &length), PORT_OK);
    CHECK_EQ(length, sizeof want);
    CHECK_MEM(frame, want, sizeof want);
    CHECK_EQ(waitpid(child, &result, 0), child);
    CHECK_EQ(result, 0);
}

static void remove_directory(void) { (void)rmdir(directory); }

static const test_case_t cases[] = {TEST_CASE(test_radio_should_carry_frames_when_two_processes_share_a_directory)};

int port_main(void)
{
    (void)atexit(remove_directory); /* registered before the radio's own, so it runs after it */
    return test_run(cases, sizeof cases / sizeof cases[0]);
}
