//! Cloth as one buys it.
//!
//! Wang, O'Brien & Ramamoorthi 2011 (*Data-driven elastic models for cloth*) stretched and bent pieces of fabrics and
//! published what each resists with: membrane moduli over several strains, of which the middle ones are taken here, and
//! bending stiffness in three directions, whose mean at the least curvature is taken. Their membrane has the stress
//! ½ c₃₃ ε₁₂, so that a radian between the threads takes c₃₃/4; their hinges resist with k e² θ/4A, so that the flexural
//! rigidity is k/4.

use serde::{Deserialize, Serialize};

use super::{Cloth, Damping, Mass, Material, Stiffness, Volume};

/// A fabric with its real numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fabric {
    /// Of trousers, 65 % cotton and 35 % polyester, 220 g/m².
    Cotton,
    /// Of jeans, 11 oz: 99 % cotton, 324 g/m²; it gives way along the warp.
    Denim,
    /// Of T-shirts, an interlock knit of 60 % cotton and 40 % polyester, 187 g/m².
    Jersey,
    /// Of tablecloths, woven of polyester, 128 g/m².
    Polyester,
    /// A sheet of natural rubber, a millimetre thick.
    Rubber,
}

/// How quickly vibration of fabrics fades \[s\]: ours, since nobody measured it.
const DAMPING: f64 = 3e-4;

/// Natural rubber without fillers (Gent 2012, *Engineering with Rubber*): Young's modulus \[Pa\] and density \[kg/m³\]; it
/// keeps its volume.
const RUBBER: [f64; 2] = [1.5e6, 930.0];
const SHEET: f64 = 1e-3;

impl Fabric {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Cotton, Self::Denim, Self::Jersey, Self::Polyester, Self::Rubber];

    /// What a body of it is made of.
    pub fn material(self) -> Material {
        let (density, stretch, shear, bending) = match self {
            Self::Cotton => (0.220, [2110.0, 2155.0], 14.7, 30e-6),
            Self::Denim => (0.324, [226.0, 1056.0], 17.3, 20e-6),
            Self::Jersey => (0.187, [49.0, 206.0], 8.6, 5.2e-6),
            Self::Polyester => (0.128, [2107.0, 2153.0], 9.9, 10e-6),
            Self::Rubber => rubber(),
        };
        Material {
            mass: Mass::Density(density),
            stiffness: Stiffness::Cloth(Cloth { stretch, shear, bending, ..Cloth::default() }),
            volume: Volume::None,
            damping: Damping::Time(DAMPING),
        }
    }
}

/// Density over area, stiffness along both directions and against shear, and flexural rigidity of a sheet of rubber.
fn rubber() -> (f64, [f64; 2], f64, f64) {
    let [young, density] = RUBBER;
    const POISSON: f64 = 0.5;
    let rigidity = young * SHEET.powi(3) / (12.0 * (1.0 - POISSON * POISSON));
    (density * SHEET, [young * SHEET; 2], young * SHEET / (2.0 * (1.0 + POISSON)), rigidity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rubber_is_what_plates_of_it_are() {
        let (mass, stretch, shear, bending) = rubber();
        assert_eq!(stretch, [1500.0; 2]);
        assert!((mass - 0.93).abs() < 1e-12 && (shear - 500.0).abs() < 1e-9);
        assert!((bending - 1.667e-4).abs() < 1e-7, "{bending}");
    }

    #[test]
    fn fabrics_are_as_heavy_and_stiff_as_fabrics_are() {
        for fabric in Fabric::ALL {
            let material = fabric.material();
            let (Mass::Density(density), Stiffness::Cloth(cloth)) =
                (material.mass, material.stiffness)
            else {
                panic!("{material:?}")
            };
            assert!((0.1..1.0).contains(&density), "{fabric:?}");
            assert!((1e-6..2e-4).contains(&cloth.bending), "{fabric:?}");
            assert!(cloth.shear < cloth.stretch[0], "{fabric:?}");
        }
    }

    #[test]
    fn keys_beside_a_fabric_change_it() {
        let read = |text: &str| toml::from_str::<Material>(text);
        assert_eq!(read("fabric = 'denim'").unwrap(), Fabric::Denim.material());
        let heavy = read("fabric = 'denim'\nmass = { density = 0.5 }").unwrap();
        assert_eq!(heavy, Material { mass: Mass::Density(0.5), ..Fabric::Denim.material() });
        assert_eq!(read("").unwrap(), Material::default());
        assert!(read("fabric = 'tweed'").unwrap_err().to_string().contains("denim"));
        assert!(read("weave = 'twill'").is_err());
    }
}
