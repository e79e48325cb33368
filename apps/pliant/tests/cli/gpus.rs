//! `pliant gpus`.

use crate::support::Place;

#[test]
fn help_says_what_is_taken() {
    let texts = ["--adapter", "auto", "software", "Vulkan", "Examples:"];
    Place::new().pliant(&["gpus", "--help"]).exits(0).says(&texts);
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_gpus_says_so() {
    let place = Place::new();
    place.pliant(&["gpus"]).exits(0).says(&["no GPU support", "feature \"gpu\""]);
    let document = place.pliant(&["gpus", "--json"]).exits(0).json();
    assert_eq!(document, serde_json::json!({"gpu_support": false, "devices": []}));
}

#[cfg(feature = "gpu")]
mod with_devices {
    use pliant_gpu::{adapter, testing};
    use serde_json::Value;

    use crate::support::{Place, Said};

    fn devices(said: &Said) -> Vec<Value> {
        let document = said.json();
        assert_eq!(document["gpu_support"], true, "{said}");
        document["devices"].as_array().unwrap_or_else(|| panic!("no devices in {said}")).clone()
    }

    #[test]
    fn every_device_is_listed_with_its_limits() {
        let place = Place::new();
        let listed = devices(&place.pliant(&["gpus", "--json"]).exits(0));
        let known = adapter::list_blocking();
        assert!(!known.is_empty() || !testing::required(), "there is no device");
        assert_eq!(listed.len(), known.len());
        let said = place.pliant(&["gpus"]).exits(0);
        for (device, known) in listed.iter().zip(&known) {
            assert_eq!(device["name"], known.name);
            assert_eq!(device["suits"], known.suits().is_ok());
            let binding = known.limits.max_storage_buffer_binding_size;
            assert_eq!(device["limits"]["binding_bytes"], binding);
            let row = said.out.lines().find(|line| line[2..].starts_with(&known.name));
            let row = row.unwrap_or_else(|| panic!("no row for {} in {said}", known.name));
            assert!(row.contains(&known.driver) && row.contains(known.kind_name()), "{said}");
            assert_eq!(row.starts_with('*'), device["taken"] == true, "{said}");
        }
        let taken: Vec<_> = listed.iter().filter(|d| d["taken"] == true).collect();
        assert!(taken.len() <= 1 && taken.iter().all(|d| d["software"] == false), "{said}");
    }

    #[test]
    fn a_device_is_taken_by_part_of_its_name() {
        let Some(gpu) = testing::gpu("a device by name") else { return };
        let name = &gpu.adapter().name;
        let place = Place::new();
        let part = name.split(' ').next().unwrap_or_default().to_uppercase();
        let listed = devices(&place.pliant(&["gpus", "--json", "--adapter", &part]).exits(0));
        let taken = listed.iter().find(|d| d["taken"] == true).map(|d| &d["name"]);
        assert_eq!(taken, Some(&Value::from(name.as_str())), "{listed:?}");
        let said = place.pliant(&["gpus", "--adapter", "no such card"]).exits(1);
        said.complains(&["no such card", "help:", name]);
    }

    /// Vulkan's loader can be told to look nowhere; other systems have no such switch.
    #[cfg(target_os = "linux")]
    #[test]
    fn without_a_driver_it_says_how_to_get_one() {
        let place = Place::new();
        let blind = |args: &[&str]| {
            let mut command = place.command(args);
            command.env("VK_DRIVER_FILES", "/nowhere").env("VK_ICD_FILENAMES", "/nowhere");
            Said::new(args, command.output().unwrap()).exits(0)
        };
        blind(&["gpus"]).says(&["no GPU", "apt install mesa-vulkan-drivers"]);
        assert_eq!(devices(&blind(&["gpus", "--json"])), [] as [Value; 0]);
    }
}
