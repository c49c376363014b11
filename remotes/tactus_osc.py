#!/usr/bin/env python3
"""Shows what Tactus tells, and sends what is typed. It needs python-osc: pip install python-osc.

    ./tactus_osc.py                          the Tactus of this machine
    ./tactus_osc.py 192.168.1.5              another one; --osc-bind and --osc-allow must admit this machine
    ./tactus_osc.py 127.0.0.1 tempo 133.7    sends /tactus/tempo f 133.7, prints what comes back within a second, and ends

A line such as `volume/db -6`, `meter 7/8`, `goto chorus` or `playing` is sent as a message; one without a value asks for it.
"""

import socket
import sys
import threading
import time

from pythonosc.osc_bundle import OscBundle
from pythonosc.osc_message import OscMessage
from pythonosc.osc_message_builder import OscMessageBuilder

PORT = 9700
ROOT = "/tactus/"


class Tactus:
    """Speaks to one Tactus from one socket, so that answers come back to it."""

    def __init__(self, host="127.0.0.1", port=PORT):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect((host, port))

    def send(self, name, *values):
        """Sends a message: send("tempo", 133.7), send("meter", 7, 8), send("tap")."""
        builder = OscMessageBuilder(address=ROOT + name)
        for value in values:
            builder.add_arg(value)
        self.socket.send(builder.build().dgram)

    def messages(self):
        """All that comes in, as addresses below /tactus/ with their arguments."""
        while True:
            try:
                datagram = self.socket.recv(65536)
            except ConnectionRefusedError:
                # Nobody listens yet.
                time.sleep(1)
                continue
            if OscBundle.dgram_is_bundle(datagram):
                found = [part for part in OscBundle(datagram) if isinstance(part, OscMessage)]
            else:
                found = [OscMessage(datagram)]
            for message in found:
                yield message.address.removeprefix(ROOT), message.params

    def keep_subscribed(self):
        """Subscribes, and renews that before its 60 seconds are over."""
        while True:
            try:
                self.send("subscribe")
            except ConnectionRefusedError:
                pass
            time.sleep(30)


def value(word):
    """A number where a word is one: Tactus takes numbers of any type, and texts such as 7/8."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def main():
    tactus = Tactus(*sys.argv[1:2])
    if len(sys.argv) > 2:
        tactus.socket.settimeout(1)
        tactus.send(sys.argv[2], *map(value, sys.argv[3:]))
        try:
            for name, values in tactus.messages():
                print(name, *values)
        except TimeoutError:
            return

    def show():
        for name, values in tactus.messages():
            # The lamp, and the parts of the beat, would fill the screen.
            if name not in ("beat/lamp", "beat/number"):
                print(name, *values)

    threading.Thread(target=show, daemon=True).start()
    threading.Thread(target=tactus.keep_subscribed, daemon=True).start()
    # What is worth knowing: /tactus/playing, /tactus/sounding/text, /tactus/song/title, /tactus/left/text.
    for line in sys.stdin:
        if words := line.split():
            tactus.send(words[0], *map(value, words[1:]))


if __name__ == "__main__":
    main()
