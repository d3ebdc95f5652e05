"""`python -m deploy.loader SOURCE …|list|status`."""

import sys

from deploy.loader.command.run import main

if __name__ == "__main__":
    sys.exit(main())
