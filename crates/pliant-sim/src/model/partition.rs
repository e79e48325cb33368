//! Fixed work blocks: which vertices, tetrahedra and springs are handled together.
