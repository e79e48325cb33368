//! Several primitives in one submission, on what the others left.

use pliant_gpu::primitives::{Compact, RadixSort, SELECTION_COUNT, Scan};
use pliant_gpu::{Access, Kernel, KernelDesc, Module, testing};

use crate::{Random, run};

#[test]
fn several_primitives_share_a_submission() {
    let Some(gpu) = testing::gpu("together") else { return };
    let length = 30_000;
    let keys: Vec<u32> = Random::numbers(14, length).iter().map(|n| n % 100).collect();
    let (scan, sort) = (Scan::new(&gpu, length).unwrap(), RadixSort::new(&gpu, length).unwrap());
    let keys_buffer = gpu.storage("keys", &keys).unwrap();
    let payload = gpu.zeros("payload", length).unwrap();
    let [all, part] = ["all", "part"].map(|label| gpu.zeros::<u32>(label, length).unwrap());
    let [total, part_total] = ["total", "part"].map(|label| gpu.zeros::<u32>(label, 1).unwrap());
    // The same primitive with two lengths; prefix sums of what was just sorted.
    run(
        &gpu,
        &[
            &sort.bind(&keys_buffer, &payload, length, 7).unwrap(),
            &scan.bind(&keys_buffer, &all, &total, length).unwrap(),
            &scan.bind(&keys_buffer, &part, &part_total, 5000).unwrap(),
        ],
    );
    let mut sorted = keys;
    sorted.sort_unstable();
    let sums: Vec<u32> = sorted
        .iter()
        .scan(0u32, |sum, &k| {
            *sum += k;
            Some(*sum - k)
        })
        .collect();
    assert!(keys_buffer.read().unwrap() == sorted && all.read().unwrap() == sums);
    assert_eq!(part.read_range(0..5001).unwrap(), [&sums[..5000], &[0]].concat());
    assert_eq!(part_total.read().unwrap(), [sums[5000]]);
    assert_eq!(total.read().unwrap(), [sorted.iter().sum()]);
}

const MARK: Module = Module {
    name: "mark",
    source: "#import pliant::grid
@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> selection: array<u32>;
@group(0) @binding(2) var<storage, read_write> marks: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn mark(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = thread_index(workgroup, groups, local);
    if (i < selection[3]) {
        marks[indices[i]] += 1u;
    }
}",
};

#[test]
fn a_kernel_runs_for_the_selected_elements_only() {
    let Some(gpu) = testing::gpu("together") else { return };
    let length = 20_000;
    let flags: Vec<u32> = Random::numbers(16, length).iter().map(|n| (n >> 8) % 2).collect();
    let desc = KernelDesc {
        library: &[],
        module: MARK,
        entry: "mark",
        constants: &[],
        bindings: &[Access::Read, Access::Read, Access::Write],
    };
    let kernel = Kernel::new(&gpu, &desc).unwrap();
    let compact = Compact::new(&gpu, length).unwrap();
    let flags_buffer = gpu.storage("flags", &flags).unwrap();
    let [indices, marks] = ["indices", "marks"].map(|label| gpu.zeros(label, length).unwrap());
    let selection = Compact::selection(&gpu, "selection").unwrap();
    let bound = compact.bind(&flags_buffer, &indices, &selection, length).unwrap();
    let group = kernel.bind(&gpu, &[(&indices).into(), (&selection).into(), (&marks).into()]);
    let mut commands = gpu.commands("test");
    bound.record(&mut commands);
    commands.run_indirect(&kernel, &group, &[], &selection, 0);
    commands.submit();
    assert!(marks.read().unwrap() == flags);
    assert_eq!(selection.read().unwrap()[SELECTION_COUNT], flags.iter().sum::<u32>());
}
