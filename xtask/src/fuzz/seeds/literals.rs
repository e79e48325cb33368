//! One tiny file for each dialect of each format.

use super::Seed;

const NODE: &str = "# nodes\n4 3 1 1\n1 0 0 0 0.5 1\n2 1 0 0 0.5 0\n3 0 1 0 0.5 0\n4 0 0 1 0.5 0\n";
const ELE: &str = "1 4 1\n1 1 2 3 4 15\n";
const ELE_10: &str = "1 10 0\n0 0 1 2 3 4 5 6 7 8 9\n";
const NODE_10: &str = "10 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 .5 0 0\n5 0 .5 0\n6 0 0 .5\n\
    7 .5 .5 0\n8 0 .5 .5\n9 .5 0 .5\n";

const GMSH_1: &str = "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n2\n\
    1 4 1 1 4 1 2 3 4\n2 2 1 1 3 1 2 3\n$ENDELM\n";
const GMSH_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"body\"\n\
    2 7 \"skin side\"\n$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n9 1 1 1\n\
    $EndNodes\n$Elements\n3\n1 4 2 1 1 1 2 3 4\n2 2 2 7 2 1 2 3\n3 15 2 0 1 9\n$EndElements\n\
    $NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n4\n1 0.5\n2 1\n3 2\n4 3\n$EndNodeData\n";
const GMSH_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n\
    $EndPhysicalNames\n$Entities\n0 0 1 1\n1 0 0 0 1 1 0 0 0\n1 0 0 0 1 1 1 1 1 1 1\n$EndEntities\n\
    $Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n\
    2 1 2 1\n1 1 2 3\n3 1 4 1\n2 1 2 3 4\n$EndElements\n";

const MEDIT: &str = "MeshVersionFormatted 2\nDimension 3\n# points\nVertices\n5\n0 0 0 1\n1 0 0 1\n\
    0 1 0 2\n0 0 1 2\n1 1 1 0\nEdges\n1\n1 2 0\nTriangles\n1\n1 2 3 5\nQuadrilaterals\n1\n1 2 5 3 1\n\
    Tetrahedra\n2\n1 2 3 4 1\n2 3 4 5 1\nEnd\n";
const NETGEN_VOL: &str = "mesh3d\ndimension\n3\ngeomtype\n0\n\n# surfnr bcnr domin domout np p1 p2 p3\n\
    surfaceelements\n1\n 1 1 1 0 3 1 2 3\n\n# matnr np p1 p2 p3 p4\nvolumeelements\n1\n1 4 1 2 3 4\n\n\
    edgesegmentsgi2\n1\n1 0 1 2 -1 -1 0 0 1 0 1 0\n\npoints\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n\n\
    materials\n1\n1 default\n\nendmesh\n";
const NETGEN_NEUTRAL: &str =
    "4\n 0 0 0\n 1 0 0\n 0 1 0\n 0 0 1\n1\n 1 1 2 3 4\n2\n 1 1 2 3\n 1 1 2 4\n";

const VTK_4: &str = "# vtk DataFile Version 3.0\nseed\nASCII\nDATASET UNSTRUCTURED_GRID\n\
    POINTS 5 float\n0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\nCELLS 3 14\n4 0 1 2 3\n4 1 2 3 4\n3 0 1 2\n\
    CELL_TYPES 3\n10\n10\n5\nPOINT_DATA 5\nSCALARS heat float 1\nLOOKUP_TABLE default\n0 1 2 3 4\n\
    VECTORS wind double\n0 0 0 1 1 1 2 2 2 3 3 3 4 4 4\nCELL_DATA 3\nFIELD f 1\nid 1 3 int\n7 8 9\n";
const VTK_5: &str = "# vtk DataFile Version 5.1\nseed\nASCII\nDATASET UNSTRUCTURED_GRID\n\
    POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 4\nOFFSETS vtktypeint64\n0 4\n\
    CONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n";
const VTK_POLY: &str = "# vtk DataFile Version 2.0\nseed\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n\
    0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 2 9\n3 0 1 2\n4 0 1 2 3\n";
const VTK_GRID: &str = "# vtk DataFile Version 2.0\nseed\nASCII\nDATASET STRUCTURED_POINTS\n\
    DIMENSIONS 2 2 2\nORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 8\nSCALARS s float\nLOOKUP_TABLE default\n\
    0 1 2 3 4 5 6 7\n";

const VTU_ASCII: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" \
    byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n\
    <PointData Scalars=\"heat\"><DataArray type=\"Float32\" Name=\"heat\" format=\"ascii\">0 1 2 3\
    </DataArray></PointData>\n<CellData/>\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" \
    format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>\n<Cells>\n<DataArray type=\"Int64\" \
    Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\n<DataArray type=\"Int64\" \
    Name=\"offsets\" format=\"ascii\">4</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" \
    format=\"ascii\">10</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
