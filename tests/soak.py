#!/usr/bin/env python3
"""Runs that are killed, run out of disk and go on with other threads and ranks: soak.py PROGRAM [--seconds S] [--seed N] [--record FILE]

A round takes a question (a cross section with histograms, or a file of events), answers it once without a break, and once more with as much
trouble as chance has in store:

    kill        SIGKILL, SIGTERM or SIGINT at any moment
    full disk   files that must not grow beyond a size, or, as root, a file system in memory that is too small
    change      every start has other threads, and a cross section other ranks (mpirun), than the one before

The two answers must be the same, bit for bit, and what is left after each piece of trouble must be something to go on with; a run that was
told to stop, or has no room, must end with the exit status and the message that the manual says. Rounds begin as long as there is time.
The last line is "N passed, M failed"; --record adds what happened to a file, from which docs/soak.md is made (make docs-numbers).
"""
import argparse
import collections
import datetime
import filecmp
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 600.  # seconds after which a run counts as hung
STATUS = {signal.SIGKILL: (-signal.SIGKILL, 0), signal.SIGTERM: (130, 0), signal.SIGINT: (130, 0)}  # 0: it was done already

CROSS_SECTIONS = [
    "integrate -n 3 --points 120000", "integrate -n 4 --points 30000", "integrate -n 5 --points 60000 --color sampled",
    "integrate -n 3 --points 60000 --helicity sampled --helicity-sampling adaptive", "integrate -n 3 --points 20000 --algorithm cd-mc --kernel paper",
    "integrate --process|u g > u g g|--points 60000", "integrate -n 3 --precision 0.005", "integrate --process|p p > 3j|--points 100000"]
EVENTS = ["generate -n 3 --points 20000 --events 20000", "generate -n 4 --points 10000 --events 1500",
          "generate --process|p p > 2j|--points 30000 --events 15000", "generate -n 2 --points 10000 --events 40000 --weighted"]
ENDINGS = ["lhe", "h5"]


class Wrong(Exception):
    pass


def words(line):
    """"a --process|u g > u g|--b" as arguments: what stands between bars is one word."""
    parts = line.split("|")
    return [w for k, part in enumerate(parts) for w in ([part] if k % 2 else part.split())]


