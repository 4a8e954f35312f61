"""Runs a program in a terminal of its own and answers its question there, once:
answer.py QUESTION ANSWER COMMAND... Ends with its exit code, or fails if it never asked, or if
anything with a percent sign, as a progress bar, was drawn before that. Prints what it showed."""
import os, pty, sys

question, answer, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
seen, answered = b"", False
while True:
    try:
        got = os.read(terminal, 65536)
    except OSError:
        break
    seen += got
    if not answered and question.encode() in seen:
        if b"%" in seen:
            sys.exit(f"drawn over the question: {seen}")
        os.write(terminal, answer.encode() + b"\n")
        answered = True
sys.stdout.buffer.write(seen)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
if not answered:
    sys.exit(f"never asked: {seen}")
sys.exit(code)
