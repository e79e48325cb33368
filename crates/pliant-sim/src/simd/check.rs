//! A level compared with plain arithmetic, for machines that cannot run the test suite, such as browsers.

use super::{Lane4, Lanes, Lanes16, Level, SCATTER_ORDER, Task, run_at};

/// Entries that are gathered from and added to.
const ENTRIES: usize = 40;
/// Sets of numbers that are tried.
const ROUNDS: usize = 50;

impl Level {
    /// Does every operation with this level and number by number. The error names the first one that
    /// does not give the same bits.
    pub fn check(self) -> Result<(), String> {
        let fuses = self.fuses();
        // SAFETY: the task needs nothing but the level.
        let found = unsafe { run_at(self, Check { fuses }) };
        found.map_err(|what| format!("{what} is not what it should be with {}", self.name()))
    }
}

struct Check {
    fuses: bool,
}

impl Task for Check {
    type Output = Result<(), &'static str>;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> Self::Output {
        check::<S>(self.fuses)
    }
}

/// Numbers without pattern, some of them special.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> u32 {
        // The constants of Numerical Recipes; the lower bits are poor.
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }

    fn number(&mut self) -> f32 {
        match self.next() % 64 {
            0 => 0.0,
            1 => -0.0,
            2 => f32::INFINITY,
            3 => 1e-40,
            _ => (self.next() as f32 / 8_388_608.0 - 1.0) * 3f32.powi((self.next() % 9) as i32 - 4),
        }
    }

    fn lanes(&mut self) -> Lanes {
        Lanes(std::array::from_fn(|_| self.number()))
    }
}

#[inline(always)]
fn check<S: Lanes16>(fuses: bool) -> Result<(), &'static str> {
    let mut numbers = Numbers(1);
    for _ in 0..ROUNDS {
        let plain = [numbers.lanes(), numbers.lanes(), numbers.lanes()];
        arithmetic::<S>(plain, fuses)?;
        masks::<S>(plain)?;
        fourths::<S>(plain)?;
        memory::<S>(plain, &mut numbers)?;
    }
    Ok(())
}

#[inline(always)]
fn arithmetic<S: Lanes16>([a, b, c]: [Lanes; 3], fuses: bool) -> Result<(), &'static str> {
    let [x, y, z] = [S::load(&a), S::load(&b), S::load(&c)];
    let sum = |a: f32, b: f32, c: f32| if fuses { a.mul_add(b, c) } else { a * b + c };
    let each = |f: &dyn Fn(f32, f32, f32) -> f32| -> [f32; 16] {
        std::array::from_fn(|lane| f(a.0[lane], b.0[lane], c.0[lane]))
    };
    expect("a sum", x.add(y), each(&|a, b, _| a + b))?;
    expect("a difference", x.sub(y), each(&|a, b, _| a - b))?;
    expect("a product", x.mul(y), each(&|a, b, _| a * b))?;
    expect("a quotient", x.div(y), each(&|a, b, _| a / b))?;
    expect("a maximum", x.max(y), each(&|a, b, _| if a > b { a } else { b }))?;
    expect("a root", x.sqrt(), each(&|a, _, _| a.sqrt()))?;
    expect("a product and sum", x.mul_add(y, z), each(&sum))?;
    expect("a product and difference", x.mul_sub(y, z), each(&|a, b, c| sum(a, b, -c)))?;
    expect("a difference and product", x.neg_mul_add(y, z), each(&|a, b, c| sum(-a, b, c)))?;
    expect("a constant", S::splat(a.0[0]), [a.0[0]; 16])?;
    expect("zero", S::zero(), [0.0; 16])
}

