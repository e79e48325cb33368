//! Whether shape matching makes sense.

use super::Check;
use crate::scene::{Body, Clusters, Limits, Material, ShapeMatching, ShapePlasticity};

impl Check {
    pub(super) fn shape_matching(&mut self, path: &str, matching: &ShapeMatching, body: &Body) {
        let at = |key: &str| format!("{path}.{key}");
        for (key, share) in [("alpha", matching.alpha), ("beta", matching.beta)] {
            self.within(Limits::Between([0.0, 1.0]), &at(key), share.as_slice(), "");
        }
        self.within(Limits::NotNegative, &at("damping"), matching.damping.as_slice(), "1/s");
        if let Clusters::Count(count) = matching.clusters {
            let limits = Limits::Count(Clusters::COUNT);
            self.within(limits, &at("clusters"), &[f64::from(count)], "");
        }
        if let Some(ShapePlasticity { threshold, creep, max }) = matching.plasticity {
            let at = |key: &str| format!("{path}.plasticity.{key}");
            self.within(Limits::NotNegative, &at("yield"), &[threshold], "");
            self.within(Limits::NotNegative, &at("creep"), &[creep], "1/s");
            self.within(Limits::NotNegative, &at("max"), &[max], "");
        }
        let mut beside = |is_there: bool, key: &str, reason: &str, help: &str| {
            if is_there {
                self.fail(path, format!("`{path}` stands beside `{key}`, {reason}"), help);
            }
        };
        beside(
            body.implicit,
            "implicit",
            "and is for explicit steps",
            "leave out one of the two: shape matching holds at any timestep",
        );
        beside(
            !body.tears.is_empty(),
            "tears",
            "and clusters would hold on to both sides of what tears",
            "leave out one of the two",
        );
        beside(
            body.strain_limit.is_some() && !matching.springs,
            "strain_limit",
            "which is about springs, and the body has none",
            "leave out one of the two, or give `springs = true` in `shape_matching`",
        );
        let usual = Material::default();
        let Material { stiffness, volume, damping, .. } = &body.material;
        let is_given =
            (stiffness, volume, damping) != (&usual.stiffness, &usual.volume, &usual.damping);
        if is_given && !matching.springs {
            self.warn(
                path,
                "takes the place of springs, so that stiffness, volume and damping of the material do nothing; \
                 `springs = true` in it keeps them"
                    .into(),
            );
        }
    }
}
