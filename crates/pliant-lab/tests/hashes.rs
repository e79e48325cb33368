//! The built-in scenes and the benchmarks reach the states of `benchmarks/hashes.csv`.
//!
//! Only where the file was written: mathematical functions of other systems, and processors without fused
//! multiply-add, may differ in the last digit.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use pliant_lab::bench::hashes::subjects;

const EXPECTED: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/hashes.csv"));

#[test]
fn scenes_and_benchmarks_reach_the_expected_states() {
    if !std::is_x86_feature_detected!("avx2") || !std::is_x86_feature_detected!("fma") {
        println!("ignored: this processor has no fused multiply-add");
        return;
    }
    let mut reached = String::from("subject,steps,hash\n");
    for subject in subjects() {
        let row = subject.hash(2).unwrap();
        reached += &format!("{},{},{}\n", row.subject, row.steps, row.hash);
    }
    assert_eq!(
        reached, EXPECTED,
        "states have changed. If that was meant, `cargo run --release -- bench --hashes --csv \
         benchmarks/hashes.csv` writes them anew, and the changelog says why"
    );
}
