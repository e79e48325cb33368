//! The list of devices, as a table and as JSON.

use std::process::ExitCode;

use pliant_gpu::{AdapterChoice, AdapterSummary, adapter, wgpu};
use serde::Serialize;
use serde_json::json;

use crate::args::GpusArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Lists the devices and marks the one that is taken.
pub fn list(args: &GpusArgs, console: &Console) -> Result<ExitCode, Failure> {
    let found = adapter::list_blocking();
    let name = args.adapter.as_deref().unwrap_or_default();
    let taken = AdapterChoice::named(name).pick(&found);
    let devices: Vec<Device> = found
        .iter()
        .enumerate()
        .map(|(i, summary)| Device::of(summary, taken == Some(i)))
        .collect();
    if !name.is_empty() && taken.is_none() && !found.is_empty() {
        return Err(no_such_device(name, &devices));
    }
    if console.json {
        console.document(&json!({ "gpu_support": true, "devices": devices }));
    } else if devices.is_empty() {
        console.say(NONE);
    } else {
        console.say(table(&devices));
        console.say(remarks(&devices, name));
    }
    Ok(ExitCode::SUCCESS)
}

const NONE: &str = "\
There is no GPU that Pliant can reach; everything runs on the processor.

Pliant uses Vulkan, Metal or DirectX 12, which come with the graphics driver:
  Linux     Debian, Ubuntu: apt install mesa-vulkan-drivers libvulkan1
            Fedora: dnf install mesa-vulkan-drivers vulkan-loader
            NVIDIA: the driver of the distribution or of nvidia.com
            in a container, the host must hand the device in (--device /dev/dri, --gpus all)
  Windows   the driver of the card's maker
  macOS     nothing: Metal is part of the system, except in most virtual machines";

/// A name that fits none of the devices.
fn no_such_device(name: &str, devices: &[Device]) -> Failure {
    let names: Vec<&str> = devices.iter().map(|d| d.name).collect();
    Failure::new(format!("there is no GPU with {name:?} in its name"))
        .help(format!("there is {}", names.join(", ")))
}

/// What is told about a device.
#[derive(Serialize)]
struct Device<'a> {
    name: &'a str,
    driver: &'a str,
    api: &'a str,
    kind: &'static str,
    /// Whether the device is emulated by the processor.
    software: bool,
    /// Whether it is the one that is taken.
    taken: bool,
    /// Whether it can run Pliant's kernels, and why not.
    suits: bool,
    problem: Option<String>,
    limits: Limits,
    features: Features,
}

/// The limits that matter to a simulation.
#[derive(Serialize)]
struct Limits {
    buffer_bytes: u64,
    binding_bytes: u64,
    storage_buffers_per_stage: u32,
    invocations_per_workgroup: u32,
    workgroup_memory_bytes: u32,
}

/// The features that matter to a simulation.
#[derive(Serialize)]
struct Features {
    /// Whether kernels can be timed.
    timestamps: bool,
}

impl<'a> Device<'a> {
    fn of(summary: &'a AdapterSummary, taken: bool) -> Self {
        let problem = summary.suits().err();
        let limits = &summary.limits;
        Self {
            name: &summary.name,
            driver: &summary.driver,
            api: &summary.api,
            kind: summary.kind_name(),
            software: summary.is_software(),
            taken,
            suits: problem.is_none(),
            problem,
            limits: Limits {
                buffer_bytes: limits.max_buffer_size,
                binding_bytes: limits.max_storage_buffer_binding_size,
                storage_buffers_per_stage: limits.max_storage_buffers_per_shader_stage,
                invocations_per_workgroup: limits.max_compute_invocations_per_workgroup,
                workgroup_memory_bytes: limits.max_compute_workgroup_storage_size,
            },
            features: Features {
                timestamps: summary.features.contains(wgpu::Features::TIMESTAMP_QUERY),
            },
        }
    }

    /// Its row; the driver comes last, since nobody knows how long its name is.
    fn cells(&self) -> [String; COLUMNS] {
        let limits = &self.limits;
        let yes = |is: bool| if is { "yes" } else { "no" };
        [
            format!("{} {}", if self.taken { '*' } else { ' ' }, self.name),
            self.kind.into(),
            self.api.into(),
            yes(self.suits).into(),
            bytes(limits.buffer_bytes),
            bytes(limits.binding_bytes),
            count(limits.storage_buffers_per_stage),
            limits.invocations_per_workgroup.to_string(),
            yes(self.features.timestamps).into(),
            self.driver.into(),
        ]
    }
}

