use super::formula::Motion;
use super::*;

/// A damped oscillator ẍ = −ω² x − c ẋ, stepped by the formulas in `f64`.
struct Oscillator {
    integrator: Integrator,
    omega: f64,
    damping: f64,
    motion: Motion<f64>,
    force: f64,
    h_last: f64,
}

impl Oscillator {
    fn new(integrator: Integrator, omega: f64, damping: f64, x: f64, v: f64) -> Self {
        let motion = Motion { x, v, ..Motion::default() };
        let mut o = Self { integrator, omega, damping, motion, force: 0.0, h_last: 0.0 };
        o.force = o.pull();
        o
    }

    fn pull(&self) -> f64 {
        -self.omega * self.omega * self.motion.x
    }

    fn step(&mut self, h: f64) {
        for &phase in plan(self.integrator) {
            match phase {
                Phase::Forces => self.force = self.pull(),
                Phase::Update(i) => {
                    Coefficients::new(self.integrator, i, h, self.h_last, self.damping)
                        .apply(&mut self.motion, self.force);
                }
            }
        }
        self.h_last = h;
    }

    /// Velocity at the time of the position.
    fn velocity(&self) -> f64 {
        if is_staggered(self.integrator) {
            let half = 0.5 * self.h_last;
            self.motion.v + half * (self.pull() - self.damping * self.motion.v)
        } else {
            self.motion.v
        }
    }

    fn energy(&self) -> f64 {
        let v = self.velocity();
        0.5 * v * v + 0.5 * (self.omega * self.motion.x).powi(2)
    }
}

/// Distance from the exact solution in phase space, (x, v/ω), after one second.
fn error_after_one_second(integrator: Integrator, steps: usize, damping: f64) -> f64 {
    let (omega, h) = (3.0f64, 1.0 / steps as f64);
    let mut o = Oscillator::new(integrator, omega, damping, 1.0, 0.5);
    for _ in 0..steps {
        o.step(h);
    }
    let damped = (omega * omega - 0.25 * damping * damping).sqrt();
    let (decay, (s, c)) = ((-0.5 * damping).exp(), damped.sin_cos());
    let b = (0.5 + 0.5 * damping) / damped;
    let x = decay * (c + b * s);
    let v = decay * (-damped * s + b * damped * c) - 0.5 * damping * x;
    (o.motion.x - x).hypot((o.velocity() - v) / omega)
}

#[test]
fn every_integrator_has_its_theoretical_order() {
    for integrator in Integrator::EXPLICIT {
        // Fine enough for the leading term, coarse enough to stay above rounding.
        let steps = if order(integrator) == 4 { 50 } else { 2000 };
        for damping in [0.0, 0.4] {
            let [coarse, fine] =
                [steps, 2 * steps].map(|n| error_after_one_second(integrator, n, damping));
            let slope = (coarse / fine).log2();
            println!("{integrator} with damping {damping}: order {slope:.3}");
            let expected = f64::from(order(integrator));
            assert!((slope - expected).abs() < 0.1, "{integrator}: {slope}");
        }
    }
}

#[test]
fn symplectic_integrators_keep_energy_bounded_over_a_million_steps() {
    use Integrator::*;
    for integrator in [SymplecticEuler, Verlet, LeapFrog, VelocityVerlet, Beeman] {
        let (omega, h) = (2.0, 0.05);
        let mut o = Oscillator::new(integrator, omega, 0.0, 1.0, 0.0);
        let start = o.energy();
        let mut worst = 0.0f64;
        for _ in 0..1_000_000 {
            o.step(h);
            worst = worst.max((o.energy() / start - 1.0).abs());
        }
        println!("{integrator:?}: energy within {:.2} %", worst * 100.0);
        // First order schemes wobble by ω h, second order ones by its square.
        let bound = if integrator == SymplecticEuler { omega * h } else { (omega * h).powi(2) };
        assert!(worst < bound, "{integrator:?}: {worst}");
    }
}

#[test]
fn explicit_euler_gains_energy() {
    let mut o = Oscillator::new(Integrator::ExplicitEuler, 2.0, 0.0, 1.0, 0.0);
    let start = o.energy();
    (0..1000).for_each(|_| o.step(0.05));
    assert!(o.energy() > 100.0 * start);
}

#[test]
fn free_fall_is_exact_for_second_order_schemes() {
    for integrator in Integrator::EXPLICIT.into_iter().filter(|&i| order(i) >= 2) {
        let mut o = Oscillator::new(integrator, 0.0, 0.0, 20.0, 1.0);
        let (h, g) = (0.004, -9.81);
        let mut last = 0.0;
        for n in 0..500 {
            for &phase in plan(integrator) {
                if let Phase::Update(i) = phase {
                    Coefficients::new(integrator, i, h, last, 0.0).apply(&mut o.motion, g);
                    // Beeman's history starts with the acceleration itself.
                    if n == 0 && integrator == Integrator::Beeman && i == 0 {
                        o.motion.history[0] = g;
                    }
                }
            }
            last = h;
        }
        let exact = 20.0 + 2.0 + 0.5 * g * 4.0;
        assert!((o.motion.x - exact).abs() < 1e-10, "{integrator:?}: {}", o.motion.x - exact);
    }
}

#[test]
fn changing_the_timestep_gives_no_kick() {
    for integrator in Integrator::EXPLICIT.into_iter().filter(|&i| order(i) >= 2) {
        let mut o = Oscillator::new(integrator, 2.0, 0.0, 1.0, 0.0);
        let mut t = 0.0;
        for n in 0..4000 {
            let h = if n % 7 < 3 { 1e-3 } else { 5e-4 };
            o.step(h);
            t += h;
        }
        let error = (o.motion.x - (2.0f64 * t).cos()).abs();
        assert!(error < 1e-5, "{integrator:?}: {error}");
    }
}

#[test]
fn tiny_steps_are_not_lost_in_single_precision() {
    let step = Coefficients::new(Integrator::SymplecticEuler, 0, 1e-6, 1e-6, 0.0);
    let mut m = Motion { x: 1.0f32, v: 1e-3, ..Motion::default() };
    for _ in 0..1_000_000 {
        step.apply(&mut m, 0.0);
    }
    // Each step moves by 1e-9, a hundredth of the last digit of 1.
    assert!((m.x - 1.001).abs() < 2e-7, "{}", m.x);
}
