"""Commands that end, fail, or go on for too long."""

import sys

import pytest

from benchmarks.common.limited import limited


def python(program):
    return [sys.executable, "-c", program]


def test_what_a_command_printed_comes_back_from_one_thread():
    program = "import os; print('said', os.environ['OPENBLAS_NUM_THREADS'])"
    assert limited(python(program), 30) == "said 1\n"


def test_too_much_processor_time_is_an_error():
    with pytest.raises(TimeoutError, match="first"):
        limited(python("print('first', flush=True)\nwhile True: pass"), 1)


def test_waiting_too_long_is_an_error_too():
    with pytest.raises(TimeoutError, match="first"):
        limited(python("import time; print('first', flush=True); time.sleep(60)"), 1)


@pytest.mark.parametrize(
    ("program", "said"),
    [("import sys; sys.exit('no data')", "no data"), ("import sys; sys.exit(3)", "said nothing")],
)
def test_a_failure_is_told_in_its_own_words(program, said):
    with pytest.raises(RuntimeError, match=said):
        limited(python(program), 30)
