//! What holds for passes, whoever does their blocks.

use super::*;

fn counters(n: usize) -> Vec<AtomicUsize> {
    (0..n).map(|_| AtomicUsize::new(0)).collect()
}

#[test]
fn every_block_is_done_once_in_every_pass_and_passes_keep_their_order() {
    for (count, seed) in [(1, 0), (2, 0), (3, 0), (8, 0), (2, 1), (3, 2), (7, 3)] {
        let mut pool = Pool::new(Threads::Exactly(count));
        if seed > 0 {
            pool.disturb(seed);
        }
        for blocks in [1, 2, 5, 40] {
            let seen = counters(blocks);
            let team = pool.lead();
            for _ in 0..10 {
                seen.iter().for_each(|s| s.store(0, Ordering::Relaxed));
                let act = |pass: u64, block: usize| {
                    let before = seen[block].fetch_add(1, Ordering::Relaxed);
                    assert_eq!(before as u64, 2 * pass, "block {block}");
                    // Nobody is further than one pass from here, and this one's block is not done.
                    let near = 2 * pass..=2 * pass + 2;
                    assert!(
                        seen.iter().all(|s| near.contains(&(s.load(Ordering::Relaxed) as u64)))
                    );
                    seen[block].fetch_add(1, Ordering::Relaxed);
                };
                let goes_on = |pass: u64| {
                    let all = seen.iter().all(|s| s.load(Ordering::Relaxed) as u64 == 2 * pass + 2);
                    assert!(all);
                    pass < 24
                };
                team.roll(30, blocks, &act, &goes_on);
                assert!(seen.iter().all(|s| s.load(Ordering::Relaxed) == 50));
            }
        }
    }
}

#[test]
fn what_one_pass_writes_the_next_one_reads() {
    for seed in [0, 5] {
        let mut pool = Pool::new(Threads::Exactly(3));
        if seed > 0 {
            pool.disturb(seed);
        }
        let team = pool.lead();
        // Plain numbers, each the sum of its neighbours in the pass before.
        struct Cells(Vec<[UnsafeCell<u64>; 2]>);
        // SAFETY: a pass writes one half and reads the other.
        unsafe impl Sync for Cells {}
        let make = || Cells((0..17).map(|k| [k, 0].map(UnsafeCell::new)).collect());
        let act = |cells: &Cells, pass: u64, block: usize| {
            let (from, to) = (pass as usize % 2, (pass as usize + 1) % 2);
            // SAFETY: see `Cells`.
            let old = |k: usize| unsafe { *cells.0[k % 17][from].get() };
            let sum = old(block + 16).wrapping_mul(3).wrapping_add(old(block + 1));
            // SAFETY: as above, and this block is this call's alone.
            unsafe { *cells.0[block][to].get() = sum };
        };
        let (alone, together) = (make(), make());
        (0..300).for_each(|pass| (0..17).for_each(|block| act(&alone, pass, block)));
        // Closures capture fields unless told otherwise.
        let all = &together;
        team.roll(300, 17, &|pass, block| act(all, pass, block), &|_| true);
        let read = |cells: &Cells| -> Vec<u64> {
            // SAFETY: nobody writes any more.
            cells.0.iter().map(|c| unsafe { *c[0].get() }).collect()
        };
        assert_eq!(read(&alone), read(&together));
    }
}

#[test]
fn a_panic_reaches_the_caller_and_hangs_nobody() {
    for bad in 0..6 {
        let mut pool = Pool::new(Threads::Exactly(3));
        let failed = catch_unwind(AssertUnwindSafe(|| {
            let act = |_, block| assert!(block != bad, "on purpose");
            pool.lead().roll(5, 6, &act, &|_| true);
        }));
        assert!(failed.is_err());
        let failed = catch_unwind(AssertUnwindSafe(|| {
            pool.lead().roll(5, 6, &|_, _| {}, &|pass| panic!("on purpose, after {pass}"));
        }));
        assert!(failed.is_err());
        let ran = counters(6);
        let act = |block: usize| {
            ran[block].fetch_add(1, Ordering::Relaxed);
        };
        pool.lead().each(6, &act);
        assert!(ran.iter().all(|r| r.load(Ordering::Relaxed) == 1));
    }
}

#[test]
fn nobody_waits_for_a_worker_without_a_block() {
    let mut pool = Pool::new(Threads::Exactly(2));
    let team = pool.lead();
    // One block at a time: whoever is first does it, and the other may sleep through all of them.
    for _ in 0..2000 {
        team.each(1, &|_| {});
    }
    // A worker that sleeps in a block is waited for.
    let slept = AtomicBool::new(false);
    let act = |block: usize| {
        if block == 1 {
            std::thread::sleep(Duration::from_millis(20));
            slept.store(true, Ordering::Relaxed);
        }
    };
    team.each(2, &act);
    assert!(slept.into_inner());
}

#[test]
fn the_rest_of_a_share_is_done_by_others() {
    let mut pool = Pool::new(Threads::Exactly(2));
    let team = pool.lead();
    let who = Mutex::new(Vec::new());
    let act = |block: usize| {
        // The first block of the second share takes long.
        if block == 10 {
            std::thread::sleep(Duration::from_millis(100));
        } else {
            std::thread::sleep(Duration::from_millis(1));
        }
        who.lock().unwrap().push(block);
    };
    let begin = Instant::now();
    team.each(20, &act);
    let order = who.into_inner().unwrap();
    assert_eq!(order.last(), Some(&10), "all others were done meanwhile: {order:?}");
    assert!(begin.elapsed() < Duration::from_millis(1000));
}

#[test]
fn workers_that_are_let_go_come_back() {
    let mut pool = Pool::new(Threads::AtMost(3));
    pool.disturb(9);
    for round in 0..200 {
        let workers = 1 + round % 3;
        let shared = &pool.shared;
        let turn = Turn::unpack(shared.turn.0.load(Ordering::Relaxed));
        // As a governor does it.
        let next = Turn { pass: turn.pass.wrapping_add(1), workers, is_open: false };
        shared.pass_on(turn, next);
        assert_eq!(pool.active(), usize::from(workers));
        let sum = AtomicUsize::new(0);
        let act = |_, block| {
            sum.fetch_add(block, Ordering::Relaxed);
        };
        pool.lead().roll(7, 10, &act, &|_| true);
        assert_eq!(sum.into_inner(), 7 * 45);
    }
}

#[test]
fn pass_numbers_may_come_round() {
    let mut pool = Pool::new(Threads::Exactly(2));
    let turn = Turn::unpack(pool.shared.turn.0.load(Ordering::Relaxed));
    pool.shared.pass_on(turn, Turn { pass: u32::MAX - 3, ..turn });
    let sum = AtomicUsize::new(0);
    let act = |_, block| {
        sum.fetch_add(block, Ordering::Relaxed);
    };
    pool.lead().roll(10, 5, &act, &|_| true);
    assert_eq!(sum.into_inner(), 100);
}
