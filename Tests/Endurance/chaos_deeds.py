"""The faults that `chaos` injects into a playing Tactus. Each deed returns the monotonic time at which the fault was over. The first line
of its docstring is its description in the table of `chaos`."""

import ctypes
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

from bench_player import DEADLINE, Player, Server, Trouble, free_port, osc, waits

# The number of the system call pidfd_getfd, on every processor.
GET_DESCRIPTOR = 438
STARTING_TEMPO = 120.0


class Deeds:
    def __init__(self, tactus, seed, sets_clock):
        self.random = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="tactus-chaos-")
        self.small = os.path.join(self.folder, "state")
        os.mkdir(self.small)
        self.sets_clock = sets_clock
        # A small separate disk, if the system allows one.
        self.has_disk = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", self.small], stderr=subprocess.DEVNULL).returncode == 0
        self.server = Server(f"chaos-{os.getpid()}")
        self.server.start(48_000, 256)
        environment = dict(os.environ, XDG_STATE_HOME=self.small, XDG_RUNTIME_DIR=self.folder)
        self.state = os.path.join(self.small, "tactus", "tactus.yaml")
        self.port = free_port()
        self.player = Player(tactus, self.server.name, self.port, environment)
        self.player.wait("beat", 0)
        self.tempo = STARTING_TEMPO
        # The resources and memory of the player once it had settled.
        self.baseline = None
        # The monotonic time at which the deed began.
        self.began = 0.0

    @property
    def impossible(self):
        """The deeds that are not possible here, with the reasons."""
        reasons = {}
        if not self.has_disk:
            reasons["fill"] = reasons["lock"] = "no file system may be mounted"
        if self.server.folder:
            reasons["disconnect"] = "PipeWire without a device has no port to connect to"
        elif shutil.which("jack_connect") is None:
            reasons["disconnect"] = "jack_connect is missing"
        if not self.sets_clock:
            reasons["shift"] = "wants --clock"
        return reasons

    @property
    def possible(self):
        deeds = [
            self.kill, self.quit, self.flap, self.zombify, self.stall, self.freeze, self.disconnect, self.double,
            self.fill, self.lock, self.flood, self.restart, self.truncate, self.shift]
        return [deed for deed in deeds if deed.__name__ not in self.impossible]

    def kill(self, number=signal.SIGKILL):
        """the server killed (-9), back at another rate and period"""
        self.server.end(number)
        self.player.wait("lost", self.began)
        time.sleep(self.random.uniform(0, 1))
        # Every other server is synchronous: it waits for its clients in each cycle.
        self.server.start(
            self.random.choice([44_100, 48_000, 96_000]), self.random.choice([64, 128, 256, 512, 1_024]),
            *self.random.choice([[], ["-S"]]))
        return time.monotonic()

    def quit(self):
        """the server ended, back at another rate and period"""
        return self.kill(signal.SIGTERM)

    def flap(self):
        """the server killed while Tactus joins it, five times"""
        self.server.end(signal.SIGKILL)
        self.player.wait("lost", self.began)
        for _ in range(5):
            self.server.start(48_000, 256, *self.random.choice([[], ["-S"]]))
            time.sleep(self.random.uniform(0, 0.15))
            self.server.end(self.random.choice([signal.SIGKILL, signal.SIGTERM]))
        self.server.start(48_000, 256)
        return time.monotonic()

    def zombify(self):
        """the server removes Tactus: its socket breaks"""
        process = os.pidfd_open(self.server.process.pid)
        for number in self.server_sockets():
            copy = ctypes.CDLL(None).syscall(GET_DESCRIPTOR, process, number, 0)
            if copy < 0:
                raise Trouble("the server's sockets cannot be duplicated")
            with socket.socket(fileno=copy) as connection:
                peer, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
                if peer == self.player.process.pid:
                    connection.shutdown(socket.SHUT_RDWR)
        os.close(process)
        self.player.wait("lost", self.began)
        return time.monotonic()

    def server_sockets(self):
        """The server's descriptors for its clients' requests."""
        with open("/proc/net/unix") as sockets:
            rows = [line.split() for line in sockets]
        # 03: connected.
        connected = {f"socket:[{row[6]}]" for row in rows if row[-1] == self.server.path and row[5] == "03"}
        folder = f"/proc/{self.server.process.pid}/fd"
        return [int(name) for name in os.listdir(folder) if os.readlink(f"{folder}/{name}") in connected]

    def stall(self):
        """the server stopped for up to 4 s"""
        self.server.process.send_signal(signal.SIGSTOP)
        time.sleep(self.random.uniform(0.1, 4))
        self.server.process.send_signal(signal.SIGCONT)
        return time.monotonic()

    def freeze(self):
        """Tactus stopped for up to 3 s"""
        self.player.process.send_signal(signal.SIGSTOP)
        time.sleep(self.random.uniform(0.1, 3))
        self.player.process.send_signal(signal.SIGCONT)
        return time.monotonic()

    def disconnect(self):
        """its ports connected and disconnected"""
        for port in ["out", "beat"]:
            for tool in ["jack_connect", "jack_disconnect"]:
                done = subprocess.run(
                    [tool, "-s", self.server.name, f"tactus:{port}", "system:playback_1"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=10)
                if done.returncode != 0:
                    raise Trouble(f"{tool} fails with code {done.returncode}")
        return time.monotonic()

    def double(self):
        """a second Tactus on the same port"""
        second = subprocess.Popen(
            self.player.command, env=self.player.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        try:
            _, told = second.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            second.kill()
            raise Trouble("a second Tactus runs on the same OSC port")
        if second.returncode == 0 or b"port" not in told:
            raise Trouble(f"a second Tactus on the same OSC port says {told!r}")
        return time.monotonic()

    def fill(self):
        """the disk of the settings full while they are saved"""
        path = os.path.join(self.small, "filler")
        try:
            with open(path, "wb", buffering=0) as filler:
                while True:
                    filler.write(b"x" * 4_096)
        except OSError:
            pass
        self.player.send("/tactus/save")
        time.sleep(0.2)
        os.unlink(path)
        self.expect_saved()
        return time.monotonic()

    def lock(self):
        """that disk read-only while they are saved"""
        remount = lambda mode: subprocess.run(["mount", "-o", f"remount,{mode}", self.small], check=True)
        remount("ro")
        try:
            self.player.send("/tactus/save")
            time.sleep(0.2)
        finally:
            remount("rw")
        self.expect_saved()
        return time.monotonic()

    def expect_saved(self):
        """The settings are saved as soon as they can be."""
        end = time.monotonic() + DEADLINE
        while f"tempo: {self.tempo:g}\n" not in self.saved():
            if time.monotonic() > end:
                raise Trouble("the settings aren't saved")
            self.player.send("/tactus/save")
            time.sleep(0.05)

    def saved(self):
        try:
            with open(self.state) as state:
                return state.read()
        except FileNotFoundError:
            return ""

    def flood(self):
        """thousands of messages, most of them invalid"""
        for _ in range(self.random.randrange(1_000, 10_000)):
            kind = self.random.randrange(4)
            if kind == 0:
                data = self.random.randbytes(self.random.randrange(64))
            elif kind == 1:
                # Patterns that cost time and match nothing.
                data = osc("/tactus/" + "*a" * self.random.randrange(1, 60) + "{x,y,[!a-z]}", 1)
            elif kind == 2:
                data = osc("/tactus/volume/cue", self.random.random())
            else:
                # A bundle for the year 2036.
                inner = osc("/tactus/tap")
                data = b"#bundle\0" + b"\xff" * 8 + struct.pack(">i", len(inner)) + inner
            self.player.socket.sendto(data, ("127.0.0.1", self.port))
        # Answers to the flood must not be mistaken for answers to later questions.
        self.player.socket.close()
        self.player.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.player.socket.settimeout(2)
        return time.monotonic()

    def shift(self):
        """the system's clock set forward and back by up to a year"""
        real, steady = time.time(), time.monotonic()
        now = lambda: real + time.monotonic() - steady
        try:
            for _ in range(4):
                shift = self.random.choice([-1, 1]) * 10 ** self.random.uniform(-1, 7.5)
                time.clock_settime(time.CLOCK_REALTIME, now() + shift)
                # A wait by the wall clock would last long, or not at all.
                self.player.wait("beat", time.monotonic() + 0.2)
                if self.player.ask("/tactus/tempo") != self.tempo:
                    raise Trouble(f"the clock {shift:+.1f} s off, the tempo is another")
        finally:
            time.clock_settime(time.CLOCK_REALTIME, now())
        return time.monotonic()

    def restart(self):
        """ended by a signal and started again"""
        self.end_player()
        return self.start_player()

    def truncate(self):
        """ended, the settings' file cut off, started again

        A complete file is read, a truncated one is set aside.
        """
        self.end_player()
        whole = self.saved()
        cut = whole[: self.random.randrange(len(whole) + 1)]
        with open(self.state, "w") as state:
            state.write(cut)
        before = set(os.listdir(os.path.dirname(self.state)))
        self.start_player()
        tempo = self.player.ask("/tactus/tempo")
        aside = set(os.listdir(os.path.dirname(self.state))) - before
        for name in aside:
            path = os.path.join(os.path.dirname(self.state), name)
            with open(path) as kept:
                if kept.read() != cut:
                    raise Trouble(f"cut off at {len(cut)} bytes, the file that was set aside differs")
            os.unlink(path)
        has_tempo = f"tempo: {self.tempo:g}\n" in cut
        wanted = STARTING_TEMPO if aside else self.tempo if has_tempo else tempo
        if tempo != wanted or (aside and cut == whole):
            raise Trouble(f"cut off at {len(cut)} of {len(whole)} bytes, the tempo is {tempo}; set aside: {aside}")
        self.player.send("/tactus/tempo", self.tempo)
        self.player.ask("/tactus/tempo")
        # The tempo applies from the next beat on.
        return self.player.wait("beat", time.monotonic())["arrival"]

    def end_player(self):
        # Under `nohup` Tactus ignores a hangup, too.
        ends = [one for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) if signal.getsignal(one) != signal.SIG_IGN]
        self.player.process.send_signal(self.random.choice(ends))
        try:
            code = self.player.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise Trouble(f"Tactus does not end: {waits(self.player.process.pid)}")
        if code != 0:
            raise Trouble(f"Tactus ended with code {code}")

    def start_player(self):
        began = time.monotonic()
        self.player.start()
        self.baseline = None
        # The time of the start itself does not count.
        self.player.wait("connected", began)
        return time.monotonic()

    def close(self):
        for process in [self.player.process, self.server.process]:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
                process.wait(10)
        if self.has_disk:
            subprocess.run(["umount", self.small])
        shutil.rmtree(self.folder, ignore_errors=True)
