//! The native window.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{self, Ui, ViewportBuilder, ViewportCommand};
use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew};
use pliant_gpu::{AdapterChoice, AdapterSummary, Gpu, wgpu};

use crate::app::Studio;
use crate::engine::Runs;
use crate::open::Source;
use crate::viewport::Screen;

/// Time between two lines of telemetry.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// How a window is opened.
pub struct Options {
    /// What it shows first.
    pub source: Source,
    /// Where simulations run.
    pub runs: Runs,
    /// Which GPU draws, and computes where GPUs compute.
    pub adapter: AdapterChoice,
    /// Width and height \[points\].
    pub size: [f32; 2],
    /// Where files are saved, if not in the usual place.
    pub folder: Option<PathBuf>,
    /// Write what goes on to standard output, as lines of JSON.
    pub reports: bool,
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// No display, or no GPU that can draw on it.
    #[error("no window can be opened: {0}")]
    Window(String),
}

/// Opens a window with a studio in it; returns when it is closed.
pub fn run(options: Options) -> Result<(), StudioError> {
    let Options { source, runs, adapter, size, folder, reports } = options;
    let native = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("Pliant")
            .with_app_id("pliant")
            .with_inner_size(size)
            .with_min_inner_size([320.0, 320.0])
            .with_drag_and_drop(true),
        wgpu_options: WgpuConfiguration {
            wgpu_setup: WgpuSetup::CreateNew(setup(adapter)),
            ..WgpuConfiguration::default()
        },
        ..eframe::NativeOptions::default()
    };
    let create = Box::new(move |context: &eframe::CreationContext<'_>| {
        let state = context.wgpu_render_state.clone().ok_or("the window has no GPU")?;
        let screen = Screen::new(state)?;
        let mut studio = Studio::new(source, runs, Some(screen), &context.egui_ctx);
        if let Some(folder) = folder {
            studio.save_into(folder);
        }
        let last_report = reports.then(Instant::now);
        Ok(Box::new(Window { studio, last_report, title: String::new() }) as Box<dyn eframe::App>)
    });
    eframe::run_native("pliant", native, create).map_err(|e| StudioError::Window(e.to_string()))
}

/// Takes the adapter that is wanted, and opens it with what simulations need.
fn setup(choice: AdapterChoice) -> WgpuSetupCreateNew {
    let select = move |adapters: &[wgpu::Adapter], surface: Option<&wgpu::Surface<'_>>| {
        let can_show = |a: &&wgpu::Adapter| surface.is_none_or(|s| a.is_surface_supported(s));
        let usable: Vec<&wgpu::Adapter> = adapters.iter().filter(can_show).collect();
        let summaries: Vec<AdapterSummary> = usable.iter().map(|a| AdapterSummary::of(a)).collect();
        let picked = choice.pick(&summaries).and_then(|i| usable.get(i).copied());
        picked.cloned().ok_or_else(|| {
            let names: Vec<&str> = summaries.iter().map(|s| s.name.as_str()).collect();
            match names.is_empty() {
                true => "there is no GPU that can draw on this display".into(),
                false => format!("the GPU that is wanted is not among {}", names.join(", ")),
            }
        })
    };
    WgpuSetupCreateNew {
        native_adapter_selector: Some(Arc::new(select)),
        device_descriptor: Arc::new(|adapter| Gpu::descriptor(&AdapterSummary::of(adapter))),
        ..WgpuSetupCreateNew::without_display_handle()
    }
}

struct Window {
    studio: Studio,
    /// When telemetry was written last, if it is wanted.
    last_report: Option<Instant>,
    title: String,
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        self.studio.show(ui);
        self.set_title(ui.ctx());
        self.report(ui.ctx());
        if self.studio.wants_to_quit {
            ui.ctx().send_viewport_cmd(ViewportCommand::Close);
        }
    }

    fn on_exit(&mut self) {
        self.studio.finish();
    }
}

impl Window {
    /// Tells in the title what is open.
    fn set_title(&mut self, ctx: &egui::Context) {
        let open = self.studio.opened.as_ref().map(|o| o.source.title());
        let title = open.map_or("Pliant".into(), |open| format!("{open} — Pliant"));
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    fn report(&mut self, ctx: &egui::Context) {
        let Some(last) = &mut self.last_report else { return };
        // Also when nothing moves: somebody may be waiting for that.
        ctx.request_repaint_after(REPORT_EVERY);
        if last.elapsed() < REPORT_EVERY {
            return;
        }
        *last = Instant::now();
        let mut out = std::io::stdout().lock();
        let written = writeln!(out, "{}", self.studio.telemetry()).and_then(|()| out.flush());
        // Whoever listened is gone.
        if written.is_err() {
            self.last_report = None;
        }
    }
}
