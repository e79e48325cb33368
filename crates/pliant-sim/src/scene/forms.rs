//! How scene types are written where Rust's shape is not what a person would write: a number or a
//! table, one of several keys, `false` instead of nothing.
//!
//! Everything goes through visitors and helper structs rather than serde's `untagged` or
//! `flatten`, because those lose the place of an error in the file.

use std::fmt;
use std::path::PathBuf;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Action, ActionKind, Body, BodyContact, Cage, Carry, Copies, Drag, DragMotion, Every, LiveValue,
    Material, OfSeam, PictureIso, Pin, Push, Region, Rgb, Rotation, Scale, Set, Shape,
    ShapeMatching, Skin, Source, StrainLimit, Tear, WorldBox,
};

/// `box = { … }`, `box = [x, y, z]`, `box = true`, `box = false` or `box = "none"`.
pub(super) mod bounds {
    use super::*;

    pub fn serialize<S: Serializer>(bounds: &Option<WorldBox>, s: S) -> Result<S::Ok, S::Error> {
        match bounds {
            Some(walls) => walls.serialize(s),
            None => s.serialize_bool(false),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<WorldBox>, D::Error> {
        d.deserialize_any(BoundsVisitor)
    }

    struct BoundsVisitor;

    impl<'de> Visitor<'de> for BoundsVisitor {
        type Value = Option<WorldBox>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table such as { size = [15, 15, 15] }, three edge lengths, or false")
        }

        fn visit_bool<E: serde::de::Error>(self, on: bool) -> Result<Self::Value, E> {
            Ok(on.then(WorldBox::default))
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
            match text {
                "none" => Ok(None),
                _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
            }
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            let size = <[f64; 3]>::deserialize(SeqAccessDeserializer::new(seq))?;
            Ok(Some(WorldBox { size, ..WorldBox::default() }))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            WorldBox::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }
    }
}

/// `contact = { … }`, `contact = true` or `contact = false`, of the world and of bodies.
pub(super) mod contact {
    use std::marker::PhantomData;

    use super::*;

    pub fn serialize<C: Serialize, S: Serializer>(
        contact: &Option<C>,
        s: S,
    ) -> Result<S::Ok, S::Error> {
        match contact {
            Some(contact) => contact.serialize(s),
            None => s.serialize_bool(false),
        }
    }

    pub fn deserialize<'de, C, D>(d: D) -> Result<Option<C>, D::Error>
    where
        C: Default + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        d.deserialize_any(ContactVisitor(PhantomData))
    }

    struct ContactVisitor<C>(PhantomData<C>);

    impl<'de, C: Default + Deserialize<'de>> Visitor<'de> for ContactVisitor<C> {
        type Value = Option<C>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table such as { friction = 0.5 }, true or false")
        }

        fn visit_bool<E: serde::de::Error>(self, on: bool) -> Result<Self::Value, E> {
            Ok(on.then(C::default))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            C::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }
    }
}

/// A value that is written as a number, three numbers or a table. Each type says which of them it
/// takes.
trait OneOf: Sized {
    /// What the error message says was expected.
    const EXPECTED: &'static str;
    /// What the table looks like.
    type Table: for<'de> Deserialize<'de> + Into<Self>;
    fn from_number(_: f64) -> Option<Self> {
        None
    }
    fn from_vector(_: [f64; 3]) -> Option<Self> {
        None
    }
    const TAKES_VECTOR: bool = true;
    const TAKES_TABLE: bool = true;
}

