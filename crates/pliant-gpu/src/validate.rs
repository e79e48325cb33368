//! Reading kernels without a device: are they valid, and do their structs look as Rust's do?

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, StorageAccess, TypeInner};

use crate::compose::compose;
use crate::{Access, KernelDesc, Module};

/// A kernel that naga has read and found valid.
pub struct Validated {
    module: naga::Module,
}

/// Checks a kernel as a browser would: WebGPU's core and nothing else.
pub fn validate(desc: &KernelDesc<'_>) -> Result<Validated, String> {
    let validated = validate_module(desc.library, desc.module)?;
    validated.check_bindings(desc)?;
    Ok(validated)
}

/// Checks any module, such as one for drawing: is it valid in WebGPU's core?
pub fn validate_module(library: &[Module], module: Module) -> Result<Validated, String> {
    let composed = compose(&[crate::MODULES, library], module).map_err(|e| e.to_string())?;
    let module = naga::front::wgsl::parse_str(&composed.source).map_err(|e| {
        let line = e.location(&composed.source).map_or(0, |l| l.line_number);
        format!("{:?}: {}", composed.origin(line), e.emit_to_string(&composed.source))
    })?;
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .map_err(|e| e.emit_to_string(&composed.source))?;
    Ok(Validated { module })
}

impl Validated {
    /// Name and byte offset of every member of a struct, and its size.
    pub fn struct_layout(&self, name: &str) -> Option<(Vec<(String, u32)>, u32)> {
        self.module.types.iter().find_map(|(_, ty)| match &ty.inner {
            TypeInner::Struct { members, span } if ty.name.as_deref() == Some(name) => {
                let named = |m: &naga::StructMember| (m.name.clone().unwrap_or_default(), m.offset);
                Some((members.iter().map(named).collect(), *span))
            }
            _ => None,
        })
    }

    /// Compares the entry's bindings with the description's.
    fn check_bindings(&self, desc: &KernelDesc<'_>) -> Result<(), String> {
        let entry = self.module.entry_points.iter().find(|e| e.name == desc.entry);
        let entry = entry.ok_or(format!("there is no entry point {}", desc.entry))?;
        let threads: u32 = entry.workgroup_size.iter().product();
        if threads > crate::WORKGROUP {
            return Err(format!("{}: {threads} invocations per workgroup", desc.entry));
        }
        let mut storage = 0;
        let mut seen = vec![false; desc.bindings.len()];
        for (_, variable) in self.module.global_variables.iter() {
            let Some(binding) = &variable.binding else { continue };
            let name = variable.name.as_deref().unwrap_or("?");
            let at = binding.binding as usize;
            if binding.group != 0 {
                return Err(format!("{name} is in group {}, not 0", binding.group));
            }
            let Some(&access) = desc.bindings.get(at) else {
                return Err(format!("{name} has binding {at}, which the host does not know"));
            };
            seen[at] = true;
            let fits = match (variable.space, access) {
                (AddressSpace::Uniform, Access::Uniform | Access::Record) => true,
                (AddressSpace::Storage { access: a }, Access::Read) => a == StorageAccess::LOAD,
                (AddressSpace::Storage { access: a }, Access::Write) => {
                    a.contains(StorageAccess::STORE)
                }
                _ => false,
            };
            if !fits {
                return Err(format!("{name} (binding {at}) is not what the host calls {access:?}"));
            }
            storage += u32::from(matches!(variable.space, AddressSpace::Storage { .. }));
        }
        if let Some(missing) = seen.iter().position(|s| !s) {
            return Err(format!("{}: the kernel has no binding {missing}", desc.entry));
        }
        match storage > crate::device::STORAGE_BUFFERS {
            true => Err(format!("{}: {storage} storage buffers", desc.entry)),
            false => Ok(()),
        }
    }
}

/// Panics unless a WGSL struct has the size of `T` and the given members at the given offsets.
pub fn assert_layout<T>(validated: &Validated, name: &str, members: &[(&str, usize)]) {
    let (found, size) = validated.struct_layout(name).expect("the kernel has this struct");
    let expected: Vec<(String, u32)> =
        members.iter().map(|&(n, o)| (n.to_string(), o as u32)).collect();
    assert_eq!(found, expected, "members of {name}");
    assert_eq!(size as usize, size_of::<T>(), "size of {name}");
}
