"""The program blockgen, which comes with the package: what the command `blockgen` and `python -m blockgen` start."""
import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "blockgen")


def main() -> None:
    os.execv(PROGRAM, ["blockgen"] + sys.argv[1:])


if __name__ == "__main__":
    main()
