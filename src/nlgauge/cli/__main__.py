"""`python -m nlgauge.cli`: the command line."""

from nlgauge.cli import main

if __name__ == "__main__":
    main()
