//! The simulation, beside the window.
//!
//! Opening reads and compiles beside the window too; until it is ready the old simulation goes on.
//! What "beside" means is the platform's affair: a thread, or the pauses between the events of a page.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;

use pliant_render::{Bounds, Camera, Colouring};
use pliant_session::pictures::{Painter, scale, shot};
use pliant_session::player::{Controls, Order, Player};
use pliant_session::{Frame, Message};
use pliant_sim::scene::{Picture, PictureColour};
use pliant_sim::{Backend, Scene, Simulator};

use crate::open::{OpenError, Source, open};
use crate::tools::Hand;

#[cfg(target_arch = "wasm32")]
#[path = "engine/tasks.rs"]
mod platform;
#[cfg(not(target_arch = "wasm32"))]
#[path = "engine/threads.rs"]
mod platform;

#[cfg(target_arch = "wasm32")]
pub use platform::sleep;

/// The longest that a stretch of steps keeps orders waiting, unless a single step takes longer.
const BUDGET: Duration = Duration::from_millis(6);

/// Where simulations run.
#[derive(Clone, Debug)]
pub enum Runs {
    /// On the window's GPU if that is hardware, else on the CPU.
    Auto,
    /// On the window's GPU, whatever it is.
    WindowGpu,
    /// Here.
    On(Backend),
}

/// A simulation that was opened, as the window knows it.
pub struct Opened {
    /// Its end of the line.
    pub controls: Controls,
    /// Where it came from.
    pub source: Source,
    /// The scene, as it was opened.
    pub scene: Scene,
    /// Draws its frames.
    pub painter: Painter,
    /// Colours of all kinds, in ranges that suit the scene.
    pub colourings: Vec<(PictureColour, Colouring)>,
    /// Names of what its mesh files brought along.
    pub fields: Vec<String>,
    /// A hand that suits it.
    pub hand: Hand,
    /// Where to look from, for a picture of any shape.
    pub camera: Box<dyn Fn(f64) -> Camera + Send>,
    /// The box round all bodies at the start \[m\].
    pub bounds: Bounds,
    /// The box round all that is likely to be seen \[m\].
    pub expected: Bounds,
    /// Bodies, by name, with the sizes that are shown.
    pub bodies: Vec<BodyFacts>,
    /// What was decided on the way.
    pub notes: Vec<String>,
}

/// What is shown of a body in the scene's tree.
#[derive(Clone, Debug)]
pub struct BodyFacts {
    /// Its name.
    pub name: String,
    /// Its number in the scene, which may have copies.
    pub in_scene: usize,
    /// Vertices.
    pub vertices: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// Triangles of its surface.
    pub triangles: usize,
    /// Vertices that are held.
    pub locked: usize,
    /// Mass \[kg\].
    pub mass: f64,
}

/// A simulation that is on its way.
pub struct Opening {
    /// What is opened.
    pub source: Source,
    answer: Receiver<Result<Box<Opened>, OpenError>>,
}

impl Opening {
    /// Begins to open `source`. `wake` is called whenever there is something new to see.
    pub fn start(source: Source, backend: Backend, wake: impl Fn() + Send + 'static) -> Self {
        let (send, answer) = mpsc::channel();
        let (what, tell) = (source.clone(), send.clone());
        let spawned = platform::spawn(move || open_and_play(what, backend, tell, wake));
        if let Err(problem) = spawned {
            let message = format!("{}: {problem}", source.title());
            let _ = send.send(Err(OpenError { message, instead: None }));
        }
        Self { source, answer }
    }

    /// The outcome, once there is one.
    pub fn poll(&self) -> Option<Result<Box<Opened>, OpenError>> {
        match self.answer.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            // The thread ended without an answer, so it panicked: a mistake of ours.
            Err(TryRecvError::Disconnected) => Some(Err(OpenError {
                message: format!(
                    "{}: opening it failed by a mistake in Pliant; please report it with the file",
                    self.source.title()
                ),
                instead: None,
            })),
        }
    }
}

/// Opens a source, tells whoever waits for it, and plays it to its end.
async fn open_and_play(
    source: Source,
    backend: Backend,
    answer: Sender<Result<Box<Opened>, OpenError>>,
    wake: impl Fn(),
) {
    platform::breathe().await;
    let (player, outcome) = match open(&source, backend.clone()) {
        Ok((mut session, notes)) => {
            session.simulator_mut().mirror_in_browser().await;
            session.check_timestep();
            let describe = describe(session.simulator(), source, notes);
            let player = Player::new_async(session, backend).await;
            let opened = describe(player.controls());
            (Some(player), Ok(Box::new(opened)))
        }
        Err(error) => (None, Err(error)),
    };
    let is_awaited = answer.send(outcome).is_ok();
    // Whoever waits sees the end if this one panics.
    drop(answer);
    wake();
    if let Some(player) = player.filter(|_| is_awaited) {
        play(player, &wake).await;
    }
}