const VTU_BASE64: &str = "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
    header_type=\"UInt32\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">\n\
    <Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">\
    JAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAA==</DataArray></Points>\n<Cells>\n\
    <DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"0\"/>\n\
    <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>\n\
    <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5</DataArray>\n</Cells>\n</Piece>\n\
    </UnstructuredGrid>\n<AppendedData encoding=\"base64\">\n_DAAAAAAAAAABAAAAAgAAAA==\n</AppendedData>\n\
    </VTKFile>\n";

const VEGA: &str = "# Vega\n*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\n*ELEMENTS\nTET\n\
    1 4 0\n1 1 2 3 4\n\n*MATERIAL soft\nENU, 1000, 1e5, 0.45\n\n*SET core\n1, 1\n\n*REGION\ncore, soft\n";
const VEGA_CUBIC: &str = "*VERTICES\n8 3 0 0\n0 0 0 0\n1 1 0 0\n2 1 1 0\n3 0 1 0\n4 0 0 1\n5 1 0 1\n\
    6 1 1 1\n7 0 1 1\n*ELEMENTS\nCUBIC\n1 8 0\n0 0 1 2 3 4 5 6 7\n";
const VEGA_INCLUDE: &str = "*INCLUDE part.veg\n*MATERIAL m\nENU, 1000, 1e5, 0.45\n";

const OBJ: &str = "# seed\nmtllib a.mtl\no thing\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\n\
    vt 1 0\nvn 0 0 1\ng front side\nusemtl red\ns off\nf 1/1/1 2/2/1 3//1 \\\n 4\nf -4 -3 -2\n\
    l 1 2 3\np 1\n";
const STL: &str = "solid seed\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   \
    vertex 0 1 0\n  endloop\n endfacet\nendsolid seed\n";
const PLY: &str = "ply\nformat ascii 1.0\ncomment seed\nelement vertex 4\nproperty float x\nproperty \
    float y\nproperty float z\nproperty uchar red\nelement face 2\nproperty list uchar int \
    vertex_indices\nproperty list uchar float texcoord\nend_header\n0 0 0 255\n1 0 0 0\n1 1 0 0\n0 1 0 \
    7\n3 0 1 2 0\n4 0 1 2 3 2 0.5 1\n";
const PLY_BE: &[u8] = b"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty double x\n\
    property double y\nproperty double z\nelement face 1\nproperty list uint uint vertex_indices\n\
    element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
    \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x3f\xf0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    \0\0\0\0\0\0\0\0\x3f\xf0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x01\0\0\0\x02\
    \0\0\0\x03\0\0\0\0\0\0\0\x01\0\0\0\x02";
const OFF: &str = "OFF\n# seed\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n4 0 1 2 3 255 0 0\n";
const OFF_RICH: &str = "STCNOFF\n3 1 3\n0 0 0 0 0 1 1 0 0 1 0 0\n1 0 0 0 0 1 1 0 0 1 1 0\n\
    0 1 0 0 0 1 1 0 0 1 0 1\n3 0 1 2 0.5 0.5 0.5\n";

const GLTF: &str = "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \
    \"nodes\": [{\"mesh\": 0, \"translation\": [1, 2, 3], \"children\": [1]}, {\"mesh\": 0, \
    \"scale\": [2, 2, 2]}], \"meshes\": [{\"name\": \"t\", \"primitives\": [{\"attributes\": \
    {\"POSITION\": 0}, \"indices\": 1, \"mode\": 4}]}], \"buffers\": [{\"uri\": \
    \"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA\", \
    \"byteLength\": 42}], \"bufferViews\": [{\"buffer\": 0, \"byteOffset\": 0, \"byteLength\": 36}, \
    {\"buffer\": 0, \"byteOffset\": 36, \"byteLength\": 6}], \"accessors\": [{\"bufferView\": 0, \
    \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 1, 0]}, \
    {\"bufferView\": 1, \"componentType\": 5123, \"count\": 3, \"type\": \"SCALAR\"}]}";

