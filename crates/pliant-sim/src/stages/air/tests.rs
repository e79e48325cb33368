//! The formula against what it promises, and steps of bodies in the air against what is known of them.

use super::formula::{Air, air_force};
use super::lanes::{Blow, Sixteen};
use super::*;
use crate::math::vec3;
use crate::model::compile;
use crate::scene::{Scene, Wind, World};
use crate::simd::{Lane4, Level, run_at};
use crate::{Backend, Simulator};

/// Half the density, times coefficients, of air that moves.
fn breeze() -> Air<f64> {
    Air {
        wind: vec3(3.0, -1.0, 0.5),
        drag: 0.72,
        lift: 0.6,
        ratio: (0.6f64 / 0.72).powi(2),
        h: 0.0,
    }
}

/// Some triangles of all sizes, velocities of their corners, and inverses of masses.
fn samples() -> impl Iterator<Item = ([Vec3<f64>; 3], [Vec3<f64>; 3], f64)> {
    let mut seed = 1u64;
    let mut number = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..2000).map(move |i| {
        let size = 10f64.powi(i % 5 - 4);
        let mut three = |size: f64| [(); 3].map(|()| vec3(number(), number(), number()) * size);
        (three(size), three(20.0), 10f64.powi(i % 7 - 1))
    })
}

#[test]
fn the_force_is_that_of_the_plain_formula_on_either_side() {
    let air = breeze();
    for (x, v, inv_mass) in samples() {
        let found = air_force(x, v, inv_mass, air).force;
        let normal = (x[1] - x[0]).cross(x[2] - x[0]);
        let (area, n) = (0.5 * normal.length(), normal * (1.0 / normal.length()));
        let u = (v[0] + v[1] + v[2]) * (1.0 / 3.0) - air.wind;
        let drag = u * (-air.drag * area * u.dot(n).abs());
        let lift = (n * u.length() - u * (u.dot(n) / u.length())) * (-air.lift * area * u.dot(n));
        let scale = area * u.dot(u);
        assert!((found - drag - lift).length() < 1e-12 * scale, "{found:?} {drag:?} {lift:?}");
        assert!(lift.dot(u).abs() < 1e-12 * scale * u.length());
        let turned = air_force([x[0], x[2], x[1]], v, inv_mass, air).force;
        assert!((found - turned).length() < 1e-12 * scale);
    }
}

#[test]
fn sixteen_triangles_at_a_time_have_the_bits_of_the_formula_on_every_level() {
    let single = |v: Vec3<f64>| Vec3::<f32>::of(v.to_f64());
    let air = breeze();
    let air = Air {
        wind: single(air.wind),
        drag: air.drag as f32,
        lift: air.lift as f32,
        ratio: air.ratio as f32,
        h: 1e-3,
    };
    // Among them one without area, and one that goes with the air.
    let mut all: Vec<_> =
        samples().map(|(x, v, w)| (x.map(single), v.map(single), w as f32)).collect();
    all[5].0 = [all[5].0[0]; 3];
    all[11].1 = [air.wind; 3];
    let mut limited = 0;
    for level in Level::available() {
        for triangles in all.chunks_exact(16) {
            let mut sixteen = Sixteen::default();
            for (lane, &([a, b, c], [u, v, w], inv_mass)) in triangles.iter().enumerate() {
                let four = |v: Vec3<f32>| Lane4([v.x, v.y, v.z, f32::NAN]);
                (sixteen.edges[0][lane], sixteen.edges[1][lane]) = (four(b - a), four(c - a));
                sixteen.velocity[lane] = four(u + v + w);
                sixteen.inv_mass.0[lane] = inv_mass;
            }
            // SAFETY: plain numbers.
            let feels = unsafe { run_at(level, Blow { triangles: &mut sixteen, air }) };
            for (lane, &(x, v, inv_mass)) in triangles.iter().enumerate() {
                let found = air_force(x, v, inv_mass, air);
                let is_felt = found.force != Vec3::zero();
                assert_eq!(feels >> lane & 1 == 1, is_felt, "{}: {x:?}", level.name());
                let third = <[f32; 3]>::from(found.force * (1.0 / 3.0));
                for k in (0..3).filter(|_| is_felt) {
                    let bits = [sixteen.third[k].0[lane], third[k]].map(f32::to_bits);
                    assert_eq!(bits[0], bits[1], "{}: {x:?}", level.name());
                }
                limited += usize::from(air.h * inv_mass * found.resistance > 1.0);
            }
        }
    }
    assert!(limited > 50, "{limited} are held back by their mass");
}

