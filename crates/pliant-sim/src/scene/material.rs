//! What bodies are made of.

use serde::{Deserialize, Serialize};

use super::{Cloth, Fabric};

/// The material of one body. The defaults are those of Echtler 2004, *Efficient Realization of
/// Mass-Spring Systems on Graphics Hardware*: a very soft and light jelly that runs at 4 ms steps for cells of about half a metre.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Material {
    /// How heavy.
    pub mass: Mass,
    /// How hard to stretch.
    pub stiffness: Stiffness,
    /// How hard to compress; see [`Material::volume_force`] for what the default means.
    pub volume: Volume,
    /// How quickly vibration along the springs fades; what slows all motion is [`World::damping`].
    ///
    /// [`World::damping`]: super::World::damping
    pub damping: Damping,
}

/// As scenes have it: what is not said is that of the fabric, if there is one.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    mass: Option<Mass>,
    stiffness: Option<Stiffness>,
    volume: Option<Volume>,
    damping: Option<Damping>,
    fabric: Option<Fabric>,
}

impl From<Written> for Material {
    fn from(written: Written) -> Self {
        let Written { fabric, mass, stiffness, volume, damping } = written;
        let usual = fabric.map(Fabric::material).unwrap_or_default();
        Self {
            mass: mass.unwrap_or(usual.mass),
            stiffness: stiffness.unwrap_or(usual.stiffness),
            volume: volume.unwrap_or(usual.volume),
            damping: damping.unwrap_or(usual.damping),
        }
    }
}

/// How the mass of a body is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mass {
    /// The same for every vertex \[kg\].
    Vertex(f64),
    /// Of the whole body, shared out by the volume (or area) round each vertex \[kg\].
    Total(f64),
    /// Per volume \[kg/m³\], or per area for surfaces \[kg/m²\].
    Density(f64),
}

impl Default for Mass {
    fn default() -> Self {
        Self::Vertex(0.001)
    }
}

/// How the stretch resistance of a body is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stiffness {
    /// The same for each of the six springs of every tetrahedron, or for each edge of a surface \[N/m\].
    Spring(f64),
    /// Young's modulus \[Pa\], turned into the stiffness of springs by edge (Van Gelder 1998); for surfaces
    /// modulus × thickness \[N/m\].
    Young(f64),
    /// As woven cloth; for surfaces.
    Cloth(Cloth),
}

impl Default for Stiffness {
    fn default() -> Self {
        Self::Spring(2.5)
    }
}

/// How a tetrahedron resists a change of its volume. Surfaces have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Volume {
    /// The energy form with a modulus that suits the stiffness: Young's modulus where one is given,
    /// else 10 Pa, which resists about as much as Echtler's 25 N/m³ does for cells of 0.4 m.
    #[default]
    Auto,
    /// Gradient of ½ k (v − v₀)²/v₀ with the modulus k \[Pa\]; conserves momentum.
    ///
    /// For a nearly incompressible body take some ten times its Young's modulus.
    #[serde(rename = "modulus")]
    Energy(f64),
    /// The energy form with such a modulus that the body, when pulled, gets thinner by Poisson's
    /// ratio, from [`Volume::POISSON`]'s first to its last. Needs [`Stiffness::Young`], which then is
    /// the modulus of the whole body: its mesh is measured when the scene is compiled.
    Poisson(f64),
    /// Echtler's force, a coefficient \[N/m³\] × change of volume along each unit face normal. It does
    /// not conserve momentum: a free body may drift. For comparison with the published figures,
    /// which use 25.
    Thesis(f64),
    /// No resistance besides that of the springs.
    None,
}

impl Volume {
    /// Poisson's ratios that a body may be given: springs alone have ¼, and at ½ no volume could
    /// change.
    pub const POISSON: [f64; 2] = [0.25, 0.49];
    /// A ratio that suits soft stuff. Rubber and tissue come close to ½, but such bodies need shorter
    /// timesteps: at 0.4 the largest stable one is three quarters of that at 0.3, at 0.45 a half and at
    /// 0.49 a quarter.
    pub const USUAL_POISSON: f64 = 0.4;
}

impl Material {
    /// The volume force, with [`Volume::Auto`] resolved.
    pub fn volume_force(&self) -> Volume {
        match (self.volume, self.stiffness) {
            (Volume::Auto, Stiffness::Young(modulus)) => Volume::Energy(modulus),
            (Volume::Auto, Stiffness::Spring(_) | Stiffness::Cloth(_)) => Volume::Energy(10.0),
            (given, _) => given,
        }
    }
}

/// Damping along the springs: a force −κ ((v_i − v_j)·d) d between the ends of each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Damping {
    /// κ = this time \[s\] × the stiffness of the spring.
    Time(f64),
    /// κ itself, the same for every spring \[N·s/m\].
    Coefficient(f64),
}

impl Default for Damping {
    fn default() -> Self {
        Self::Time(0.0)
    }
}
