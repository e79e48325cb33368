//! The studio, and the runner that draws it.
//!
//! The studio outlives its runner: when the device of WebGPU is lost, what draws is dead with it, and the
//! same studio is drawn by a new one.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use eframe::egui::{self, Ui};
use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup};
use eframe::{AppCreator, CreationContext, Renderer, WebOptions, WebRunner};
use pliant_gpu::AdapterSummary;
use pliant_studio::{Notice, Runs, Screen, Source, Studio, sleep};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlCanvasElement;

use crate::{device, downloads, trouble};

/// How often it is looked whether the device is still there.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What the page wants.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The browser's device, if simulations are to run there.
    pub device: Option<device::Known>,
    /// What the studio says at first about how things run here.
    pub notice: Option<Notice>,
}

thread_local! {
    static TAB: RefCell<Option<Tab>> = const { RefCell::new(None) };
}

/// What a page has.
#[derive(Clone)]
struct Tab {
    runner: WebRunner,
    canvas: HtmlCanvasElement,
    window: Rc<RefCell<StudioWindow>>,
    device: Option<device::Known>,
}

/// The studio, once there is one, and the window it is in.
#[derive(Default)]
struct StudioWindow {
    studio: Option<Studio>,
    ctx: egui::Context,
    /// What is opened first.
    first: Option<Source>,
}

/// What eframe calls for every picture.
struct App(Rc<RefCell<StudioWindow>>);

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        if let Some(studio) = &mut self.0.borrow_mut().studio {
            studio.show(ui);
        }
        downloads::deliver();
    }
}

/// Starts a studio on a canvas.
pub async fn start(canvas: HtmlCanvasElement, source: Source, wish: Wish) -> Result<(), JsValue> {
    let Wish { device, notice } = wish;
    let window = StudioWindow { first: Some(source), ..StudioWindow::default() };
    let runner = WebRunner::new();
    let mut tab = Tab { runner, canvas, window: Rc::new(RefCell::new(window)), device };
    tab.draw(notice).await?;
    TAB.set(Some(tab));
    wasm_bindgen_futures::spawn_local(watch());
    Ok(())
}

impl Tab {
    /// Lets the studio be drawn: on WebGPU if that is wanted and there is some, else by WebGL. It begins
    /// with a notice, if there is one.
    async fn draw(&mut self, mut notice: Option<Notice>) -> Result<(), JsValue> {
        if let Some(known) = self.device.clone() {
            match self.draw_with_webgpu(&known).await {
                Ok(()) => return Ok(()),
                Err(why) => notice = Some(format!("{why}: running on the CPU").into()),
            }
        }
        let options = WebOptions { renderer: Renderer::Glow, ..WebOptions::default() };
        self.run(options, None).await?;
        if let Some(notice) = notice {
            trouble::note(&notice.text);
            self.with_studio(|studio, _| studio.set_notice(Some(notice)));
        }
        Ok(())
    }

    async fn draw_with_webgpu(&mut self, known: &device::Known) -> Result<(), String> {
        let (setup, summary) = device::open(known).await?;
        let wgpu_options = WgpuConfiguration {
            wgpu_setup: WgpuSetup::Existing(setup),
            ..WgpuConfiguration::default()
        };
        let options =
            WebOptions { renderer: Renderer::Wgpu, wgpu_options, ..WebOptions::default() };
        let started = self.run(options, Some(summary)).await;
        if started.is_err() {
            self.take_fresh_canvas();
        }
        started.map_err(|e| e.as_string().unwrap_or_else(|| format!("{e:?}")))
    }

    /// Runs on the canvas, with the studio there is or a new one.
    async fn run(&self, options: WebOptions, card: Option<AdapterSummary>) -> Result<(), JsValue> {
        let window = Rc::clone(&self.window);
        let create: AppCreator<'static> = Box::new(move |context: &CreationContext<'_>| {
            let ctx = &context.egui_ctx;
            let screen = match (context.wgpu_render_state.clone(), card) {
                (Some(state), Some(card)) => Screen::on_card(state, card)?,
                _ => Screen::on_cpu(ctx),
            };
            let place = &mut *window.borrow_mut();
            place.ctx = ctx.clone();
            match (&mut place.studio, place.first.take()) {
                (Some(studio), _) => studio.set_screen(Some(screen), ctx),
                (empty, Some(source)) => {
                    *empty = Some(Studio::new(source, Runs::WindowGpu, Some(screen), ctx));
                }
                (None, None) => return Err("there is nothing to show".into()),
            }
            Ok(Box::new(App(Rc::clone(&window))))
        });
        self.runner.start(self.canvas.clone(), options, create).await
    }

    /// Puts a new canvas in the place of one that is spoilt for WebGL.
    fn take_fresh_canvas(&mut self) {
        let fresh = self.canvas.clone_node().ok();
        let fresh = fresh.and_then(|n| n.dyn_into::<HtmlCanvasElement>().ok());
        if let Some(fresh) = fresh
            && self.canvas.replace_with_with_node_1(&fresh).is_ok()
        {
            self.canvas = fresh;
        }
    }

    fn with_studio<T>(&self, what: impl FnOnce(&mut Studio, &egui::Context) -> T) -> Option<T> {
        let mut window = self.window.try_borrow_mut().ok()?;
        let StudioWindow { studio, ctx, .. } = &mut *window;
        let done = what(studio.as_mut()?, ctx);
        ctx.request_repaint();
        Some(done)
    }

    /// Whether what draws the studio is dead.
    fn is_device_lost(&self) -> bool {
        let window = self.window.borrow();
        let gpu = window.studio.as_ref().and_then(Studio::gpu);
        gpu.is_some_and(pliant_gpu::Gpu::is_lost)
    }
}

/// Does something with the studio, if there is one, and lets it be drawn.
pub fn with_studio<T>(what: impl FnOnce(&mut Studio, &egui::Context) -> T) -> Option<T> {
    TAB.with_borrow(|tab| tab.as_ref()?.with_studio(what))
}

/// Begins anew whenever the device is lost, and hands out what was saved while nothing was drawn.
async fn watch() {
    loop {
        sleep(LOOK_EVERY).await;
        downloads::deliver();
        let Some(mut tab) = TAB.with_borrow(Clone::clone) else { return };
        if !tab.is_device_lost() {
            continue;
        }
        trouble::note("the device of WebGPU is lost: beginning anew");
        match tab.draw(None).await {
            Ok(()) => {
                tab.with_studio(|studio, _| studio.tell_device_lost());
                TAB.set(Some(tab));
            }
            Err(error) => {
                let error = error.as_string().unwrap_or_else(|| format!("{error:?}"));
                return trouble::show(&format!(
                    "The graphics device was lost and there is no other ({error}). Please reload \
                     the page."
                ));
            }
        }
    }
}
