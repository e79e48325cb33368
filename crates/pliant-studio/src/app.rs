//! The studio: puts picture, panels and simulation together, once per frame of the window.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eframe::egui::{self, Ui};
use pliant_gpu::Gpu;
use pliant_render::Camera;
use pliant_session::player::{Order, Status};
use pliant_session::{Command, Fields};
use pliant_sim::scene::{Action as Scripted, ActionKind, Live, PictureColour, World};
use pliant_sim::{Backend, Scene};

use crate::engine::{Opened, Opening, Runs};
use crate::inside::{Histogram, Inside};
use crate::layout::Layout;
use crate::log::{Grade, Log};
use crate::look::{CutPlane, Look};
use crate::open::{OpenError, Source};
use crate::panels::files::Files;
use crate::panels::notice::Notice;
use crate::panels::parameters::Parameter;
use crate::panels::phone::Page;
use crate::panels::{ParameterGroup, banner, desktop, help, info, notice, phone};
use crate::places::Places;
use crate::record::Recorder;
use crate::tools::{Hand, Tool};
use crate::viewport::{Screen, Viewport, Walk};
use crate::{colours, fonts, keys};

/// Whatever a key, a menu or a button asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Start or stop the clock.
    PlayOrPause,
    /// One step.
    Step,
    /// Back to the start.
    Reset,
    /// Back to a step.
    Rewind(u64),
    /// So many simulated seconds per second.
    Speed(f64),
    /// Drag instead of push, or the other way round.
    OtherTool,
    /// Colours by force, or by body.
    ForceColours,
    /// Floor and walls.
    World,
    /// Grid and axes.
    Grid,
    /// Shadows.
    Shadow,
    /// Readings over the picture.
    Info,
    /// Edges.
    Wireframe,
    /// Vertices.
    Vertices,
    /// Cut open.
    Cut,
    /// See everything.
    FrameScene,
    /// A step of the camera.
    Walk(Walk),
    /// The parameters of small windows.
    Drawer,
    /// The list of keys.
    Help,
    /// Make a parameter smaller.
    Less(Parameter),
    /// Make it larger.
    More(Parameter),
    /// Ask for a file to open.
    ShowOpen,
    /// Open a built-in scene, by its number.
    OpenDemo(usize),
    /// Open a file.
    OpenFile(PathBuf),
    /// Open what was offered instead of what failed.
    OpenInstead,
    /// Tell that something cannot be opened.
    #[cfg(target_arch = "wasm32")]
    Fail(String),
    /// Write the scene with its present parameters.
    SaveScene,
    /// Write the whole state.
    SaveCheckpoint,
    /// Write the picture.
    SavePicture,
    /// Put a link to the present into the address line and the clipboard.
    #[cfg(target_arch = "wasm32")]
    ShowLink,
    /// Write the visible surface as a mesh (OBJ).
    SaveMesh,
    /// Write the visible surface for viewers and other programs (GLB).
    SaveGlb,
    /// End the scale of colours at what there is now.
    FitRange,
    /// Count the values that are shown, for their histogram.
    CountValues,
    /// Begin or end a film.
    Record,
    /// Take a shorter timestep and go on from a moment before it came apart.
    TakeTimestep {
        /// Of a substep \[s\].
        timestep: f64,
        /// The moment's step.
        from: u64,
    },
    /// Forget what went wrong.
    Dismiss,
    /// Take away what is said about how things run here.
    CloseNotice,
    /// End the program.
    Quit,
}

/// The whole interface. Draw it with [`Studio::show`] in every frame of a window.
pub struct Studio {
    runs: Runs,
    pub(crate) opened: Option<Box<Opened>>,
    pub(crate) opening: Option<Opening>,
    /// The scene as the user has changed it.
    pub(crate) draft: Scene,
    pub(crate) look: Look,
    pub(crate) histogram: Histogram,
    pub(crate) hand: Hand,
    pub(crate) viewport: Viewport,
    pub(crate) screen: Option<Screen>,
    pub(crate) log: Log,
    pub(crate) places: Places,
    pub(crate) files: Files,
    pub(crate) recorder: Recorder,
    pub(crate) failure: Option<OpenError>,
    /// How things run here, where that is not as usual.
    pub(crate) notice: Option<Notice>,
    /// Where the camera goes in the scene that is being opened, if not where it shows all.
    wanted_camera: Option<Camera>,
    /// The window that is told when there is something new; it may be replaced.
    window: Arc<Mutex<egui::Context>>,
    /// What waits until the bodies are on the host.
    waiting: Vec<Action>,
    pub(crate) layout: Layout,
    pub(crate) panes: Panes,
    /// Those of windows of another size.
    other_panes: Panes,
    /// The body that was clicked last, and whether that was just now.
    pub(crate) selected: Option<usize>,
    pub(crate) revealed: Option<usize>,
    /// Asked for a close by the user.
    pub(crate) wants_to_quit: bool,
}

