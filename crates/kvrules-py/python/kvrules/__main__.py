"""`python -m kvrules`: the program, whether or not its directory is on the path.

`python -m kvrules import nova` is answered here, since the Nova that is meant is that of this Python.
"""

import subprocess
import sys

from kvrules import nova_import
from kvrules.program import ProgramError, find_executable


def main() -> int:
    """Run the program with the arguments of this process and give back its exit status."""
    if sys.argv[1:3] == ["import", "nova"]:
        return nova_import.main(sys.argv[3:])
    try:
        executable = find_executable()
    except ProgramError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return subprocess.run([executable, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