/// Ticks a player until nobody watches any more.
async fn play(mut player: Player, wake: &dyn Fn()) {
    let controls = player.controls();
    let mut shown = None;
    while !player.is_over() {
        let rest = platform::tick(&mut player, BUDGET).await;
        let latest = controls.frame().as_ref().map(Arc::as_ptr);
        if latest != shown {
            shown = latest;
            wake();
        }
        platform::rest(&controls, rest).await;
    }
}

/// All that a window needs to know, as soon as there are controls.
fn describe(
    sim: &Simulator,
    source: Source,
    notes: Vec<String>,
) -> impl FnOnce(Controls) -> Opened + use<> {
    let picture = |colour| Picture { colour, ..sim.scene().output.picture.clone() };
    let painter = Painter::new(sim, &sim.scene().output.picture);
    let colouring = |c: PictureColour| {
        let picture = Picture { range: None, ..picture(c.clone()) };
        (c, scale::colouring(sim, &picture))
    };
    let fields: Vec<String> = sim.model().field_names().into_iter().map(str::to_owned).collect();
    let own = fields.iter().cloned().map(PictureColour::Field);
    let colourings = PictureColour::ALL.into_iter().chain(own).map(colouring).collect();
    let nothing = Bounds { min: [-1.0; 3], max: [1.0; 3] };
    let bounds = shot::start_bounds(sim).unwrap_or(nothing);
    let expected = shot::expected_bounds(sim).unwrap_or(nothing);
    let to_show = shot::bounds_to_show(sim).unwrap_or(nothing);
    let wish = Picture { colour: PictureColour::Body, ..sim.scene().output.picture.clone() };
    let meant = f64::from(wish.size[0]) / f64::from(wish.size[1]);
    let camera = move |aspect: f64| {
        let size = [(1000.0 * aspect).clamp(100.0, 10_000.0) as u32, 1000];
        let mut camera = shot::framing(to_show, &Picture { size, ..wish.clone() });
        // Placed by the scene, it suits the shape of its pictures: in a narrower window it steps back.
        if shot::placed(&wish.camera).is_some() && aspect < meant {
            camera.zoom(aspect / meant);
        }
        camera
    };
    let (scene, hand, bodies) = (sim.scene().clone(), Hand::for_scene(sim), facts(sim));
    move |controls| Opened {
        controls,
        source,
        scene,
        painter,
        colourings,
        fields,
        hand,
        camera: Box::new(camera),
        bounds,
        expected,
        bodies,
        notes,
    }
}

fn facts(sim: &Simulator) -> Vec<BodyFacts> {
    let model = sim.model();
    let in_scene = sim.scene().bodies.iter().enumerate();
    let numbers: Vec<usize> =
        in_scene.flat_map(|(i, body)| std::iter::repeat_n(i, body.offsets().len())).collect();
    let fact = |(i, body): (usize, &pliant_sim::model::BodyModel)| {
        let vertices = body.vertices.start as usize..body.vertices.end as usize;
        BodyFacts {
            name: body.name.clone(),
            in_scene: numbers.get(i).copied().unwrap_or(0),
            vertices: vertices.len(),
            tets: body.tets.len(),
            triangles: body.triangles.len(),
            locked: model.inv_mass[vertices.clone()].iter().filter(|&&w| w == 0.0).count(),
            mass: model.mass[vertices].iter().map(|&m| f64::from(m)).sum(),
        }
    };
    model.bodies.iter().enumerate().map(fact).collect()
}

impl Opened {
    /// Sends an order.
    pub fn order(&self, order: Order) {
        self.controls.send(order);
    }

    /// The colours of a kind.
    pub fn colouring(&self, colour: &PictureColour) -> Colouring {
        let found = self.colourings.iter().find(|(c, _)| c == colour);
        found.map_or(Colouring::Body, |(_, colouring)| colouring.clone())
    }

    /// Gives colours of a kind another range.
    pub fn set_colouring(&mut self, colour: PictureColour, colouring: Colouring) {
        self.colourings.retain(|(c, _)| *c != colour);
        self.colourings.push((colour, colouring));
    }

    /// The latest frame, if its bodies are here and not only on a device.
    pub fn frame_here(&self) -> Option<Arc<Frame>> {
        self.controls.frame().filter(|f| !f.positions.is_empty())
    }

    /// What was told since the last call.
    pub fn messages(&self) -> Vec<Message> {
        self.controls.messages()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.controls.quit();
    }
}
