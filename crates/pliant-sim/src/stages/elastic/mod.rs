//! Forces of springs and volumes.