/// Two joints, a morph target and an animation of both.
const SKINNED: &str = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0,2]}],\"nodes\":[{\"children\":[1]},\
    {\"translation\":[1,0,0]},{\"mesh\":0,\"skin\":0,\"weights\":[0.5]}],\"meshes\":[{\"weights\":[0],\
    \"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\
    \"targets\":[{\"POSITION\":3}]}]}],\"skins\":[{\"joints\":[0,1],\"inverseBindMatrices\":4}],\
    \"animations\":[{\"name\":\"bend\",\"samplers\":[{\"input\":5,\"output\":6},{\"input\":5,\
    \"output\":7,\"interpolation\":\"CUBICSPLINE\"}],\"channels\":[{\"sampler\":0,\
    \"target\":{\"node\":1,\"path\":\"rotation\"}},{\"sampler\":1,\"target\":{\"node\":2,\
    \"path\":\"weights\"}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\
    \"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},\
    {\"bufferView\":2,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\",\"normalized\":true},\
    {\"bufferView\":3,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{\"bufferView\":4,\
    \"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},{\"bufferView\":5,\"componentType\":5126,\
    \"count\":2,\"type\":\"SCALAR\"},{\"bufferView\":6,\"componentType\":5126,\"count\":2,\
    \"type\":\"VEC4\"},{\"bufferView\":7,\"componentType\":5126,\"count\":6,\"type\":\"SCALAR\"}],\
    \"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},{\"buffer\":0,\
    \"byteOffset\":36,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12},\
    {\"buffer\":0,\"byteOffset\":60,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":96,\
    \"byteLength\":128},{\"buffer\":0,\"byteOffset\":224,\"byteLength\":8},{\"buffer\":0,\
    \"byteOffset\":232,\"byteLength\":32},{\"buffer\":0,\"byteOffset\":264,\"byteLength\":24}],\
    \"buffers\":[{\"byteLength\":288,\"uri\":\"data:;base64,\
    AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAQAAAgD8AAAAAAAAAAAABAAABAAAA/wAAAIB/AAD/AAAAAAAAAAAAgD8AAAAA\
    AAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAA\
    AAAAAAAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAgL8AAAAA\
    AAAAAAAAgD8AAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAPQENT/0BDU/AAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";

/// 3 × 2 grey values of 16 bits.
const HEIGHTS: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x10\0\0\0\0\xe8\x8f\xe5\x85\0\0\0\x16IDAT\
    x\x9cc```\xd4\xf9\xff\x9f\x81\xf9\x05\x03\x13\x033\0\x17c\x03\x1c\x04\x19\xee\x93\0\0\0\0IE\
    ND\xaeB`\x82";

const DIRECTX: &str = "xof 0303txt 0032\ntemplate Vector {\n <3d82ab5e-62da-11cf-ab39-0020af71e433>\n \
    FLOAT x;\n FLOAT y;\n FLOAT z;\n}\n// seed\nFrame Root {\n FrameTransformMatrix {\n  1,0,0,0,0,1,0,0,\
    0,0,1,0,1,2,3,1;;\n }\n Mesh m {\n  4;\n  0;0;0;,\n  1;0;0;,\n  1;1;0;,\n  0;1;0;;\n  2;\n  3;0,1,2;,\n  \
    4;0,1,2,3;;\n  MeshNormals {\n   1;\n   0;0;1;;\n   2;\n   3;0,0,0;,\n   4;0,0,0,0;;\n  }\n }\n}\n";

/// All literals.
pub fn all() -> Vec<Seed> {
    vec![
        Seed::new("a.node", NODE).with("a.ele", ELE),
        Seed::new("a.ele", ELE).with("a.node", NODE),
        Seed::new("b.node", NODE_10).with("b.ele", ELE_10),
        Seed::new("one.msh", GMSH_1),
        Seed::new("two.msh", GMSH_2),
        Seed::new("four.msh", GMSH_4),
        Seed::new("medit.mesh", MEDIT),
        Seed::new("neutral.mesh", NETGEN_NEUTRAL),
        Seed::new("netgen.vol", NETGEN_VOL),
        Seed::new("four.vtk", VTK_4),
        Seed::new("five.vtk", VTK_5),
        Seed::new("poly.vtk", VTK_POLY),
        Seed::new("grid.vtk", VTK_GRID),
        Seed::new("ascii.vtu", VTU_ASCII),
        Seed::new("base64.vtu", VTU_BASE64),
        Seed::new("tet.veg", VEGA),
        Seed::new("cubic.veg", VEGA_CUBIC),
        Seed::new("include.veg", VEGA_INCLUDE).with("part.veg", VEGA),
        Seed::new("a.obj", OBJ),
        Seed::new("a.stl", STL),
        Seed::new("ascii.ply", PLY),
        Seed::new("big.ply", PLY_BE),
        Seed::new("a.off", OFF),
        Seed::new("rich.off", OFF_RICH),
        Seed::new("a.gltf", GLTF),
        Seed::new("skinned.gltf", SKINNED),
        Seed::new("heights.png", HEIGHTS),
        Seed::new("a.x", DIRECTX),
    ]
}
