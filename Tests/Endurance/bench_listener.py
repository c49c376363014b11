"""What sounds on a player's ports, held against what the player tells."""

import collections
import subprocess
import threading

from bench_player import DEADLINE, Trouble

PATIENCE = 30  # seconds after which sound and telling have to fit
PROOF = 8  # beats
TELLING = 2.5  # seconds after which a beat and a missed cycle have been told


class Listener:
    """Hears `accent` and `beat` by `bench listen`. Beats in frames that were not heard, and near cycles that the player missed,
    are left out."""

    ROLES = ["accent", "beat"]

    def __init__(self, bench, server):
        self.rate = server.rate
        self.process = subprocess.Popen(
            [bench, "listen", server.name] + [f"tactus:{role}" for role in self.ROLES],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.changed = threading.Condition()
        # Frames, by role: heard, and told but not judged yet, which are the engine's.
        self.onsets = {role: [] for role in self.ROLES}
        self.told = {role: [] for role in self.ROLES}
        # Frames from which and before which nothing can be said.
        self.disturbed = []
        self.heard = None
        self.first = None
        self.offset = None
        self.gaps = 0
        self.good = self.excused = 0
        self.faults = []
        threading.Thread(target=self.read, daemon=True).start()

    def start(self):
        """Returns when it listens."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.first is not None, DEADLINE):
                raise Trouble("nothing listens to the player")

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            with self.changed:
                if words[0] == "heard":
                    self.heard = int(words[1])
                    if self.first is None:
                        self.first = self.heard
                        self.disturbed.append((0, self.heard))
                    self.changed.notify_all()
                elif words[0] == "missed":
                    self.disturbed.append((int(words[1]), int(words[1]) + int(words[2])))
                else:
                    self.onsets[self.ROLES[int(words[0])]].append(int(words[1]))

    def note(self, events):
        """Takes in what the player tells, in its order."""
        with self.changed:
            for event in events:
                if event["event"] == "beat" and event["role"] in self.told:
                    self.told[event["role"]].append(event["frame"])
                elif event["event"] == "health" and event["gaps"] > self.gaps:
                    # The player missed cycles at some time since it last told so.
                    self.gaps = event["gaps"]
                    self.disturbed.append((self.heard - TELLING * self.rate, self.heard + self.rate))

    def judge(self):
        """Whatever was told, heard and not disturbed until a moment ago."""
        with self.changed:
            if self.offset is None:
                self.offset = self.find_offset()
            if self.offset is None:
                if self.heard - self.first > PATIENCE * self.rate:
                    raise Trouble("what is heard is not where it is told")
                return
            end = self.heard - 2 * TELLING * self.rate
            for role in self.ROLES:
                self.judge_role(role, end)
            self.disturbed = [pair for pair in self.disturbed if pair[1] > end]

    def find_offset(self):
        """From the engine's own frames, which are what it tells, to JACK's: that by which most is heard."""
        distances = collections.Counter(
            onset - frame for role in self.ROLES for onset in self.onsets[role] for frame in self.told[role])
        common = distances.most_common(1)
        return common[0][0] if common and common[0][1] >= PROOF else None

    def judge_role(self, role, end):
        told, self.told[role] = split(self.told[role], end - self.offset)
        # What is told next may be heard already.
        heard, self.onsets[role] = split(self.onsets[role], end)
        onsets = set(heard)
        for frame in (frame + self.offset for frame in told):
            if frame in onsets:
                self.good += 1
            elif not self.is_disturbed(frame):
                self.faults.append(f"{role} not heard at frame {frame}")
            elif frame >= self.first:
                self.excused += 1
            onsets.discard(frame)
        self.faults += [
            f"{role} heard at frame {frame}, where none was told" for frame in sorted(onsets)
            if not self.is_disturbed(frame)]

    def is_disturbed(self, frame):
        return any(begin <= frame < end for begin, end in self.disturbed)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def split(frames, end):
    """Those before a frame, and the others."""
    return [frame for frame in frames if frame < end], [frame for frame in frames if frame >= end]