#[test]
fn no_step_of_any_length_gives_energy_in_still_air() {
    let still = Air { wind: Vec3::zero(), lift: 7.0, ratio: (7.0f64 / 0.72).powi(2), ..breeze() };
    for (x, v, inv_mass) in samples() {
        let u = (v[0] + v[1] + v[2]) * (1.0 / 3.0);
        for h in [1e-6, 1e-3, 1.0, 1e3] {
            let force = air_force(x, v, inv_mass, Air { h, ..still }).force;
            let after = u + force * (h * inv_mass);
            assert!(after.dot(after) <= u.dot(u) * (1.0 + 1e-12), "{u:?} {after:?}");
            // Neither is what is slowed down turned round.
            assert!(after.dot(u) >= -1e-12 * u.dot(u), "{u:?} {after:?}");
        }
    }
}

/// A free sheet, flat or upright, of 0.15 kg/m² that nothing else slows down.
fn sheet(world: &str, rotate: &str) -> Scene {
    let text = format!(
        "[world]\ndamping = 0\nbox = false\n{world}\n[[bodies]]\n\
         shape = {{ kind = 'cloth', cells = [12, 12], size = [1, 1] }}\nrotate = {rotate}\n\
         material = {{ mass = {{ density = 0.15 }}, stiffness = {{ cloth = {{ stretch = 100 }} }} }}\n"
    );
    Scene::from_toml(&text, "sheet").unwrap()
}

fn speed_after(scene: Scene, time: f64) -> [f64; 3] {
    let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    let steps = (time / sim.world().timestep).round() as u64;
    sim.step(steps).unwrap();
    let report = sim.report();
    report.momentum.map(|p| p / 0.15)
}

#[test]
fn what_falls_in_still_air_ends_at_the_speed_of_the_formula() {
    // Weight and drag balance: m g = ½ ρ C_D A v².
    let terminal = (2.0_f64 * 0.15 * 9.81 / (1.2 * 1.2)).sqrt();
    // The report brings Verlet's velocities to the time of the positions by half a step of gravity alone.
    let half_a_step = 0.5e-3 * 9.81 / terminal;
    for (world, most) in [
        ("timestep = 1e-3", 0.002 + half_a_step),
        ("timestep = 1e-3\nintegrator = 'rk4'", 0.002),
        ("timestep = 1e-3\nintegrator = 'velocity-verlet'", 0.002),
        ("timestep = 0.0166\nintegrator = 'implicit-euler'", 0.002),
    ] {
        let scene = sheet(&format!("{world}\n[world.wind]\n"), "[0, 0, 0]");
        let [x, y, z] = speed_after(scene, 1.5);
        assert!((z / terminal + 1.0).abs() < most, "{world}: {z} m/s instead of {terminal}");
        assert!(x.hypot(y) < 1e-3, "{world}: {x} {y}");
    }
}

#[test]
fn the_air_belongs_to_the_net_force() {
    for world in ["integrator = 'velocity-verlet'", "integrator = 'rk4'"] {
        let wind = "[world.wind]\nvelocity = [4, 1, 0]\ngust = 0";
        let scene = sheet(&format!("timestep = 2e-4\n{world}\n{wind}\n"), "[20, 50, 0]");
        let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
        sim.advance(200).unwrap();
        let before = sim.report().momentum;
        let force = sim.forces().iter().fold([0.0; 3], |sum: [f64; 3], force| {
            std::array::from_fn(|k| sum[k] + f64::from(force[k]))
        });
        sim.advance(1).unwrap();
        let after = sim.report().momentum;
        let found: [f64; 3] = std::array::from_fn(|k| (after[k] - before[k]) / 2e-4);
        // Gravity alone is 1.47 N.
        let [x, y, _] = force;
        assert!(x.hypot(y) > 0.3, "{world}: {force:?}");
        for k in 0..3 {
            assert!((found[k] - force[k]).abs() < 0.01, "{world}: {found:?} and {force:?}");
        }
    }
}

