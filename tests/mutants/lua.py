"""Puts each mutant of lua.toml into the test program in place of its script, and runs its tests.

    python3 tests/mutants/lua.py PROGRAM RESULTS [SKIPPED_TEST …]

The scripts stand in the program as texts. A mutant takes the bytes of its script: without the
comments it is shorter, and is filled up with spaces. Writes a line for each mutant to RESULTS, as the
rows of a table; a mutant is caught as soon as the first test fails.
"""

import os
import re
import signal
import subprocess
import sys
import tomllib

# Longest time of the tests of one mutant, in seconds. A mutant may wait for what never comes.
RUN_SECS_MAX = 300
# How often the tests are run for one mutant, at most, while what fails passes alone.
RUNS_MAX = 3
TIME = "a time limit"
END = "the end of the process"


def mutated(script, old, new):
    """The script with one place changed, in as many bytes as it had."""
    assert script.count(old) >= 1, f"not there: {old}"
    code = re.sub(r"(?m)^\s*--.*\n", "", script.replace(old, new, 1))
    filled = code.encode().ljust(len(script.encode()))
    assert len(filled) == len(script.encode()), f"too long: {new}"
    return filled


def caught_by(program, groups, skipped):
    """The test of these groups, tried in their order, that notices a mutant; None if none does."""
    return next(filter(None, (caught_in(program, group, skipped) for group in groups)), None)


def caught_in(program, group, skipped):
    """The test of one group that notices it. One that is red by chance is not red twice."""
    for _ in range(RUNS_MAX):
        failure = first_failure(program, group.split(), skipped)
        if failure in (None, TIME, END) or first_failure(program, ["--exact", failure], []):
            return failure
    return None


def first_failure(program, filters, skipped):
    """The first test that fails; None if all pass, TIME if they do not end, END if the process does."""
    command = [program, *filters]
    for name in skipped:
        command += ["--skip", name]
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    signal.alarm(RUN_SECS_MAX)
    n_passed = 0
    try:
        for line in run.stdout:
            end = re.match(r"test (\S+) \.\.\. (ok|FAILED)", line)
            if end and end[2] == "FAILED":
                return end[1]
            n_passed += bool(end)
        assert n_passed, f"no test: {filters}"
        return None if run.wait() == 0 else END
    except TimeoutError:
        return TIME
    finally:
        signal.alarm(0)
        try:
            os.killpg(run.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        run.wait()


def late(_signal, _frame):
    raise TimeoutError


def main():
    program, results, skipped = sys.argv[1], sys.argv[2], sys.argv[3:]
    signal.signal(signal.SIGALRM, late)
    with open("tests/mutants/lua.toml", "rb") as file:
        mutants = tomllib.load(file)["mutant"]
    with open(program, "rb") as file:
        original = file.read()
    if only := os.environ.get("ONLY"):
        mutants = [m for m in mutants if re.search(only, m["script"])]
    for group in sorted({group for mutant in mutants for group in mutant["tests"]}):
        failed = caught_in(program, group, skipped)
        assert failed is None, f"red without a mutant: {failed}"
    n_caught = 0
    with open(results, "w", encoding="utf-8") as rows:
        for mutant in mutants:
            with open(mutant["script"], encoding="utf-8") as file:
                script = file.read()
            place = original.count(script.encode())
            assert place >= 1, f"the program was built from another {mutant['script']}"
            changed = program + "-mutant"
            with open(changed, "wb") as file:
                file.write(original.replace(script.encode(), mutated(script, mutant["old"], mutant["new"])))
            os.chmod(changed, 0o755)
            failure = caught_by(changed, mutant["tests"], skipped)
            n_caught += failure is not None
            row = " | ".join([os.path.basename(mutant["script"]), f"`{mutant['old'].strip()}`",
                              f"`{mutant['new'].strip()}`", f"`{failure}`" if failure else "**missed**"])
            print(f"| {row} |", file=rows, flush=True)
            print(f"| {row} |", flush=True)
    print(f"{n_caught} of {len(mutants)} mutants were caught.")


main()
