//! Where commands run: `--backend`, `--adapter`, `--accumulation`, `--threads`, `--stage`.

use crate::support::{Place, hash};

#[test]
fn contradictions_are_refused_with_a_way_out() {
    let place = Place::with_scene();
    let contradictions: &[(&[&str], &[&str])] = &[
        (&["--threads", "2", "--backend", "gpu"], &["--threads", "--backend gpu", "leave out"]),
        (&["--threads", "2", "--adapter", "rtx"], &["--threads", "--adapter"]),
        (&["--backend", "cpu", "--adapter", "rtx"], &["--backend cpu", "--adapter"]),
        (&["--backend", "cpu", "--accumulation", "gather"], &["--accumulation"]),
        (&["--backend", "auto", "--adapter", "rtx"], &["--backend auto", "leave out"]),
        (&["--backend", "tpu"], &["auto", "cpu", "gpu"]),
        (&["--accumulation", "guess"], &["gather", "edge-scatter"]),
        (&["--accumulation", "all"], &["bench"]),
        (&["--stage", "walls=cpu"], &["walls", "elastic", "touch", "implicit", "plasticity"]),
        (&["--stage", "elastic"], &["elastic=cpu"]),
        (&["--stage", "elastic=cpu", "--threads", "1"], &["--threads", "--stage"]),
        (&["--stage", "elastic=cpu", "--backend", "auto"], &["--backend auto", "leave out"]),
    ];
    for (args, texts) in contradictions {
        let args: Vec<&str> = ["run", "bar.toml"].iter().chain(*args).copied().collect();
        place.pliant(&args).exits(2).complains(texts);
    }
    let said = place.pliant(&["bench", "bar5k", "--threads", "1", "--backend", "gpu"]).exits(2);
    said.complains(&["--threads"]);
    place.pliant(&["reproduce", "s1-speed", "--threads", "1", "--adapter", "x"]).exits(2);
    place.pliant(&["demo", "--threads", "1", "--backend", "gpu"]).exits(2);
}

