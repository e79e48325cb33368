//! The colour of what a sample shows.

use super::primitives::{Id, Kind, Primitives};
use super::shadow::ShadowMap;
use super::tile::{BACKGROUND, GROUND, inverse};
use crate::camera::Projection;
use crate::colour::{ColourMap, Table};
use crate::light;
use crate::list::{Ground, Paint};
use crate::math::{Vec3, Vec3f, vec3};
use crate::view::View;

pub(super) struct Shader<'a> {
    primitives: &'a Primitives<'a>,
    projection: &'a Projection,
    background: [Vec3f; 2],
    height: f32,
    eye: Vec3f,
    /// Those of [`Projection::rays`].
    rays: [Vec3f; 3],
    to_light: Vec3f,
    grey_red: Table,
    viridis: Table,
    shadow: Option<ShadowMap>,
    /// The floor, if it is seen from above.
    ground: Option<Ground>,
}

impl<'a> Shader<'a> {
    pub fn new(
        primitives: &'a Primitives<'a>,
        view: &View,
        projection: &'a Projection,
        threads: usize,
    ) -> Self {
        let to_light = Vec3f::from(view.light).unit_or(vec3(0.0, 0.0, 1.0));
        let eye = projection.eye();
        let list = primitives.list;
        Self {
            primitives,
            projection,
            background: view.background.map(|c| c.vec()),
            height: projection.size()[1] as f32,
            eye,
            rays: projection.rays(),
            to_light,
            grey_red: view.table(ColourMap::GreyRed),
            viridis: view.table(ColourMap::Viridis),
            shadow: view.shadow.then(|| ShadowMap::new(list, to_light, threads)),
            ground: list.ground.filter(|g| eye.z > g.height),
        }
    }

    /// The colour of primitive `id` at a place of the picture, in linear light.
    pub fn colour(&self, id: Id, x: f32, y: f32) -> Vec3f {
        match id {
            BACKGROUND => self.background(y),
            GROUND => self.ground(x, y),
            _ => match self.primitives.kind(id) {
                Kind::Surface(triangle) => self.surface(id, triangle, x, y),
                Kind::Line(line) => self.primitives.list.lines[line].colour.vec(),
                Kind::Ball(ball) => self.ball(ball, x, y),
            },
        }
    }

    fn background(&self, y: f32) -> Vec3f {
        self.background[0].mix(self.background[1], y / self.height)
    }

    fn surface(&self, id: Id, triangle: usize, x: f32, y: f32) -> Vec3f {
        let inverse = self.primitives.corners(id).and_then(inverse);
        let Some((rows, _)) = inverse else { return self.background(y) };
        let place = vec3(f64::from(x), f64::from(y), 1.0);
        let [p, q, r] = rows;
        let parts = [p.dot(place).max(0.0), q.dot(place).max(0.0), r.dot(place).max(0.0)];
        let sum = parts[0] + parts[1] + parts[2];
        let weights = if sum > 0.0 {
            [(parts[0] / sum) as f32, (parts[1] / sum) as f32, (parts[2] / sum) as f32]
        } else {
            [1.0 / 3.0; 3]
        };

        let list = self.primitives.list;
        let [a, b, c] = list.triangles[triangle].map(|v| &list.vertices[v as usize]);
        let blend = |p: [f32; 3], q: [f32; 3], r: [f32; 3]| {
            Vec3::from(p) * weights[0] + Vec3::from(q) * weights[1] + Vec3::from(r) * weights[2]
        };
        let position = blend(a.position, b.position, c.position);
        let normal = blend(a.normal, b.normal, c.normal).unit_or(a.normal.into());
        let value = a.value * weights[0] + b.value * weights[1] + c.value * weights[2];
        let colour = match list.paints[a.paint as usize] {
            Paint::Solid(colour) => colour,
            Paint::Map(ColourMap::GreyRed) => self.grey_red.colour(value),
            Paint::Map(ColourMap::Viridis) => self.viridis.colour(value),
        };
        let to_eye = (self.eye - position).unit_or(normal);
        let normal = if normal.dot(to_eye) < 0.0 { -normal } else { normal };
        let visible = self.shadow.as_ref().map_or(1.0, |s| s.visible(position, normal));
        light::reflected(colour.vec(), normal, to_eye, self.to_light, visible)
    }

    /// A ball shows the half that is turned to the eye.
    fn ball(&self, ball: usize, x: f32, y: f32) -> Vec3f {
        let disc = self.primitives.disc(ball);
        let (dx, dy) = ((x - disc.x) / disc.radius, (y - disc.y) / disc.radius);
        let dz = (1.0 - dx * dx - dy * dy).max(0.0).sqrt();
        let basis = self.projection.basis();
        let to_eye = -basis.forward.to_f32();
        let normal = basis.right.to_f32() * dx - basis.up.to_f32() * dy + to_eye * dz;
        let colour = self.primitives.list.balls[ball].colour.vec();
        light::reflected(colour, normal, to_eye, self.to_light, 1.0)
    }

    /// 1/w of the floor as a x + b y + c, if it is seen.
    pub fn ground_nearness(&self) -> Option<[f32; 3]> {
        let drop = self.ground?.height - self.eye.z;
        Some(self.rays.map(|r| r.z / drop))
    }

    /// The place on the floor that is seen at a pixel.
    fn ground_at(&self, ground: &Ground, x: f32, y: f32) -> Vec3f {
        let ray = self.rays[0] * x + self.rays[1] * y + self.rays[2];
        self.eye + ray * ((ground.height - self.eye.z) / ray.z)
    }

    fn ground(&self, x: f32, y: f32) -> Vec3f {
        let background = self.background(y);
        let Some(ground) = &self.ground else { return background };
        let at = self.ground_at(ground, x, y);
        let (dx, dy) = (at.x - ground.centre[0], at.y - ground.centre[1]);
        let strength = light::floor_strength((dx * dx + dy * dy).sqrt() / ground.radius);
        if strength <= 0.0 {
            return background;
        }
        let visible = self.shadow.as_ref().map_or(1.0, |s| s.visible_on_floor(at));
        let line = if ground.grid > 0.0 { self.grid(ground, at, x, y) } else { 0.0 };
        light::floor(background, strength, visible, line)
    }

    /// How much of a pixel the lines on the floor cover.
    fn grid(&self, ground: &Ground, at: Vec3f, x: f32, y: f32) -> f32 {
        let (right, below) =
            (self.ground_at(ground, x + 1.0, y), self.ground_at(ground, x, y + 1.0));
        let cover = |at: f32, right: f32, below: f32| {
            let (dx, dy) = (right - at, below - at);
            let pixel = (dx * dx + dy * dy).sqrt() / ground.grid;
            // The distance to the nearest whole number; `round` is a slow call on old processors.
            let place = (at / ground.grid).abs();
            let part = place - (place as u32) as f32;
            let away = part.min(1.0 - part) / pixel.max(f32::MIN_POSITIVE);
            // Lines closer than a few pixels would flicker; they fade out instead.
            (1.1 - away).clamp(0.0, 1.0) * (1.0 - 4.0 * pixel).clamp(0.0, 1.0)
        };
        let [x, y] = ground.grid_origin;
        cover(at.x - x, right.x - x, below.x - x).max(cover(at.y - y, right.y - y, below.y - y))
    }
}
