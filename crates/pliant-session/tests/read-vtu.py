"""Reads with VTK what `pliant run scenes/hanging-bar.toml --duration 0.5 --vtu` wrote.

    python read-vtu.py FOLDER        (pip install vtk)

The scene is a bar of 20 x 4 x 4 cells and 0.5 x 0.1 x 0.1 m, held at x = 0, with a frame every
0.02 s. What must be in the files follows from that alone.
"""

import math
import pathlib
import sys
import xml.etree.ElementTree

from vtkmodules.vtkCommonDataModel import VTK_TETRA
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

POINTS = 21 * 5 * 5
TETS = 20 * 4 * 4 * 6
HELD = 5 * 5
VOLUME = 0.5 * 0.1 * 0.1


def check(condition, problem):
    if not condition:
        sys.exit(f"FAILED: {problem}")


def read(path):
    reader = vtkXMLUnstructuredGridReader()
    check(reader.CanReadFile(str(path)), f"VTK does not take {path}")
    reader.SetFileName(str(path))
    reader.Update()
    check(reader.GetErrorCode() == 0, f"VTK finds error {reader.GetErrorCode()} in {path}")
    return reader.GetOutput()


def array(data, name, tuples, components):
    found = data.GetArray(name)
    check(found is not None, f"no array {name}")
    size = found.GetNumberOfTuples(), found.GetNumberOfComponents()
    check(size == (tuples, components), f"{name} has {size} tuples and components")
    rows = [found.GetTuple(i) for i in range(tuples)]
    check(all(math.isfinite(x) for row in rows for x in row), f"{name} is not finite")
    return rows


def volume(grid):
    total = 0.0
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        check(cell.GetCellType() == VTK_TETRA, f"cell {i} is of type {cell.GetCellType()}")
        corners = [grid.GetPoint(cell.GetPointId(k)) for k in range(4)]
        a, b, c = ([p[k] - corners[0][k] for k in range(3)] for p in corners[1:])
        total += (
            a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
        ) / 6
    return total


def look(path):
    """The points of a frame, after its counts and arrays were found to be right."""
    grid = read(path)
    check(grid.GetNumberOfPoints() == POINTS, f"{grid.GetNumberOfPoints()} points in {path}")
    check(grid.GetNumberOfCells() == TETS, f"{grid.GetNumberOfCells()} cells in {path}")
    velocity = array(grid.GetPointData(), "velocity", POINTS, 3)
    array(grid.GetPointData(), "force", POINTS, 1)
    array(grid.GetPointData(), "body", POINTS, 1)
    stress = array(grid.GetCellData(), "von_mises", TETS, 1)
    check(all(s >= 0 for (s,) in stress), f"a negative von Mises stress in {path}")
    return [grid.GetPoint(i) for i in range(POINTS)], velocity, volume(grid)


def main(folder):
    lists = sorted(pathlib.Path(folder).glob("*.pvd"))
    check(len(lists) == 1, f"{len(lists)} .pvd files in {folder}")
    entries = xml.etree.ElementTree.parse(lists[0]).getroot().findall(".//DataSet")
    times = [float(entry.get("timestep")) for entry in entries]
    check(len(times) == 26, f"{len(times)} frames instead of 26")
    late = [abs(time - 0.02 * i) for i, time in enumerate(times)]
    check(max(late) < 1e-9, f"frames are at {times}")

    frames = [look(lists[0].parent / entry.get("file")) for entry in entries]
    (start, still, first_volume), (end, moving, last_volume) = frames[0], frames[-1]
    check(abs(first_volume / VOLUME - 1) < 1e-5, f"volume {first_volume} at the start")
    check(abs(last_volume / VOLUME - 1) < 0.02, f"volume {last_volume} at the end")
    check(all(v == (0, 0, 0) for v in still), "something moves at the start")
    held = [i for i, p in enumerate(start) if p[0] == 0]
    check(len(held) == HELD, f"{len(held)} points at x = 0")
    check(all(end[i] == start[i] for i in held), "the held end has moved")
    check(all(moving[i] == (0, 0, 0) for i in held), "the held end has a velocity")
    tip = max(range(POINTS), key=lambda i: start[i][0])
    sag = start[tip][2] - end[tip][2]
    check(sag > 0.02, f"the tip has sagged by {sag} m")
    print(
        f"{len(frames)} frames read: {POINTS} points and {TETS} tetrahedra each, volume "
        f"{first_volume:.6f} to {last_volume:.6f} m3, arrays velocity, force, body and von_mises; "
        f"the held end stays, the tip sags by {sag:.4f} m"
    )


if __name__ == "__main__":
    main(sys.argv[1])
