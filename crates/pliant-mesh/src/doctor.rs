//! What is wrong with a mesh, and what to do about it.