#[test]
fn the_wind_takes_along_what_is_light_and_never_faster_than_itself() {
    // Steps in which the air would turn it round ten times, if nothing limited it.
    for world in
        ["timestep = 0.004\ngravity = [0, 0, 0]", "timestep = 0.02\nintegrator = 'implicit-euler'"]
    {
        let world =
            format!("{world}\n[world.wind]\nvelocity = [0, 30, 0]\ndensity = 100\nlift = 0\n");
        let scene = sheet(&world, "[90, 0, 0]");
        let [_, after, _] = speed_after(scene.clone(), scene.world.timestep);
        assert!((10.0..=30.001).contains(&after), "{world}: {after}");
        let [_, later, _] = speed_after(scene, 0.4);
        assert!((29.0..30.01).contains(&later), "{world}: {later}");
    }
}

#[test]
fn still_air_only_takes_energy_from_what_swings_and_turns() {
    for integrator in ["verlet", "symplectic-euler", "implicit-euler"] {
        let world = format!("timestep = 1e-3\ngravity = [0, 0, 0]\nintegrator = '{integrator}'");
        let mut energies = Vec::new();
        let mut scene = sheet(&format!("{world}\n[world.wind]\nlift = 3\n"), "[20, 0, 0]");
        scene.bodies[0].spin = [4.0, 1.0, 2.0];
        scene.bodies[0].velocity = [1.0, 0.0, 2.0];
        let mut sim = Simulator::new(scene, Backend::Cpu { threads: 2 }).unwrap();
        for _ in 0..20 {
            energies.push(sim.report().energy.total());
            sim.step(20).unwrap();
        }
        let slack = 2e-3 * energies[0];
        assert!(energies.windows(2).all(|e| e[1] < e[0] + slack), "{integrator}: {energies:?}");
        assert!(energies[19] < 0.5 * energies[0], "{integrator}: {energies:?}");
    }
}

#[test]
fn threads_and_resumes_change_no_bit() {
    let world = "timestep = 5e-4\n[world.wind]\nvelocity = [4, 1, 0]\ngust = 0.5\ngust_period = 0.02\nseed = 3\n";
    for integrator in ["verlet", "beeman", "implicit-euler"] {
        let mut scene = sheet(&format!("integrator = '{integrator}'\n{world}"), "[70, 0, 20]");
        // Several blocks, and a solid beside the sheet.
        scene.bodies[0].source = crate::scene::Source::Shape(crate::scene::Shape::Cloth {
            cells: [60, 50],
            size: [1.0; 2],
        });
        let run = |threads: usize, pieces: &[u64]| {
            let mut sim = Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
            for &steps in pieces {
                sim.step(steps).unwrap();
                let state = crate::checkpoint::decode(&crate::checkpoint::encode(&sim)).unwrap();
                sim = Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
                sim.load(&state).unwrap();
            }
            sim.hash()
        };
        let one = run(1, &[40]);
        for threads in [2, 3, 7] {
            assert_eq!(one, run(threads, &[40]), "{integrator}, {threads} threads");
        }
        assert_eq!(one, run(2, &[7, 1, 32]), "{integrator}");
    }
}

#[test]
fn a_triangle_counts_on_what_its_corners_leave_it() {
    let scene = sheet("", "[0, 0, 0]");
    let model = compile(&scene).unwrap();
    // All of the same size: each has its own mass, but for the rim.
    let masses: Vec<f32> = inverse_masses(&model).iter().map(|inverse| 1.0 / inverse).collect();
    let sum: f64 = masses.iter().map(|&m| f64::from(m)).sum();
    assert!((sum - 0.15).abs() < 1e-5, "{sum}");
    assert_eq!(World::default().wind, None::<Wind>);
}

#[cfg(feature = "gpu")]
#[test]
fn the_kernel_is_valid_in_browsers() {
    pliant_gpu::validate::validate(&gpu::KERNEL).unwrap();
}