struct OneOfVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: OneOf> Visitor<'de> for OneOfVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<T, E> {
        T::from_number(number).ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<T, E> {
        T::from_number(number as f64)
            .ok_or_else(|| E::invalid_type(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<T, E> {
        T::from_number(number as f64)
            .ok_or_else(|| E::invalid_type(Unexpected::Unsigned(number), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        if !T::TAKES_VECTOR {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        let vector = <[f64; 3]>::deserialize(SeqAccessDeserializer::new(seq))?;
        T::from_vector(vector).ok_or_else(|| A::Error::custom(T::EXPECTED))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        if !T::TAKES_TABLE {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        T::Table::deserialize(MapAccessDeserializer::new(map)).map(Into::into)
    }
}

macro_rules! deserialize_one_of {
    ($($name:ty),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                d.deserialize_any(OneOfVisitor(std::marker::PhantomData))
            }
        }
    )*};
}
deserialize_one_of!(Scale, Rotation, Every, LiveValue, PictureIso);

/// Stands for the table of types that have none.
#[derive(Deserialize)]
enum NoTable {}

macro_rules! no_table {
    ($($name:ty),*) => {$(
        impl From<NoTable> for $name {
            fn from(never: NoTable) -> Self {
                match never {}
            }
        }
    )*};
}
no_table!(Scale, LiveValue);

impl OneOf for Scale {
    const EXPECTED: &'static str = "a factor or three factors along x, y and z";
    const TAKES_TABLE: bool = false;
    type Table = NoTable;
    fn from_number(factor: f64) -> Option<Self> {
        Some(Self::Uniform(factor))
    }
    fn from_vector(factors: [f64; 3]) -> Option<Self> {
        Some(Self::Axes(factors))
    }
}

impl Serialize for Scale {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Uniform(factor) => factor.serialize(s),
            Self::Axes(factors) => factors.serialize(s),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AxisAngleForm {
    axis: [f64; 3],
    degrees: f64,
}

impl From<AxisAngleForm> for Rotation {
    fn from(AxisAngleForm { axis, degrees }: AxisAngleForm) -> Self {
        Self::AxisAngle { axis, degrees }
    }
}

impl OneOf for Rotation {
    const EXPECTED: &'static str =
        "three angles in degrees or a table such as { axis = [0, 0, 1], degrees = 45 }";
    type Table = AxisAngleForm;
    fn from_vector(angles: [f64; 3]) -> Option<Self> {
        Some(Self::Euler(angles))
    }
}

impl Serialize for Rotation {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Euler(angles) => angles.serialize(s),
            Self::AxisAngle { axis, degrees } => AxisAngleForm { axis, degrees }.serialize(s),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EveryForm {
    Seconds(f64),
    Steps(u64),
}

impl From<EveryForm> for Every {
    fn from(form: EveryForm) -> Self {
        match form {
            EveryForm::Seconds(s) => Self::Seconds(s),
            EveryForm::Steps(n) => Self::Steps(n),
        }
    }
}

impl OneOf for Every {
    const EXPECTED: &'static str = "seconds, or a table such as { steps = 10 }";
    const TAKES_VECTOR: bool = false;
    type Table = EveryForm;
    fn from_number(seconds: f64) -> Option<Self> {
        Some(Self::Seconds(seconds))
    }
}

impl Serialize for Every {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Seconds(seconds) => seconds.serialize(s),
            Self::Steps(n) => EveryForm::Steps(n).serialize(s),
        }
    }
}

/// A [`PictureIso`] that is more than its value.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IsoForm {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    colour: Option<Rgb>,
    #[serde(default = "opaque")]
    opacity: f64,
}

fn opaque() -> f64 {
    1.0
}

impl From<IsoForm> for PictureIso {
    fn from(IsoForm { value, colour, opacity }: IsoForm) -> Self {
        Self { value, colour, opacity }
    }
}

impl OneOf for PictureIso {
    const EXPECTED: &'static str = "a value, or a table such as { value = 80, opacity = 0.5 }";
    const TAKES_VECTOR: bool = false;
    type Table = IsoForm;
    fn from_number(value: f64) -> Option<Self> {
        Some(Self::new(value))
    }
}

impl Serialize for PictureIso {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Self { value, colour, opacity } = *self;
        match *self == Self::new(value) {
            true => value.serialize(s),
            false => IsoForm { value, colour, opacity }.serialize(s),
        }
    }
}

impl OneOf for LiveValue {
    const EXPECTED: &'static str = "a number or three numbers";
    const TAKES_TABLE: bool = false;
    type Table = NoTable;
    fn from_number(number: f64) -> Option<Self> {
        Some(Self::Number(number))
    }
    fn from_vector(vector: [f64; 3]) -> Option<Self> {
        Some(Self::Vector(vector))
    }
}

impl Serialize for LiveValue {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => number.serialize(s),
            Self::Vector(vector) => vector.serialize(s),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn usual_contact() -> Option<BodyContact> {
    Some(BodyContact::default())
}

fn is_usual_contact(contact: &Option<BodyContact>) -> bool {
    *contact == usual_contact()
}

/// A [`Body`] as it stands in a file.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BodyForm {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Shape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cage: Option<Cage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skin: Option<Skin>,
    #[serde(skip_serializing_if = "is_default")]
    scale: Scale,
    #[serde(skip_serializing_if = "is_default")]
    rotate: Rotation,
    #[serde(skip_serializing_if = "is_default")]
    translate: [f64; 3],
    #[serde(skip_serializing_if = "is_default")]
    velocity: [f64; 3],
    #[serde(skip_serializing_if = "is_default")]
    spin: [f64; 3],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locks: Vec<Region>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pins: Vec<Pin>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tears: Vec<Tear>,
    #[serde(skip_serializing_if = "is_default")]
    ignore_flags: bool,
    #[serde(skip_serializing_if = "is_default")]
    implicit: bool,
    #[serde(with = "contact", default = "usual_contact", skip_serializing_if = "is_usual_contact")]
    contact: Option<BodyContact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strain_limit: Option<StrainLimit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape_matching: Option<ShapeMatching>,
    #[serde(skip_serializing_if = "Option::is_none")]
    copies: Option<Copies>,
    material: Material,
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let form = BodyForm::deserialize(d)?;
        let source = match (form.mesh, form.shape, form.group) {
            (Some(path), None, group) => Source::Mesh { path, group },
            (None, Some(shape), None) => Source::Shape(shape),
            (None, Some(_), Some(_)) => {
                return Err(D::Error::custom("`group` belongs to `mesh`, not to `shape`"));
            }
            (Some(_), Some(_), _) => {
                return Err(D::Error::custom("a body has either `mesh` or `shape`, not both"));
            }
            (None, None, _) => {
                return Err(D::Error::custom("a body needs either `mesh` or `shape`"));
            }
        };
        Ok(Self {
            name: form.name,
            source,
            cage: form.cage,
            skin: form.skin,
            scale: form.scale,
            rotate: form.rotate,
            translate: form.translate,
            velocity: form.velocity,
            spin: form.spin,
            material: form.material,
            locks: form.locks,
            pins: form.pins,
            tears: form.tears,
            ignore_flags: form.ignore_flags,
            implicit: form.implicit,
            contact: form.contact,
            strain_limit: form.strain_limit,
            shape_matching: form.shape_matching,
            copies: form.copies,
        })
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let (mesh, group, shape) = match self.source.clone() {
            Source::Mesh { path, group } => (Some(path), group, None),
            Source::Shape(shape) => (None, None, Some(shape)),
            Source::Inline(_) => {
                return Err(S::Error::custom(format!(
                    "body {:?} was made in code: save its mesh to a file first",
                    self.name
                )));
            }
        };
        BodyForm {
            name: self.name.clone(),
            mesh,
            group,
            shape,
            cage: self.cage,
            skin: self.skin.clone(),
            scale: self.scale,
            rotate: self.rotate,
            translate: self.translate,
            velocity: self.velocity,
            spin: self.spin,
            material: self.material.clone(),
            locks: self.locks.clone(),
            pins: self.pins.clone(),
            tears: self.tears.clone(),
            ignore_flags: self.ignore_flags,
            implicit: self.implicit,
            contact: self.contact.clone(),
            strain_limit: self.strain_limit,
            shape_matching: self.shape_matching.clone(),
            copies: self.copies.clone(),
        }
        .serialize(s)
    }
}

