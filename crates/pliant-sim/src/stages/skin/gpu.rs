//! Skins on devices.