#[inline(always)]
fn masks<S: Lanes16>([mut a, mut b, c]: [Lanes; 3]) -> Result<(), &'static str> {
    // Numbers that no random draw would make equal, and one that equals nothing.
    a.0[3] = b.0[3];
    a.0[7] = f32::NAN;
    (a.0[8], b.0[8]) = (0.0, -0.0);
    (a.0[12], b.0[12]) = (f32::NAN, f32::NAN);
    let [x, y, z] = [S::load(&a), S::load(&b), S::load(&c)];
    let each = |f: &dyn Fn(usize) -> bool| {
        (0..16).fold(0, |bits: u16, lane| bits | u16::from(f(lane)) << lane)
    };
    let less = |lane: usize| a.0[lane] <= b.0[lane];
    let lesser = |lane: usize| b.0[lane] <= c.0[lane];
    let same = |lane: usize| a.0[lane].to_bits() == b.0[lane].to_bits();
    let (first, second) = (x.at_most(y), y.at_most(z));
    let found = [
        ("a comparison", S::bits(first), each(&less)),
        ("a comparison of bits", S::bits(x.same_bits(y)), each(&same)),
        ("an and", S::bits(S::both(first, second)), each(&|k| less(k) && lesser(k))),
        ("an or", S::bits(S::either(first, second)), each(&|k| less(k) || lesser(k))),
    ];
    found.into_iter().try_for_each(
        |(what, is, should)| {
            if is == should { Ok(()) } else { Err(what) }
        },
    )
}

#[inline(always)]
fn fourths<S: Lanes16>([a, b, c]: [Lanes; 3]) -> Result<(), &'static str> {
    let [x, y] = [S::load(&a), S::load(&b)];
    let fourth = std::array::from_fn(|lane| a.0[lane | 3]);
    expect("a fourth number", x.broadcast_fourth(), fourth)?;
    let turned = std::array::from_fn(|lane| a.0[lane / 4 * 4 + [1, 2, 0, 3][lane % 4]]);
    expect("turned vertices", x.turned(), turned)?;
    let mixed = std::array::from_fn(|lane| if lane % 4 == 3 { b.0[lane] } else { a.0[lane] });
    expect("a replaced fourth number", x.with_fourth_of(y), mixed)?;
    let (low, high) = (Lanes(a.0.map(|a| a - c.0[0].abs())), Lanes(a.0.map(|a| a + 1.0)));
    for lane in 0..16 {
        let mut inside = a;
        inside.0[lane] = [a.0[lane], b.0[lane], f32::NAN][lane % 3];
        let is = S::load(&inside).any_outside(S::load(&low), S::load(&high));
        let should = (0..16).any(|k| !(low.0[k]..=high.0[k]).contains(&inside.0[k]));
        if is != should {
            return Err("a comparison");
        }
    }
    Ok(())
}

#[inline(always)]
fn memory<S: Lanes16>(values: [Lanes; 3], numbers: &mut Numbers) -> Result<(), &'static str> {
    let mut entries = [Lane4::default(); ENTRIES];
    entries.fill_with(|| Lane4(std::array::from_fn(|_| numbers.number())));
    // The two of a pair differ, as must be; others may meet.
    let mut places = [0; 16];
    for pair in SCATTER_ORDER.chunks_exact(2) {
        places[pair[0]] = numbers.next() as usize % ENTRIES;
        places[pair[1]] = (places[pair[0]] + 1 + numbers.next() as usize % 30) % ENTRIES;
    }
    let index = places.map(|place| 2 * place as u16);
    // SAFETY: sixteen entries, all within the array.
    let gathered = unsafe { S::gather(entries.as_ptr(), index.as_ptr()) };
    for (axis, is) in gathered.into_iter().enumerate() {
        expect("a gathered number", is, places.map(|place| entries[place].0[axis]))?;
    }
    let mut plain = entries;
    for lane in SCATTER_ORDER {
        for (axis, value) in values.iter().enumerate() {
            plain[places[lane]].0[axis] += value.0[lane];
        }
    }
    let values = values.each_ref().map(S::load);
    // SAFETY: sixteen entries, all within the array, which nobody else has.
    unsafe { S::scatter_add(entries.as_mut_ptr(), index.as_ptr(), values) };
    let is_same = entries.iter().zip(&plain).all(|(a, b)| (0..3).all(|k| same(a.0[k], b.0[k])));
    is_same.then_some(()).ok_or("a number added to memory")
}

#[inline(always)]
fn expect<S: Lanes16>(what: &'static str, is: S, should: [f32; 16]) -> Result<(), &'static str> {
    let mut found = Lanes::default();
    is.store(&mut found);
    let is_same = (0..16).all(|lane| same(found.0[lane], should[lane]));
    is_same.then_some(()).ok_or(what)
}

/// The same bits, or both not a number: which one is not defined.
fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn every_level_of_this_machine_computes_right() {
    for level in Level::available() {
        assert_eq!(level.check(), Ok(()));
    }
}