/// Which parts of the interface are open.
pub(crate) struct Panes {
    pub help: bool,
    pub info: bool,
    pub messages: bool,
    pub plots: bool,
    pub timeline: bool,
    /// What the drawer of a small window shows.
    pub drawer: Option<Page>,
    /// What it showed last of the parameters.
    pub part: ParameterGroup,
}

impl Default for Panes {
    fn default() -> Self {
        Self {
            help: false,
            info: true,
            messages: false,
            plots: true,
            timeline: true,
            drawer: None,
            part: ParameterGroup::default(),
        }
    }
}

impl Panes {
    /// Nothing but the picture, until it is asked for.
    fn of_small_windows() -> Self {
        Self { info: false, plots: false, timeline: false, ..Self::default() }
    }
}

impl Studio {
    /// A studio that opens `source` first. Without a screen it works all the same, but shows no picture.
    pub fn new(source: Source, runs: Runs, screen: Option<Screen>, ctx: &egui::Context) -> Self {
        let mut studio = Self {
            runs,
            opened: None,
            opening: None,
            draft: Scene::default(),
            look: Look::default(),
            histogram: Histogram::default(),
            hand: Hand::default(),
            viewport: Viewport::default(),
            screen,
            log: Log::default(),
            places: Places::default(),
            files: Files::default(),
            recorder: Recorder::default(),
            failure: None,
            notice: None,
            wanted_camera: None,
            window: Arc::new(Mutex::new(ctx.clone())),
            waiting: Vec::new(),
            layout: Layout::Desktop,
            panes: Panes::default(),
            other_panes: Panes::of_small_windows(),
            selected: None,
            revealed: None,
            wants_to_quit: false,
        };
        style(ctx);
        studio.open(source, ctx);
        studio
    }

    /// Saves files into another folder from now on.
    pub fn save_into(&mut self, folder: PathBuf) {
        self.files.save_into(folder);
    }

    /// Begins to open something; what is open stays until that is ready.
    pub fn open(&mut self, source: Source, ctx: &egui::Context) {
        let window = self.window.clone();
        let wake = move || window.lock().unwrap_or_else(PoisonError::into_inner).request_repaint();
        (self.failure, self.wanted_camera) = (None, None);
        self.opening = Some(Opening::start(source, self.backend(), wake));
        ctx.request_repaint();
    }

    /// As [`Studio::open`], to be looked at from somewhere.
    pub fn open_seen_from(&mut self, source: Source, camera: Option<Camera>, ctx: &egui::Context) {
        self.open(source, ctx);
        self.wanted_camera = camera;
    }

    /// Draws on another screen from now on, in another window; simulations go on.
    pub fn set_screen(&mut self, screen: Option<Screen>, ctx: &egui::Context) {
        style(ctx);
        *self.window.lock().unwrap_or_else(PoisonError::into_inner) = ctx.clone();
        self.viewport.forget_picture();
        self.screen = screen;
        // Even if the clock stands still there must be a new frame: the latest may be on a lost device.
        self.order(Order::Show(Fields::default()));
        self.send_fields();
    }

