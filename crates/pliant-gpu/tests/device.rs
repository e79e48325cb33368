//! An open device: kernels run, and everything that can go wrong is told.

use pliant_gpu::timer::Timer;
use pliant_gpu::{Access, AdapterChoice, Gpu, GpuError, Kernel, KernelDesc, Module, testing};

const DOUBLE: Module = Module {
    name: "double",
    source: "#import pliant::grid
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn double(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = thread_index(workgroup, groups, local);
    if (i < arrayLength(&numbers)) {
        numbers[i] = 2u * numbers[i];
    }
}",
};

fn double(gpu: &Gpu) -> Result<Kernel, GpuError> {
    let desc = KernelDesc {
        library: &[],
        module: DOUBLE,
        entry: "double",
        constants: &[],
        bindings: &[Access::Write],
    };
    pliant_gpu::validate::validate(&desc).expect("the kernel is valid");
    Kernel::new(gpu, &desc)
}

#[test]
fn a_kernel_runs_on_every_element_whatever_the_length() {
    let Some(gpu) = testing::gpu("device") else { return };
    let kernel = double(&gpu).unwrap();
    // The last one does not fit a single row of workgroups.
    for length in [1usize, 255, 256, 257, 65_535 * 256 + 1000] {
        let numbers: Vec<u32> = (0..length as u32).collect();
        let buffer = gpu.storage("numbers", &numbers).unwrap();
        let group = kernel.bind(&gpu, &[(&buffer).into()]);
        let mut commands = gpu.commands("test");
        commands.run(&kernel, &group, &[], length);
        commands.run(&kernel, &group, &[], length);
        assert_eq!(commands.dispatch_count(), 2);
        commands.submit();
        let found = buffer.read().unwrap();
        assert!(found.iter().zip(&numbers).all(|(a, b)| *a == b.wrapping_mul(4)), "{length}");
    }
}

#[test]
fn an_empty_buffer_can_be_bound_and_read() {
    let Some(gpu) = testing::gpu("device") else { return };
    let kernel = double(&gpu).unwrap();
    let mut buffer = gpu.storage::<u32>("nothing", &[]).unwrap();
    let group = kernel.bind(&gpu, &[(&buffer).into()]);
    let mut commands = gpu.commands("test");
    commands.run(&kernel, &group, &[], 0);
    commands.submit();
    assert_eq!(buffer.read().unwrap(), []);
    assert!(buffer.grow(3).unwrap() && buffer.len() >= 3);
    assert!(!buffer.grow(2).unwrap());
}

#[test]
fn a_kernel_with_a_mistake_names_module_and_line() {
    let Some(gpu) = testing::gpu("device") else { return };
    let module = Module { name: "broken", source: "#import pliant::grid\n\nfn broken( {" };
    let desc = KernelDesc { library: &[], module, entry: "broken", constants: &[], bindings: &[] };
    let error = Kernel::new(&gpu, &desc).err().expect("it must not compile").to_string();
    assert!(error.contains("broken, line 3"), "{error}");
    // The device is as good as before.
    assert!(double(&gpu).is_ok());
}

#[test]
fn a_buffer_beyond_the_limits_says_what_would_fit() {
    let Some(gpu) = testing::gpu("device") else { return };
    let limit = gpu.limits().max_storage_buffer_binding_size;
    let error = gpu.zeros::<u32>("huge", limit as usize / 4 + 1).err().expect("too large");
    assert!(matches!(&error, GpuError::TooLarge { needed, .. } if *needed == limit + 4), "{error}");
    assert!(error.to_string().contains("\"huge\""), "{error}");
}

#[test]
fn the_memory_budget_is_kept_and_given_back() {
    let Some(gpu) = testing::gpu("device") else { return };
    gpu.set_memory_budget(Some(4000));
    let first = gpu.zeros::<u32>("first", 600).unwrap();
    assert_eq!(gpu.memory_used(), 2400);
    let refused = gpu.zeros::<u32>("second", 600).err().expect("beyond the budget").to_string();
    assert!(refused.contains("second") && refused.contains("budget"), "{refused}");
    drop(first);
    assert!(gpu.zeros::<u32>("second", 600).is_ok());
    assert_eq!(gpu.memory_used(), 0);
}

#[test]
fn a_destroyed_device_says_so_everywhere() {
    let Some(gpu) = testing::gpu("device") else { return };
    let kernel = double(&gpu).unwrap();
    let buffer = gpu.storage("numbers", &[1u32, 2, 3]).unwrap();
    let group = kernel.bind(&gpu, &[(&buffer).into()]);
    gpu.destroy();
    let mut commands = gpu.commands("test");
    commands.run(&kernel, &group, &[], 3);
    commands.submit();
    assert!(matches!(gpu.wait(), Err(GpuError::Lost { .. })));
    assert!(matches!(buffer.read(), Err(GpuError::Lost { .. })));
    assert!(matches!(gpu.zeros::<u32>("more", 1), Err(GpuError::Lost { .. })));
    assert!(matches!(double(&gpu), Err(GpuError::Lost { .. })));
}

#[test]
fn a_missing_adapter_is_named_with_what_there_is() {
    let choice = AdapterChoice::named("no such card");
    let error = Gpu::open_blocking(&choice).expect_err("there is no such card").to_string();
    assert!(error.contains("no such card") && error.contains("CPU"), "{error}");
}

#[test]
fn kernels_are_timed_by_name() {
    let Some(gpu) = testing::gpu("device") else { return };
    let Some(mut timer) = Timer::new(&gpu, 4).unwrap() else { return };
    let kernel = double(&gpu).unwrap();
    let buffer = gpu.zeros::<u32>("numbers", 100_000).unwrap();
    let group = kernel.bind(&gpu, &[(&buffer).into()]);
    let mut commands = gpu.commands("test");
    for _ in 0..6 {
        commands.run_timed(&mut timer, "double", &kernel, &group, &[], 100_000);
    }
    commands.submit();
    let times = timer.take().unwrap();
    assert_eq!(times.len(), 1);
    assert!(times[0].0 == "double" && times[0].1 > 0.0 && times[0].1 < 10.0, "{times:?}");
}

#[test]
fn what_comes_to_the_host_is_counted() {
    let Some(gpu) = testing::gpu("device") else { return };
    let buffer = gpu.storage("numbers", &[1u32; 100]).unwrap();
    assert_eq!(gpu.bytes_read(), 0);
    buffer.read().unwrap();
    // A copy that stays on the device does not count.
    let other = gpu.zeros::<u32>("others", 100).unwrap();
    let mut commands = gpu.commands("test");
    commands.copy(&buffer, &other, 100);
    commands.submit();
    buffer.read_range(3..5).unwrap();
    assert_eq!(gpu.clone().bytes_read(), 408, "clones count together");
    assert_eq!(gpu.picture_bytes_read(), 0);
}
