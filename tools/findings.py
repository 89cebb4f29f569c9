"""How the checks here end."""

import sys


def tell(check, findings, what="violation"):
    """Prints what was found, a line each, and returns the status to end with."""
    for line in findings:
        print(line)
    if findings:
        print(f"{check}: {len(findings)} {what}{'s' if len(findings) > 1 else ''}", file=sys.stderr)
        return 1
    print(f"{check}: clean")
    return 0