const COLUMNS: usize = 10;
const HEAD: [&str; COLUMNS] = [
    "  device",
    "kind",
    "API",
    "suits",
    "buffer",
    "binding",
    "storage",
    "workgroup",
    "timestamps",
    "driver",
];

/// Which columns are numbers, and so stand to the right.
const NUMBERS: std::ops::Range<usize> = 4..8;

fn table(devices: &[Device]) -> String {
    let rows: Vec<[String; COLUMNS]> =
        [HEAD.map(str::to_owned)].into_iter().chain(devices.iter().map(Device::cells)).collect();
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let line = |row: &[String; COLUMNS]| {
        let cell = |c: usize| match NUMBERS.contains(&c) {
            true => format!("{:>w$}", row[c], w = widths[c]),
            false => format!("{:<w$}", row[c], w = widths[c]),
        };
        (0..COLUMNS).map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What the table does not say: what is taken, and what the others lack.
fn remarks(devices: &[Device], name: &str) -> String {
    let mut lines = vec![String::new()];
    lines.push(match devices.iter().find(|d| d.taken) {
        Some(device) if name.is_empty() => format!("* \"auto\" takes {}.", device.name),
        Some(device) => format!("* {name:?} takes {}.", device.name),
        None => "\"auto\" takes none of these: a software device is the processor itself, which \
                 Pliant uses\nbetter without it, so it is taken only when asked for by name."
            .into(),
    });
    let lacking = devices.iter().filter_map(|d| Some((d.name, d.problem.as_ref()?)));
    lines.extend(lacking.map(|(name, problem)| format!("{name} does not suit: {problem}.")));
    lines.join("\n")
}

/// A limit that may be none at all.
fn count(n: u32) -> String {
    // Drivers without a limit of their own say the largest number or something close to it.
    if n >= 1_000_000 { "any".into() } else { n.to_string() }
}

/// A size in the largest unit that keeps it above one.
fn bytes(n: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB"];
    let power = (0..4).rev().find(|p| n >> (10 * p) > 0).unwrap_or(0);
    match power {
        // More than any machine has: the driver sets no limit.
        3 if n >> 40 > 0 => "any".into(),
        _ => {
            let size = n as f64 / (1_u64 << (10 * power)) as f64;
            // Limits are often one byte, or one alignment, short of a power of two.
            let digits = usize::from((size - size.round()).abs() >= 0.05);
            format!("{size:.digits$} {}", units[power])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(name: &str, kind: wgpu::DeviceType, storage: u32) -> AdapterSummary {
        let limits = wgpu::Limits {
            max_storage_buffers_per_shader_stage: storage,
            ..wgpu::Limits::default()
        };
        AdapterSummary {
            name: name.into(),
            driver: "driver 1.2".into(),
            api: "Vulkan".into(),
            kind,
            limits,
            features: wgpu::Features::TIMESTAMP_QUERY,
        }
    }

    #[test]
    fn columns_line_up_and_remarks_name_what_is_taken_and_what_is_lacking() {
        let found = [
            summary("Karte Größe 9", wgpu::DeviceType::DiscreteGpu, 10),
            summary("old", wgpu::DeviceType::IntegratedGpu, 4),
        ];
        let devices = [Device::of(&found[0], true), Device::of(&found[1], false)];
        let table = table(&devices);
        let columns: Vec<usize> = table
            .lines()
            .map(|line| {
                let at = line.find("driver").unwrap();
                line[..at].chars().count()
            })
            .collect();
        assert_eq!(columns, [columns[0]; 3], "{table}");
        assert!(table.lines().nth(1).unwrap().starts_with("* Karte"), "{table}");
        let remarks = remarks(&devices, "");
        assert!(remarks.contains("\"auto\" takes Karte Größe 9"), "{remarks}");
        assert!(remarks.contains("old does not suit: it has 4 storage buffers"), "{remarks}");
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(bytes(128 << 20), "128 MiB");
        assert_eq!(bytes((2 << 30) - 4), "2 GiB");
        assert_eq!(bytes(1536 << 20), "1.5 GiB");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(u64::MAX), "any");
        assert_eq!((count(16), count(u32::MAX)), ("16".into(), "any".into()));
    }
}
