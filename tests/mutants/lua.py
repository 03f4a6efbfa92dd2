"""Puts each mutant of lua.toml into the test programs in place of its script, and runs its tests.

    python3 tests/mutants/lua.py RESULTS PROGRAM … -- [SKIPPED_TEST …]

The scripts stand in each program as texts. A mutant takes the bytes of its script: without the
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


def caught_by(programs, groups, skipped):
    """The test of these groups, tried in their order, that notices a mutant; None if none does."""
    return next(filter(None, (caught_in(programs, group, skipped) for group in groups)), None)


def caught_in(programs, group, skipped):
    """The test of one group that notices it. One that is red by chance is not red twice."""
    for _ in range(RUNS_MAX):
        failure = first_failure(programs, group.split(), skipped)
        if failure in (None, TIME, END) or first_failure(programs, ["--exact", failure], []):
            return failure
    return None


def first_failure(programs, filters, skipped):
    """The first test that fails; None if all pass, TIME if they do not end, END if a process does."""
    n_passed = 0
    for program in programs:
        failure, n_passed_here = run_in(program, filters, skipped)
        if failure:
            return failure
        n_passed += n_passed_here
    assert n_passed, f"no test: {filters}"
    return None


def run_in(program, filters, skipped):
    """The first failure of the tests that one program has, and how many passed before it."""
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
                return end[1], n_passed
            n_passed += bool(end)
        return None if run.wait() == 0 else END, n_passed
    except TimeoutError:
        return TIME, n_passed
    finally:
        signal.alarm(0)
        try:
            os.killpg(run.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        run.wait()


def changed_program(program, script, new):
    """The path of the program with another script; None if it has not got that script."""
    with open(program, "rb") as file:
        original = file.read()
    if script not in original:
        return None
    changed = program + "-mutant"
    with open(changed, "wb") as file:
        file.write(original.replace(script, new))
    os.chmod(changed, 0o755)
    return changed


def late(_signal, _frame):
    raise TimeoutError


def main():
    results, arguments = sys.argv[1], sys.argv[2:]
    end = arguments.index("--")
    programs, skipped = arguments[:end], arguments[end + 1 :]
    signal.signal(signal.SIGALRM, late)
    with open("tests/mutants/lua.toml", "rb") as file:
        mutants = tomllib.load(file)["mutant"]
    if only := os.environ.get("ONLY"):
        mutants = [m for m in mutants if re.search(only, m["script"])]
    for group in sorted({group for mutant in mutants for group in mutant["tests"]}):
        failed = caught_in(programs, group, skipped)
        assert failed is None, f"red without a mutant: {failed}"
    n_caught = 0
    with open(results, "w", encoding="utf-8") as rows:
        for mutant in mutants:
            with open(mutant["script"], encoding="utf-8") as file:
                script = file.read()
            new = mutated(script, mutant["old"], mutant["new"])
            changed = [changed_program(program, script.encode(), new) for program in programs]
            assert any(changed), f"the programs were built from another {mutant['script']}"
            failure = caught_by(list(filter(None, changed)), mutant["tests"], skipped)
            n_caught += failure is not None
            row = " | ".join([os.path.basename(mutant["script"]), f"`{mutant['old'].strip()}`",
                              f"`{mutant['new'].strip()}`", f"`{failure}`" if failure else "**missed**"])
            print(f"| {row} |", file=rows, flush=True)
            print(f"| {row} |", flush=True)
    print(f"{n_caught} of {len(mutants)} mutants were caught.")


main()
