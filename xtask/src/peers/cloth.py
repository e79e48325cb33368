"""Turns the points of an OBJ file into the file in which the peers' scripts keep a cloth.

usage: cloth.py FROM.obj TO.npz
"""

import sys

import numpy as np

with open(sys.argv[1]) as file:
    points = [line.split()[1:4] for line in file if line.startswith("v ")]
np.savez(sys.argv[2], pos=np.array(points, float))