/// An [`Action`] as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionForm {
    #[serde(default)]
    start: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drag: Option<Drag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    push: Option<Push>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carry: Option<Carry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<Set>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<OfSeam>,
    #[serde(skip_serializing_if = "Option::is_none")]
    close: Option<OfSeam>,
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let form = ActionForm::deserialize(d)?;
        let kinds = [
            form.drag.map(ActionKind::Drag),
            form.push.map(ActionKind::Push),
            form.carry.map(ActionKind::Carry),
            form.set.map(ActionKind::Set),
            form.open.map(ActionKind::Open),
            form.close.map(ActionKind::Close),
        ];
        let mut kinds = kinds.into_iter().flatten();
        let Some(kind) = kinds.next() else {
            let problem =
                "an action needs one of `drag`, `push`, `carry`, `set`, `open` and `close`";
            return Err(D::Error::custom(problem));
        };
        if kinds.next().is_some() {
            let problem = "an action has only one of `drag`, `push`, `carry`, `set`, `open` and `close`; \
                           write several actions";
            return Err(D::Error::custom(problem));
        }
        Ok(Self { start: form.start, end: form.end, kind })
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let &Self { start, end, .. } = self;
        let (drag, push, carry, set) = (None, None, None, None);
        let mut form = ActionForm { start, end, drag, push, carry, set, open: None, close: None };
        match self.kind.clone() {
            ActionKind::Drag(drag) => form.drag = Some(drag),
            ActionKind::Push(push) => form.push = Some(push),
            ActionKind::Carry(carry) => form.carry = Some(carry),
            ActionKind::Set(set) => form.set = Some(set),
            ActionKind::Open(seam) => form.open = Some(seam),
            ActionKind::Close(seam) => form.close = Some(seam),
        }
        form.serialize(s)
    }
}

