//! The studio, and the runner that draws it.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::egui::{self, Ui};
use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup};
use eframe::{AppCreator, CreationContext, Renderer, WebOptions, WebRunner};
use pliant_studio::{Runs, Screen, Source, Studio};
use wasm_bindgen::JsValue;
use web_sys::HtmlCanvasElement;

use crate::{device, trouble};

thread_local! {
    static TAB: RefCell<Option<Tab>> = const { RefCell::new(None) };
}

/// What a page has.
struct Tab {
    studio: Rc<RefCell<Studio>>,
    ctx: egui::Context,
    /// Draws the studio; dropped with the page.
    _runner: WebRunner,
}

/// What eframe calls for every picture.
struct App(Rc<RefCell<Studio>>);

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        self.0.borrow_mut().show(ui);
    }
}

/// Starts a studio on a canvas.
pub async fn start(
    canvas: HtmlCanvasElement,
    source: Source,
    wants_webgpu: bool,
) -> Result<(), JsValue> {
    let mut options = WebOptions { renderer: Renderer::Glow, ..WebOptions::default() };
    let opened = match wants_webgpu {
        true => device::open().await,
        false => Err("WebGPU is not wanted".into()),
    };
    match opened {
        Ok(setup) => {
            options.renderer = Renderer::Wgpu;
            options.wgpu_options = WgpuConfiguration {
                wgpu_setup: WgpuSetup::Existing(setup),
                ..WgpuConfiguration::default()
            };
        }
        Err(reason) => trouble::note(&format!("{reason}: running on the CPU")),
    }
    let made = Rc::new(RefCell::new(None));
    let keep = Rc::clone(&made);
    let create: AppCreator<'static> = Box::new(move |context: &CreationContext<'_>| {
        let screen = context.wgpu_render_state.clone().map(Screen::new).transpose()?;
        let studio = Studio::new(source, Runs::WindowGpu, screen, &context.egui_ctx);
        let studio = Rc::new(RefCell::new(studio));
        *keep.borrow_mut() = Some((Rc::clone(&studio), context.egui_ctx.clone()));
        Ok(Box::new(App(studio)))
    });
    let runner = WebRunner::new();
    runner.start(canvas, options, create).await?;
    let Some((studio, ctx)) = made.borrow_mut().take() else {
        return Err("the studio was not made".into());
    };
    TAB.set(Some(Tab { studio, ctx, _runner: runner }));
    Ok(())
}

/// Does something with the studio, if there is one, and lets it be drawn.
pub fn with_studio<T>(what: impl FnOnce(&mut Studio, &egui::Context) -> T) -> Option<T> {
    TAB.with_borrow(|tab| {
        let Tab { studio, ctx, .. } = tab.as_ref()?;
        let done = what(&mut *studio.try_borrow_mut().ok()?, ctx);
        ctx.request_repaint();
        Some(done)
    })
}
