"""The neighbourhoods that a learner counts in its second pass over a folder, as JSON, for peers.

python benchmarks/scale/neighbourhoods.py FOLDER > neighbourhoods.json
"""

import json
import sys

from bnsieve import TsetlinSieve


def main(folder: str) -> None:
    learner = TsetlinSieve(random_state=0).fit(folder)
    tables = learner.counted_.tables[0]
    names = tables.plan.names
    print(json.dumps([[names[v] for v in joint.variables] for joint in tables.joints]))


if __name__ == "__main__":
    main(sys.argv[1])