/// A [`Drag`] as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DragForm {
    center: [f64; 3],
    radius: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<[f64; 3]>,
    #[serde(default = "default_drag_stiffness")]
    stiffness: f64,
}

fn default_drag_stiffness() -> f64 {
    Drag::STIFFNESS
}

impl<'de> Deserialize<'de> for Drag {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let form = DragForm::deserialize(d)?;
        let motion = match (form.velocity, form.target) {
            (Some(_), Some(_)) => {
                return Err(D::Error::custom("a drag has either `velocity` or `target`, not both"));
            }
            (None, Some(target)) => DragMotion::Target(target),
            (velocity, None) => DragMotion::Velocity(velocity.unwrap_or_default()),
        };
        Ok(Self { center: form.center, radius: form.radius, motion, stiffness: form.stiffness })
    }
}

impl Serialize for Drag {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let (velocity, target) = match self.motion {
            DragMotion::Velocity(velocity) => (Some(velocity), None),
            DragMotion::Target(target) => (None, Some(target)),
        };
        DragForm {
            center: self.center,
            radius: self.radius,
            velocity,
            target,
            stiffness: self.stiffness,
        }
        .serialize(s)
    }
}

/// Reads a number, or two in a list.
pub(super) fn one_or_two<'de, D: Deserializer<'de>>(from: D) -> Result<[f64; 2], D::Error> {
    struct OneOrTwo;

    impl<'de> Visitor<'de> for OneOrTwo {
        type Value = [f64; 2];

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number or two in a list")
        }

        fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
            Ok([number; 2])
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
            Ok([number as f64; 2])
        }

        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
            Ok([number as f64; 2])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            Deserialize::deserialize(SeqAccessDeserializer::new(seq))
        }
    }

    from.deserialize_any(OneOrTwo)
}