def catches(pid, signal_):
    """Whether a program has said what to do with a signal; before that it ends at once."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return int(re.search(r"^SigCgt:\s*(\w+)", file.read(), re.M)[1], 16) >> (signal_ - 1) & 1
    except (OSError, TypeError):
        return False


def end_session(leader):
    """Ends what is left of a session and waits for it: ranks live on for a moment after an mpirun that was killed."""
    for _ in range(600):
        left = []
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path) as file:
                    state, _, _, session = file.read().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(session) == leader and state != "Z":
                left.append(int(path.split("/")[2]))
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.1)
    raise Wrong(f"processes {left} cannot be killed")


class Soak:
    def __init__(self, program, seed, mpi):
        self.program, self.random, self.mpi = os.path.abspath(program), random.Random(seed), mpi
        self.counts, self.starts = collections.Counter(), 0
        self.folder = tempfile.mkdtemp(prefix="soak.")
        self.disk = self.make_disk()

    def make_disk(self):
        """A folder for a file system in memory; None where there may be none."""
        folder = os.path.join(self.folder, "disk")
        os.mkdir(folder)
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "soak", folder], capture_output=True).returncode:
            return None
        return folder

    def resize(self, kilobytes):
        subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", self.disk], check=True, capture_output=True)

    def close(self):
        if self.disk:
            subprocess.run(["umount", "--lazy", self.disk], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- a run --------------------------------------------------------------------------------------------------------------

    def start(self, arguments, ranks, most_bytes):
        def limit():
            if most_bytes:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        front = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-q", "-n", str(ranks)] if ranks > 1 else []
        self.starts += 1
        return subprocess.Popen(front + [self.program] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit,
                                start_new_session=True, env=dict(os.environ, OMP_WAIT_POLICY="passive"))

    def finish(self, process, after=None, signal_=None):
        """The exit status and what was printed; after some seconds it gets the signal."""
        sent = ""
        try:
            out, error = process.communicate(timeout=after if signal_ else PATIENCE)
        except subprocess.TimeoutExpired:
            if signal_ is None:
                os.killpg(process.pid, signal.SIGKILL)
                raise Wrong(f"no end after {PATIENCE:g} s: {' '.join(process.args)}")
            sent = "caught" if catches(process.pid, signal_) else "early"
            # mpirun passes signals on to its ranks; of a kill it learns nothing, so all of them are killed, as of a signal that came
            # before it was listening
            (os.killpg if signal_ == signal.SIGKILL else os.kill)(process.pid, signal_)
            try:
                out, error = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise Wrong(f"it did not stop after {signal.Signals(signal_).name}: {' '.join(process.args)}")
            end_session(process.pid)
        return process.returncode, out, error, sent

    def threads(self, ranks=1):
        return ["--threads", str(self.random.choice([1, 2, 3, 4] if ranks == 1 else [1, 2]))]

    # ---- rounds ---------------------------------------------------------------------------------------------------------------

    def trouble(self, arguments, resumed, limits, may_have_ranks, seconds):
        """Starts until one comes to its end; `resumed()` says what to add to go on with what is left, and `seconds`
        are those of the run without a break. Returns what it printed."""
        for number in range(100):
            kind = self.random.choice(["kill", "kill", "full", "none"]) if number < 6 else "none"
            ranks = self.random.choice([1, 1, 2, 3]) if may_have_ranks and self.mpi else 1
            line = arguments + self.threads(ranks) + resumed()
            if kind == "full":
                status, out, error = self.full_disk(line, limits)
                if status not in (0, 1) or (status == 1 and not re.search(r"cannot write|No space|File too large", error)):
                    raise Wrong(f"full disk: exit status {status}: {' '.join(line)}\n{error}")
            else:
                signal_ = self.random.choice(list(STATUS)) if kind == "kill" else None
                process = self.start(line, ranks, 0)
                after = self.random.uniform(0., 0.9) * seconds + (ranks > 1) if signal_ else None
                status, out, error, sent = self.finish(process, after, signal_)
                self.counts["starts with several ranks"] += ranks > 1
                if sent:
                    self.counts[signal.Signals(signal_).name] += 1
                    early = sent == "early" and status == -signal_
                    if ranks == 1 and status not in STATUS[signal_] and not early:
                        raise Wrong(f"exit status {status} after {signal.Signals(signal_).name}: {' '.join(line)}\n{error}")
                elif status:
                    raise Wrong(f"exit status {status}: {' '.join(process.args)}\n{error}")
            if status == 0:
                return out
        raise Wrong("it never ended")

    def full_disk(self, line, limits):
        """With a file that must not grow beyond a size, or a disk that is too small."""
        self.counts["full disks"] += 1
        if self.disk and self.random.random() < 0.5:
            self.counts["full disks that were file systems"] += 1
            about = os.statvfs(self.disk)
            self.resize((about.f_blocks - about.f_bfree) * about.f_frsize // 1024 + self.random.randint(*limits) // 1024 + 16)
            status, out, error, _ = self.finish(self.start(line, 1, 0))
            self.resize(1 << 16)
        else:
            status, out, error, _ = self.finish(self.start(line, 1, self.random.randint(*limits)))
        return status, out, error

    def place(self, name):
        return os.path.join(self.disk or self.folder, name)

    def clean(self):
        for path in glob.glob(self.place("run*")) + glob.glob(os.path.join(self.folder, "run*")):
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def resume_option(self, path, left):
        """The option where something is left to go on with."""
        if not os.path.exists(left):
            return []
        self.counts["resumes"] += 1
        return path

    def cross_section(self, question):
        def sigma(out):
            d = json.loads(out)
            return {key: d[key] for key in ("sigma_pb", "error_pb", "chi2_per_dof", "points", "max_weight_pb")}
        arguments = words(question) + ["--seed", str(self.random.randint(1, 10**9)), "--quiet", "--json"]
        first, second, checkpoint = os.path.join(self.folder, "run.first"), self.place("run.second"), self.place("run.ckpt")
        began = time.time()
        status, out, error, _ = self.finish(self.start(arguments + self.threads() + ["--histograms", first], 1, 0))
        seconds = time.time() - began
        if status:
            raise Wrong(f"exit status {status}: {' '.join(arguments)}\n{error}")
        again = arguments + ["--histograms", second, "--checkpoint", checkpoint, "--checkpoint-interval", "0.2"]
        other = self.trouble(again, lambda: self.resume_option(["--resume", checkpoint], checkpoint), (4000, 600000), True, seconds)
        if sigma(out) != sigma(other):
            raise Wrong(f"{' '.join(arguments)}: {sigma(out)} without a break, {sigma(other)} with")
        tables = [os.path.basename(path) for path in glob.glob(os.path.join(first, "*.csv"))]
        _, differ, missing = filecmp.cmpfiles(first, second, tables, shallow=False)
        if not tables or differ or missing:
            raise Wrong(f"{' '.join(arguments)}: histograms differ: {differ + missing}")

    def events(self, question, ending):
        arguments = words(question) + ["--seed", str(self.random.randint(1, 10**9)), "--quiet"]
        first, second = os.path.join(self.folder, f"run.first.{ending}"), self.place(f"run.second.{ending}")
        began = time.time()
        status, _, error, _ = self.finish(self.start(arguments + self.threads() + ["-o", first], 1, 0))
        seconds = time.time() - began
        if status:
            raise Wrong(f"exit status {status}: {' '.join(arguments)}\n{error}")
        size = os.path.getsize(first)
        part, state = second + ".part", second + ".state"

        def resumed():
            # a file that was cut off in its head has nothing to go on with, and what was integrated for it is of no use then
            if os.path.exists(part) and os.path.getsize(part) <= 3000:
                for path in (part, state):
                    if os.path.exists(path):
                        os.unlink(path)
            return self.resume_option(["--resume"], state if os.path.exists(state) else part)
        self.trouble(arguments + ["-o", second], resumed, (size // 10, 3 * size // 2), False, seconds)
        if not same_events(first, second, ending):
            raise Wrong(f"{' '.join(arguments)}: the events of {ending} differ")

    def round(self):
        kind = self.random.random()
        try:
            if kind < 0.5:
                question = self.random.choice(CROSS_SECTIONS)
                self.counts["cross sections"] += 1
                self.cross_section(question)
            else:
                question, ending = self.random.choice(EVENTS), self.random.choice(ENDINGS)
                self.counts[f"files of events, .{ending}"] += 1
                self.events(question, ending)
        finally:
            self.clean()


def same_events(first, second, ending):
    if ending == "lhe":
        return filecmp.cmp(first, second, shallow=False)
    import h5py
    with h5py.File(first, "r") as a, h5py.File(second, "r") as b:
        return sorted(a) == sorted(b) and all((a[name][...] == b[name][...]).all() for name in a)


def hardware():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    return f"{model[1] if model else 'unknown processor'}, {os.cpu_count()} cores"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=3600.)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--record", default=None)
    parser.add_argument("--rounds", type=int, default=10**9, help="so many at most")
    wish = parser.parse_args()
    seed = wish.seed if wish.seed is not None else random.SystemRandom().randint(1, 10**9)
    try:
        import h5py  # noqa: F401
        if subprocess.run([wish.program, "generate", "-n", "2", "-o", "/nonexistent/x.h5"], capture_output=True, text=True).stderr.count("without HDF5"):
            ENDINGS.remove("h5")
    except ImportError:
        ENDINGS.remove("h5")
    help_ = subprocess.run([wish.program, "info"], capture_output=True, text=True).stdout
    mpi = bool(shutil.which("mpirun")) and "MPI" in help_.upper()
    soak = Soak(wish.program, seed, mpi)
    print(f"seed {seed}, {'with' if mpi else 'without'} ranks, {'a file system in memory' if soak.disk else 'no file system of its own'}, "
          f"events as {', '.join(ENDINGS)}", flush=True)
    began, passed, failures = time.time(), 0, []
    try:
        while time.time() - began < wish.seconds and passed + len(failures) < wish.rounds:
            try:
                soak.round()
                passed += 1
            except Wrong as wrong:
                failures.append(str(wrong))
                print(f"# round {passed + len(failures)}: {wrong}", flush=True)
    finally:
        soak.close()
    version = subprocess.run([wish.program, "--version"], capture_output=True, text=True).stdout.strip()
    record = {"date": datetime.date.today().isoformat(), "version": version, "hardware": hardware(), "seed": seed,
              "seconds": round(time.time() - began), "rounds": passed + len(failures), "starts": soak.starts, "counts": dict(sorted(soak.counts.items())),
              "failures": failures}
    if wish.record:
        with open(wish.record, "w") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
    print(", ".join(f"{number} {name}" for name, number in sorted(soak.counts.items())) + f", {soak.starts} starts")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
