"""Start one program, wait for it, and write its time and memory, from the smallest Python process possible.

Linux counts the starting process's memory into the peak of a program until its exec (getrusage(2), ``ru_maxrss``), so
the harness itself must not start what it measures. Run with ``-I -S`` it has 9 MB, less than any Python program.

    python -I -S benchmarks/launch.py REPORT PROGRAM ARGUMENT...

REPORT gets one line: exit status (negative for a signal), wall seconds, CPU seconds, peak KiB.
"""

import posix
import sys
import time

report, *arguments = sys.argv[1:]
started = time.perf_counter()
process = posix.posix_spawn(arguments[0], arguments, posix.environ)
_, status, usage = posix.wait4(process, 0)
wall = time.perf_counter() - started
code = posix.waitstatus_to_exitcode(status)
file = posix.open(report, posix.O_WRONLY)
posix.write(file, b"%d %.9f %.9f %d\n" % (code, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss))