    /// The device that draws, if one does.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.screen.as_ref().and_then(Screen::gpu)
    }

    /// Says over the picture how things run here; nothing if they run as usual.
    pub fn set_notice(&mut self, notice: Option<Notice>) {
        if let Some(notice) = &notice {
            self.log.add(Grade::Warning, notice.text.clone());
        }
        self.notice = notice;
    }

    fn backend(&self) -> Backend {
        match (&self.runs, self.gpu()) {
            (Runs::On(backend), _) => backend.clone(),
            (Runs::WindowGpu, Some(gpu)) => Backend::Device(gpu.clone()),
            (Runs::Auto, Some(gpu)) if !gpu.adapter().is_software() => Backend::Device(gpu.clone()),
            // All cores, but for those that the window or other programs need just then.
            _ => Backend::cpu(),
        }
    }

    /// How the simulation stands.
    pub(crate) fn status(&self) -> Status {
        self.opened.as_ref().map_or_else(Status::default, |o| o.controls.status())
    }

    /// Draws everything and follows what the user does.
    pub fn show(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.places.clear();
        self.take_what_is_ready();
        let mut actions = keys::pressed(&ctx);
        actions.extend(self.dropped_files(&ctx));
        let status = self.status();
        self.follow_scripts(&status);
        self.show_panels(ui, &status, &mut actions);
        for action in actions {
            if !self.put_off(&action) {
                self.act(action, &ctx);
            }
        }
        self.catch_up(&ctx);
        self.advance_recording();
    }

    fn show_panels(&mut self, ui: &mut Ui, status: &Status, actions: &mut Vec<Action>) {
        self.fit(ui.ctx());
        match self.layout {
            Layout::Desktop => desktop::show(ui, self, status, actions),
            Layout::Upright | Layout::Sideways => phone::show(ui, self, status, actions),
        }
        let middle = egui::CentralPanel::default().frame(egui::Frame::NONE);
        middle.show(ui, |ui| self.show_middle(ui, status, actions));
        if self.panes.help {
            help::show(ui.ctx(), &mut self.panes.help);
        }
        if let Some(action) = self.files.show(ui.ctx(), &mut self.places) {
            actions.push(action);
        }
    }

    /// Takes the arrangement that suits the window; each remembers what is open in it.
    fn fit(&mut self, ctx: &egui::Context) {
        let layout = Layout::of(ctx);
        if layout == self.layout {
            return;
        }
        if layout.is_small() != self.layout.is_small() {
            std::mem::swap(&mut self.panes, &mut self.other_panes);
        }
        layout.set_sizes(ctx);
        self.layout = layout;
    }

    fn show_middle(&mut self, ui: &mut Ui, status: &Status, actions: &mut Vec<Action>) {
        let area = ui.max_rect();
        if let Some(opened) = &mut self.opened {
            self.viewport.show(ui, self.screen.as_mut(), opened, &self.look, &self.hand);
            self.revealed = self.viewport.picked.take();
            self.selected = self.revealed.or(self.selected);
            if self.viewport.is_clicked {
                self.panes.drawer = None;
            }
        }
        self.places.note_rect("viewport", area);
        if self.panes.info {
            info::show(ui, area, self, status);
        }
        if !self.layout.is_small() {
            info::show_hint(ui, area, &self.hand);
        }
        notice::show(ui, area, self, actions);
        banner::show(ui, area, self, status, actions);
    }

    /// Takes over a simulation that has been opened, and what was told.
    fn take_what_is_ready(&mut self) {
        if let Some(outcome) = self.opening.as_ref().and_then(Opening::poll) {
            self.opening = None;
            match outcome {
                Ok(opened) => self.take_over(opened),
                Err(error) => self.fail(error),
            }
        }
        if let Some(opened) = &self.opened {
            for message in opened.messages() {
                self.log.add_message(&message);
            }
        }
        if self.panes.messages {
            self.log.unread = 0;
        }
    }

    fn take_over(&mut self, opened: Box<Opened>) {
        self.recorder.stop();
        self.viewport.let_go();
        self.viewport.look_from(self.wanted_camera.take());
        for note in &opened.notes {
            self.log.add(Grade::Note, note.clone());
        }
        self.log.add(Grade::Note, format!("{} is open", opened.source.title()));
        self.hand = Hand { tool: self.hand.tool, ..opened.hand };
        self.draft = opened.scene.clone();
        (self.selected, self.revealed) = (None, None);
        self.opened = Some(opened);
        self.look_as_scene_wants();
        self.send_fields();
        self.order(Order::Play);
    }

    /// What scripted actions change is taken over into the draft, so that an edit does not undo it.
    fn follow_scripts(&mut self, status: &Status) {
        let Some(opened) = &mut self.opened else { return };
        if status.backend.is_empty() || status.world == opened.scene.world {
            return;
        }
        // Only what changed since the last look: the draft may be ahead of the simulation.
        if self.draft.world == opened.scene.world {
            self.draft.world = status.world.clone();
        }
        opened.scene.world = status.world.clone();
    }

    pub(crate) fn order(&self, order: Order) {
        if let Some(opened) = &self.opened {
            opened.order(order);
        }
    }

    /// Lets the simulation take over what was changed. What the user sets stays set: the scene's own
    /// later changes of the same parameters end.
    pub(crate) fn send_draft(&mut self) {
        if let Some(opened) = &self.opened {
            let mine = changed_keys(&opened.scene.world, &self.draft.world);
            let is_mine = |a: &Scripted| match &a.kind {
                ActionKind::Set(set) => Live::find(&set.key).is_some_and(|l| mine.contains(&l.key)),
                _ => false,
            };
            let count = self.draft.actions.len();
            self.draft.actions.retain(|a| !is_mine(a));
            if self.draft.actions.len() < count {
                let keys = mine.join(", ");
                self.log.add(Grade::Note, format!("the scene no longer changes {keys} by itself"));
            }
        }
        match self.draft.validate() {
            Ok(_) => self.order(Order::Edit(Box::new(self.draft.clone()))),
            Err(error) => self.log.add(Grade::Warning, error.to_string()),
        }
    }

    /// Asks for what the colours need.
    pub(crate) fn send_fields(&mut self) {
        let Some(opened) = &mut self.opened else { return };
        let colour = self.look.colour.clone();
        // Without values there is nothing to see inside.
        self.look.inside.is_on &= colour.has_values();
        opened.painter.set_colouring(colour.clone(), opened.colouring(&colour));
        opened.painter.set_contacts(self.look.contacts);
        opened.painter.set_wind(self.look.wind);
        opened.painter.set_cages(self.look.cages);
        let fields: Fields = opened.painter.fields();
        // Files are made of what is on the host, and so are films where nobody may wait for a device.
        let is_filmed_here = cfg!(target_arch = "wasm32") && self.recorder.is_recording();
        let is_wanted_here = is_filmed_here || !self.waiting.is_empty();
        let draws_there = self.screen.as_ref().and_then(Screen::gpu).is_some();
        let quantity = opened.painter.quantity().filter(|_| draws_there && !is_wanted_here);
        opened.order(match quantity {
            Some(quantity) => Order::ShowOnDevice(quantity, fields),
            None => Order::Show(fields),
        });
    }

    /// Looks into the bodies of a scene that was opened if it wants that; else as before, as far as
    /// the scene has it.
    fn look_as_scene_wants(&mut self) {
        self.histogram.forget();
        let Some(opened) = &mut self.opened else { return };
        let (look, picture) = (&mut self.look, &opened.scene.output.picture);
        if let Some(wish) = &picture.volume {
            look.inside = Inside::of_scene(wish, opened.bounds);
            look.colour = opened.painter.colour().clone();
            let colouring = opened.painter.view.colouring.clone();
            opened.set_colouring(look.colour.clone(), colouring);
        }
        if let PictureColour::Field(name) = &look.colour
            && !opened.fields.contains(name)
        {
            (look.colour, look.inside.is_on) = (PictureColour::Body, false);
        }
    }

    /// Begins or ends to show the inside: of values, if colours showed none.
    pub(crate) fn show_inside(&mut self, is_on: bool) {
        self.look.inside.is_on = is_on;
        let Some(opened) = self.opened.as_ref().filter(|_| is_on) else {
            return self.send_fields();
        };
        if !self.look.colour.has_values() {
            let field = opened.fields.first().cloned().map(PictureColour::Field);
            self.look.colour = field.unwrap_or(PictureColour::Stress);
        }
        self.send_fields();
    }

    /// Puts off what needs the bodies here, if they are only on a device. Returns whether it was put off.
    fn put_off(&mut self, action: &Action) -> bool {
        let needs = match action {
            // A browser's tab cannot wait for the picture of a device.
            Action::SavePicture => cfg!(target_arch = "wasm32"),
            Action::SaveMesh | Action::SaveGlb | Action::FitRange | Action::CountValues => true,
            _ => false,
        };
        let is_here = self.opened.as_ref().is_none_or(|o| o.frame_here().is_some());
        if needs && !is_here && !self.waiting.contains(action) {
            self.waiting.push(action.clone());
            self.send_fields();
        }
        needs && !is_here
    }

    /// Does what was put off, once the bodies are here.
    fn catch_up(&mut self, ctx: &egui::Context) {
        let is_here = self.opened.as_ref().is_some_and(|o| o.frame_here().is_some());
        if is_here && !self.waiting.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            waiting.into_iter().for_each(|action| self.act(action, ctx));
            self.send_fields();
        }
    }

    /// Ends the scale of colours at what there is now.
    fn fit_range(&mut self) {
        let Some(opened) = &mut self.opened else { return };
        if let Some(frame) = opened.frame_here() {
            opened.painter.fit_range(&frame);
            let colouring = opened.painter.view.colouring.clone();
            opened.set_colouring(self.look.colour.clone(), colouring);
        }
    }

    fn dropped_files(&mut self, ctx: &egui::Context) -> Option<Action> {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        if dropped.is_empty() { None } else { self.files.take_dropped(&dropped, ctx) }
    }

    /// Tells what cannot be opened, where nobody overlooks it.
    pub(crate) fn fail(&mut self, error: OpenError) {
        self.log.add(Grade::Error, error.message.clone());
        self.failure = Some(error);
    }

    /// Does what was asked for.
    pub(crate) fn act(&mut self, action: Action, ctx: &egui::Context) {
        match action {
            Action::PlayOrPause => {
                let play = !self.status().is_playing;
                self.order(if play { Order::Play } else { Order::Pause });
            }
            Action::Step => self.order(Order::Step(1)),
            Action::Reset => self.order(Order::Reset),
            Action::Rewind(step) => self.order(Order::Rewind(step)),
            Action::Speed(factor) => self.order(Order::Speed(factor)),
            Action::OtherTool => {
                self.hand.tool = if self.hand.tool == Tool::Drag { Tool::Push } else { Tool::Drag };
            }
            Action::ForceColours => {
                let is_force = self.look.colour == PictureColour::Force;
                self.look.colour =
                    if is_force { PictureColour::Body } else { PictureColour::Force };
                self.send_fields();
            }
            Action::World => self.look.world ^= true,
            Action::Grid => self.look.grid ^= true,
            Action::Shadow => self.look.shadow ^= true,
            Action::Info => self.panes.info ^= true,
            Action::Wireframe => self.look.wireframe ^= true,
            Action::Vertices => self.look.vertices ^= true,
            Action::Cut => {
                self.look.cut = self.look.cut.is_none().then(CutPlane::default);
            }
            Action::FrameScene => self.viewport.frame_scene(),
            Action::Walk(step) => self.viewport.walk(step),
            Action::Drawer => {
                let parameters = Page::ParameterGroup(self.panes.part);
                let is_open = self.panes.drawer == Some(parameters);
                self.panes.drawer = (self.layout.is_small() && !is_open).then_some(parameters);
            }
            Action::Help => self.panes.help ^= true,
            Action::Less(parameter) => self.change(parameter, false),
            Action::More(parameter) => self.change(parameter, true),
            Action::ShowOpen => self.files.ask_to_open(ctx),
            Action::OpenDemo(index) => {
                if let Some(demo) = pliant_scenes::ALL.get(index) {
                    self.open(Source::Demo(demo), ctx);
                }
            }
            Action::OpenFile(path) => self.open(Source::File(path), ctx),
            Action::OpenInstead => {
                if let Some(source) = self.failure.take().and_then(|f| f.instead) {
                    self.open(source, ctx);
                }
            }
            #[cfg(target_arch = "wasm32")]
            Action::Fail(message) => self.fail(OpenError { message, instead: None }),
            Action::SaveScene => self.save_scene(),
            Action::SaveCheckpoint => {
                let path = self.files.place_for(&self.name(), "pliant");
                self.order(Order::SaveCheckpoint(path));
                // It is told as a message, which does not wake anybody.
                ctx.request_repaint_after(Duration::from_millis(200));
            }
            Action::SavePicture => self.save_picture(),
            #[cfg(target_arch = "wasm32")]
            Action::ShowLink => self.show_link(ctx),
            Action::SaveMesh => self.save_mesh("obj"),
            Action::SaveGlb => self.save_mesh("glb"),
            Action::FitRange => self.fit_range(),
            Action::CountValues => {
                if let Some(opened) = &self.opened {
                    self.histogram.count(opened);
                }
            }
            Action::Record => self.record_or_stop(),
            Action::TakeTimestep { timestep, from } => {
                self.order(Order::Rewind(from));
                self.draft.world.timestep = timestep * f64::from(self.draft.world.substeps.max(1));
                self.send_draft();
                self.order(Order::Play);
            }
            Action::Dismiss => self.failure = None,
            Action::CloseNotice => self.notice = None,
            Action::Quit => self.wants_to_quit = true,
        }
    }

    fn change(&mut self, parameter: Parameter, is_more: bool) {
        if parameter.change(is_more, &mut self.draft, &mut self.hand) {
            self.send_draft();
        }
    }

    /// Lets go of everything, at the end.
    pub fn finish(&mut self) {
        self.recorder.finish();
        self.order(Order::Session(Command::Stop));
        self.opened = None;
    }
}

/// The live parameters in which two worlds differ.
fn changed_keys(a: &World, b: &World) -> Vec<&'static str> {
    let changed = Live::ALL.iter().filter(|live| live.get(a) != live.get(b));
    changed.map(|live| live.key).collect()
}

fn style(ctx: &egui::Context) {
    ctx.set_fonts(fonts::definitions());
    ctx.set_theme(egui::ThemePreference::Light);
    colours::set(ctx);
    Layout::Desktop.set_sizes(ctx);
}