#[test]
fn the_backend_that_ran_is_told() {
    let place = Place::with_scene();
    let run = place.pliant(&["run", "bar.toml", "--json", "--backend", "cpu"]).exits(0).json();
    assert_eq!(run["backend"], "cpu");
    assert!(run["device"].as_str().unwrap().starts_with("CPU, "), "{run}");
    place.pliant(&["run", "bar.toml", "--threads", "1"]).exits(0).says(&["on CPU, 1 thread)"]);
    for command in ["run", "demo", "bench", "reproduce"] {
        let said = place.pliant(&[command, "--help"]).exits(0);
        said.says(&["--backend", "--adapter", "--accumulation", "--threads", "pliant gpus"]);
    }
    let args = "bench bar5k --threads 1 --steps 1 --json".split(' ').collect::<Vec<_>>();
    let rows = place.pliant(&args).exits(0).json();
    assert_eq!((&rows[0]["backend"], &rows[0]["threads"]), (&"cpu".into(), &1.into()), "{rows}");
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_gpus_says_so() {
    let place = Place::with_scene();
    for args in [&["--backend", "gpu"], &["--adapter", "rtx"]] {
        let args: Vec<&str> = ["run", "bar.toml"].iter().chain(args).copied().collect();
        place.pliant(&args).exits(1).complains(&["no GPU support", "feature \"gpu\""]);
    }
    let run = place.pliant(&["run", "bar.toml", "--json"]).exits(0).json();
    assert_eq!(run["backend"], "cpu");
}

#[cfg(feature = "gpu")]
mod with_devices {
    use pliant_gpu::testing;

    use super::*;
    use crate::support::Said;

    /// The arguments, on the device that the tests have.
    fn on_device(place: &Place, device: &str, args: &str) -> Said {
        let args: Vec<&str> = args.split(' ').chain(["--adapter", device]).collect();
        place.pliant(&args)
    }

    #[test]
    fn a_run_on_a_device_says_so_and_repeats_to_the_last_bit() {
        let Some(gpu) = testing::gpu("run --adapter") else { return };
        let device = &gpu.adapter().name;
        let place = Place::with_scene();
        let said = on_device(&place, device, "run bar.toml --json --steps 15");
        let run = said.exits(0);
        let document = run.json();
        assert_eq!(document["backend"], "gpu");
        assert!(document["device"].as_str().unwrap().starts_with(device.as_str()), "{run}");
        let again = on_device(&place, device, "run bar.toml --json --steps 15").exits(0);
        assert_eq!(hash(&run), hash(&again));
        let way = "run bar.toml --steps 15 --accumulation edge-scatter";
        on_device(&place, device, way).exits(0).says(&[device, "edge-scatter"]);
    }

    #[test]
    fn a_stage_on_the_processor_is_told() {
        let Some(gpu) = testing::gpu("run --stage") else { return };
        let device = &gpu.adapter().name;
        let place = Place::with_scene();
        let run = |more: &str| {
            on_device(&place, device, &format!("run bar.toml --json --steps 15{more}")).exits(0)
        };
        let (whole, moved) = (run(""), run(" --stage elastic=cpu --stage touch=cpu"));
        let told = moved.json();
        assert_eq!(told["backend"], "gpu");
        assert!(
            told["device"].as_str().unwrap().ends_with("elastic and touch on the CPU"),
            "{told}"
        );
        let height = |said: &Said| said.json()["center_of_mass"][2].as_f64().unwrap();
        assert!((height(&whole) - height(&moved)).abs() < 1e-6);
    }

    #[test]
    fn a_bench_on_a_device_compares_the_ways() {
        let Some(gpu) = testing::gpu("bench --adapter") else { return };
        let device = &gpu.adapter().name;
        let place = Place::new();
        let bench = "bench bar5k --steps 1 --accumulation all";
        let rows = on_device(&place, device, &format!("{bench} --json")).exits(0).json();
        let ways: Vec<&str> =
            (0..3).filter_map(|i| rows[i]["gpu"]["accumulation"].as_str()).collect();
        assert_eq!(ways, ["gather", "edge-gather", "edge-scatter"], "{rows}");
        assert_eq!(rows[0]["gpu"]["device"], device.as_str());
        assert_eq!(rows[0]["gpu"]["stages"][0]["stage"], "elastic");
        let said = on_device(&place, device, bench).exits(0);
        said.says(&[device, "edge-gather", "elastic", "integrate", "by access"]);
    }

    #[test]
    fn published_speed_is_repeated_on_a_device() {
        let Some(gpu) = testing::gpu("reproduce --adapter") else { return };
        let device = &gpu.adapter().name;
        let speed = "reproduce s1-speed --seconds 0.001 --json";
        let rows = on_device(&Place::new(), device, speed).exits(0).json();
        assert_eq!(rows.as_array().unwrap().len(), 5);
        assert!(rows[0]["backend"].as_str().unwrap().starts_with(device.as_str()), "{rows}");
    }

    #[test]
    fn a_projection_needs_no_device() {
        let place = Place::new();
        let said = place.pliant(&["bench", "bar5k", "--project"]).exits(0);
        said.says(&["projection, not a measurement", "RTX 4090", "Steam Deck", "2 kernels"]);
        let rows = place.pliant(&["bench", "bar5k", "--project", "--json"]).exits(0).json();
        assert_eq!(rows[0]["card"]["gb_per_s"], 1008.0);
    }

    /// Vulkan's loader can be told to look nowhere; other systems have no such switch.
    #[cfg(target_os = "linux")]
    #[test]
    fn without_a_gpu_asking_for_one_fails_and_auto_takes_the_cpu() {
        let place = Place::with_scene();
        let blind = |args: &[&str]| {
            let mut command = place.command(args);
            command.env("VK_DRIVER_FILES", "/nowhere").env("VK_ICD_FILENAMES", "/nowhere");
            Said::new(args, command.output().unwrap())
        };
        let said = blind(&["run", "bar.toml", "--backend", "gpu"]).exits(1);
        said.complains(&["no GPU found", "--backend cpu"]);
        let said = blind(&["run", "bar.toml", "--json", "--accumulation", "gather"]).exits(0);
        assert_eq!(said.json()["backend"], "cpu");
        said.complains(&["--accumulation changes nothing"]);
    }

    #[test]
    fn software_is_named_but_not_taken_for_a_gpu() {
        let Some(gpu) = testing::gpu("software devices") else { return };
        if !gpu.adapter().is_software() {
            println!("ignored: this machine has a GPU in hardware");
            return;
        }
        let place = Place::with_scene();
        let said = place.pliant(&["run", "bar.toml", "--backend", "gpu"]).exits(1);
        said.complains(&["no GPU found in hardware", &gpu.adapter().name, "--adapter"]);
        let run = place.pliant(&["run", "bar.toml", "--steps", "5", "--json"]).exits(0).json();
        assert_eq!(run["backend"], "cpu");
        let args = ["run", "bar.toml", "--steps", "5", "--json", "--adapter", "software"];
        assert_eq!(place.pliant(&args).exits(0).json()["backend"], "gpu");
    }
}
