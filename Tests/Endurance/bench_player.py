"""A JACK server and a Tactus on it, for `chaos` and `soak`."""

import json
import os
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

DEADLINE = 15.0  # seconds after which a wait fails


def osc(address, *arguments):
    """One OSC message; arguments are integers, floats or strings."""

    def text(string):
        data = string.encode() + b"\0"
        return data + b"\0" * (-len(data) % 4)

    tags, data = ",", b""
    for argument in arguments:
        if isinstance(argument, int):
            tags, data = tags + "i", data + struct.pack(">i", argument)
        elif isinstance(argument, float):
            tags, data = tags + "f", data + struct.pack(">f", argument)
        else:
            tags, data = tags + "s", data + text(argument)
    return text(address) + text(tags) + data


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def waits(process):
    """What each thread of a hanging process waits for."""
    found = []
    for thread in sorted(os.listdir(f"/proc/{process}/task"), key=int):
        try:
            name, place, call = (
                open(f"/proc/{process}/task/{thread}/{file}").read().strip() for file in ("comm", "wchan", "syscall"))
        except OSError:
            continue
        found.append(f"{name} in {place} ({call.split()[0]})")
    return ", ".join(found)


class Trouble(Exception):
    pass


class Server:
    """jackd with its dummy driver, or PipeWire without a device if `on-pipewire` runs this."""

    def __init__(self, name):
        self.name = name
        self.process = None
        self.folder = os.environ["PIPEWIRE_RUNTIME_DIR"] if os.environ.get("TACTUS_TEST_SERVER") == "pipewire" else None
        # The server listens for clients on this socket.
        self.path = f"{self.folder}/{name}" if self.folder else f"/dev/shm/jack_{name}_{os.getuid()}_0"

    def start(self, rate, period, *options):
        command = ["jackd", "-n", self.name, "-r", *options, "-d", "dummy", "-r", str(rate), "-p", str(period)]
        environment = dict(os.environ)
        if self.folder:
            command = ["pipewire"]
            environment["XDG_CONFIG_HOME"] = self.configure(rate, period)
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + DEADLINE
        while not os.path.exists(self.path):
            if time.monotonic() > end or self.process.poll() is not None:
                raise Trouble("the JACK server doesn't start")
            time.sleep(0.005)
        self.rate = rate

    def configure(self, rate, period):
        """Configures PipeWire to listen on the name, with only this rate and quantum; everything else is as installed."""
        home = f"{self.folder}/{self.name}.config"
        os.makedirs(f"{home}/pipewire/pipewire.conf.d", exist_ok=True)
        quanta = "\n".join(f"default.clock.{which}quantum = {period}" for which in ["", "min-", "max-"])
        with open(f"{home}/pipewire/pipewire.conf.d/tactus.conf", "w") as file:
            file.write(f"""context.properties = {{
                core.name = {self.name}
                default.clock.rate = {rate}
                default.clock.allowed-rates = [ {rate} ]
                {quanta}
                vm.overrides = {{ }}
            }}""")
        return home

    def tell_state(self):
        """Its command, and what its threads wait for."""
        ended = self.process.poll()
        state = waits(self.process.pid) if ended is None else f"ended with code {ended}"
        return f"{' '.join(self.process.args)}: {state}"

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(10)
        if number == signal.SIGKILL and os.path.exists(self.path):
            os.unlink(self.path)


class Player:
    """A Tactus and its events."""

    def __init__(self, tactus, server, port, environment):
        self.command = [tactus, "play", "--json", "--server", server, "--osc-port", str(port), "--no-connect"]
        self.environment = environment
        self.port = port
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(2)
        self.start()

    def start(self):
        self.events = []
        self.arrived = threading.Condition()
        self.complaints = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.complaints, text=True)
        threading.Thread(target=self.read, args=(self.process, self.events, self.arrived), daemon=True).start()

    @staticmethod
    def read(process, events, arrived):
        for line in process.stdout:
            event = json.loads(line)
            event["arrival"] = time.monotonic()
            if event["event"] == "beat":
                # Seconds from now until the beat sounds; negative if it has sounded.
                event["ahead"] = event["time"] - time.time()
            with arrived:
                events.append(event)
                arrived.notify_all()

    def wait(self, what, since, seconds=DEADLINE):
        """The first event of a kind that arrived after a moment."""
        end = time.monotonic() + seconds
        with self.arrived:
            while True:
                found = [e for e in self.events if e["arrival"] > since and e["event"] == what]
                if found:
                    return found[0]
                if self.process.poll() is not None:
                    raise Trouble(f"Tactus ended with code {self.process.returncode}: {self.last_complaint()}")
                if time.monotonic() > end:
                    raise Trouble(f"no {what} in {seconds:.0f} s: {self.tell_state(since)}")
                # The end of the process does not wake this wait.
                self.arrived.wait(0.2)

    def tell_state(self, since):
        """What a player does that does not do what was expected: its last events, words and waits."""
        events = [f"{e['event']} {e['arrival'] - since:+.3f} s" for e in self.events[-5:]]
        return f"{self.last_complaint()}; last events: {', '.join(events)}; threads: {waits(self.process.pid)}"

    def last_complaint(self):
        # Not `read`: the program writes while this reads.
        number = self.complaints.fileno()
        text = os.pread(number, 65_536, max(0, os.fstat(number).st_size - 65_536)).decode(errors="replace")
        return (text.splitlines() or ["without a word"])[-1]

    def send(self, address, *arguments):
        self.socket.sendto(osc(address, *arguments), ("127.0.0.1", self.port))

    def ask(self, address):
        """The single number with which an address is answered."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            self.send(address)
            try:
                data = self.socket.recv(65_536)
            except socket.timeout:
                continue
            if data.startswith(osc(address)[: len(address) + 1]) and b",f" in data:
                return struct.unpack(">f", data[-4:])[0]
        raise Trouble(f"{address} is not answered")

    def held(self):
        """The numbers of its descriptors, threads and shared memory mappings."""
        folder = f"/proc/{self.process.pid}"
        with open(folder + "/maps") as maps:
            shared = sum("/dev/shm/" in line or "/memfd:" in line for line in maps)
        return len(os.listdir(folder + "/fd")), len(os.listdir(folder + "/task")), shared

    def memory(self):
        """Resident memory in kilobytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
