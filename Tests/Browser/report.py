"""Stores measurements of browsers and clients for `make bench-docs`."""

import datetime
import json
import os


def claim(what, tactus, goal, is_met, others=""):
    """A row of the table. is_met is None if the machine was too busy for a verdict."""
    return {"what": what, "tactus": tactus, "peers": others, "goal": goal if is_met is not None else f"{goal}: the machine was too busy",
            "isMet": is_met}


def machine():
    with open("/proc/cpuinfo") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return {"date": datetime.date.today().isoformat(), "load": os.getloadavg()[0],
            "description": f"{os.cpu_count()} cores, {models[0] if models else 'unknown processor'}, jackd's dummy driver"}


def write(folder, name, title, place, claims):
    """Writes NAME.json into a folder.

    place: the result of `machine`, from before the measurement.
    """
    os.makedirs(folder, exist_ok=True)
    report = {"name": name, "title": title, "columns": [], "rows": [], "claims": claims, "notes": [], "panels": [], "machine": place}
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump(report, file, indent=2, sort_keys=True)
