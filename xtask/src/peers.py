"""Times one peer on one case and prints its RESULT line.

usage: peers.py SCRIPTS PEER CASE [MESH COPIES]

SCRIPTS is the folder with the peers' step in Taichi and numba (harness.py, meshes.py,
explicit_taichi.py, explicit_numpy_numba.py). With MESH, a TetGen .node or .ele file, the case is
that many copies of it instead of a bar.
"""

import importlib
import sys

import numpy as np


def table(path, columns):
    with open(path) as file:
        rows = [line.split("#")[0].split() for line in file]
    rows = [row for row in rows if row][1:]
    return np.array([row[: columns + 1] for row in rows], float)


def copies_of(path, count):
    stem = path.rsplit(".", 1)[0]
    nodes, elements = table(stem + ".node", 3), table(stem + ".ele", 4)
    points = nodes[:, 1:4]
    tets = elements[:, 1:5].astype(np.int32) - int(nodes[0, 0])
    shift = np.array([1.0, 0.0, 0.0])
    return dict(
        pos=np.concatenate([points + i * shift for i in range(count)]).astype(np.float32),
        tets=np.concatenate([tets + i * len(points) for i in range(count)]),
        lock=np.zeros(count * len(points), np.int32),
    )


def main(scripts, peer, case, mesh=None, copies="1"):
    sys.path.insert(0, scripts)
    import harness
    import meshes

    if mesh:
        body = copies_of(mesh, int(copies))
        meshes.get = lambda name: body
        harness.CHECK = lambda name: 20
    module = "explicit_taichi" if peer.startswith("taichi") else "explicit_numpy_numba"
    importlib.import_module(module).run(peer, case)


main(*sys.argv[1:])
