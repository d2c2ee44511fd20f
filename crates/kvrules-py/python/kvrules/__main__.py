"""`python -m kvrules`: the program, whether or not its directory is on the path."""

import subprocess
import sys

from kvrules.program import ProgramError, find_executable


def main() -> int:
    """Run the program with the arguments of this process and give back its exit status."""
    try:
        executable = find_executable()
    except ProgramError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return subprocess.run([executable, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
