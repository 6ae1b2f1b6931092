"""`python -m advisor`: the program, without modules of the current folder.

Python has put that folder before all others, and has imported this package and a few modules of its own by then: only
`python -P -m advisor` and the command `advisor` keep it away from the start.
"""

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from advisor.cli.main import main

if __name__ == "__main__":
    main()
