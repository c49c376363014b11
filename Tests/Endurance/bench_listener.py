"""Compares the sound at a player's ports with the beats that the player reports."""

import collections
import subprocess
import threading

from bench_player import DEADLINE, Trouble

PATIENCE = 30  # seconds after which sound and reports must agree
PROOF = 8  # beats
TELLING = 2.5  # seconds after which each beat and each missed cycle has been reported


class Listener:
    """Records the onsets of `accent` and `beat` with `bench listen`. Beats in frames that were not recorded, or near cycles that the
    player missed, are not judged."""

    ROLES = ["accent", "beat"]

    def __init__(self, bench, server):
        self.rate = server.rate
        self.process = subprocess.Popen(
            [bench, "listen", server.name] + [f"tactus:{role}" for role in self.ROLES],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.changed = threading.Condition()
        # Frames by role: onsets that were heard, in JACK's frames; beats that were reported and not judged yet, in the engine's frames.
        self.onsets = {role: [] for role in self.ROLES}
        self.told = {role: [] for role in self.ROLES}
        # Intervals of frames that cannot be judged: first frame and end.
        self.disturbed = []
        self.heard = None
        self.first = None
        self.offset = None
        self.gaps = 0
        self.good = self.excused = 0
        self.faults = []
        threading.Thread(target=self.read, daemon=True).start()

    def start(self):
        """Returns once it is connected and listens."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.first is not None, DEADLINE):
                raise Trouble("the listener did not start")

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
        """Handles the player's reports in order."""
        with self.changed:
            for event in events:
                if event["event"] == "beat" and event["role"] in self.told:
                    self.told[event["role"]].append(event["frame"])
                elif event["event"] == "health" and event["gaps"] > self.gaps:
                    # The player missed cycles at some time since its last report of missed cycles.
                    self.gaps = event["gaps"]
                    self.disturbed.append((self.heard - TELLING * self.rate, self.heard + self.rate))

    def judge(self):
        """Judges all beats that were reported and recorded without disturbance until a moment ago."""
        with self.changed:
            if self.offset is None:
                self.offset = self.find_offset()
            if self.offset is None:
                if self.heard - self.first > PATIENCE * self.rate:
                    raise Trouble("onsets do not agree with the reported frames")
                return
            end = self.heard - 2 * TELLING * self.rate
            for role in self.ROLES:
                self.judge_role(role, end)
            self.disturbed = [pair for pair in self.disturbed if pair[1] > end]

    def find_offset(self):
        """The offset from the engine's frames, which it reports, to JACK's: the one with which most onsets agree."""
        distances = collections.Counter(
            onset - frame for role in self.ROLES for onset in self.onsets[role] for frame in self.told[role])
        common = distances.most_common(1)
        return common[0][0] if common and common[0][1] >= PROOF else None

    def judge_role(self, role, end):
        told, self.told[role] = split(self.told[role], end - self.offset)
        # An onset may be heard before its beat is reported.
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
    """Splits frames into those before a frame and the rest."""
    return [frame for frame in frames if frame < end], [frame for frame in frames if frame >= end]
