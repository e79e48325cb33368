//! The end of a player that its watcher holds.

use std::collections::VecDeque;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::Condvar;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Order, Status};
use crate::{Command, Frame, Message, Remote};

/// The watcher's end of a [`Player`](super::Player). Clones hold the same end; every call returns at
/// once, whatever the player is doing.
#[derive(Clone, Debug)]
pub struct Controls {
    mailbox: Arc<Mailbox>,
    remote: Remote,
}

/// Where orders wait and the status lies. Nobody holds its lock while steps are taken.
#[derive(Debug, Default)]
struct Mailbox {
    mail: Mutex<Mail>,
    #[cfg(not(target_arch = "wasm32"))]
    arrival: Condvar,
}

#[derive(Debug, Default)]
struct Mail {
    orders: VecDeque<Order>,
    status: Status,
    is_over: bool,
}

impl Controls {
    pub(super) fn new(remote: Remote) -> Self {
        Self { mailbox: Arc::default(), remote }
    }

    /// Gives an order, which is followed before the next step. Where only the last of several that wait
    /// counts, as where a hand is led to or how the scene is edited, the earlier ones are dropped.
    pub fn send(&self, order: Order) {
        let mut mail = self.lock();
        drop_what_is_superseded(&mut mail.orders, &order);
        mail.orders.push_back(order);
        drop(mail);
        self.notify();
    }

    /// How the player stands.
    pub fn status(&self) -> Status {
        self.lock().status.clone()
    }

    /// The latest frame.
    pub fn frame(&self) -> Option<Arc<Frame>> {
        self.remote.latest()
    }

    /// Messages since the last call.
    pub fn messages(&self) -> Vec<Message> {
        self.remote.messages()
    }

    /// Ends the player: it follows no more orders and takes no more steps.
    pub fn quit(&self) {
        self.lock().is_over = true;
        self.notify();
    }

    /// Waits until there is an order to follow or the player is to end, at most so long.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait_for_orders(&self, timeout: std::time::Duration) {
        let is_idle = |mail: &mut Mail| mail.orders.is_empty() && !mail.is_over;
        // Whether something came or time is up does not matter to whoever looks anyway.
        let _ = self.mailbox.arrival.wait_timeout_while(self.lock(), timeout, is_idle);
    }

    /// Whether [`Controls::quit`] was called.
    pub fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// All orders that wait.
    pub(super) fn take_orders(&self) -> VecDeque<Order> {
        std::mem::take(&mut self.lock().orders)
    }

    pub(super) fn show(&self, status: Status) {
        // The old one is thrown away after the lock is free again.
        let _old = std::mem::replace(&mut self.lock().status, status);
    }

    fn notify(&self) {
        #[cfg(not(target_arch = "wasm32"))]
        self.mailbox.arrival.notify_all();
    }

    /// A watcher that panicked leaves nothing half done here.
    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.mailbox.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drops the order that `new` makes pointless, if one waits. Only one can: it is looked for whenever
/// one comes.
fn drop_what_is_superseded(orders: &mut VecDeque<Order>, new: &Order) {
    let found = match new {
        Order::Lead { hand, .. } => {
            let is_lead = |o: &&Order| matches!(o, Order::Lead { .. });
            let leads = orders.iter().rev().take_while(is_lead);
            leads.enumerate().find(|(_, o)| matches!(o, Order::Lead { hand: h, .. } if h == hand))
        }
        Order::Edit(_) => {
            let earlier = orders.iter().rev().enumerate();
            earlier.take_while(|(_, o)| !needs_edits_before(o)).find(|(_, o)| is_edit(o))
        }
        _ => None,
    };
    if let Some((from_end, _)) = found {
        orders.remove(orders.len() - 1 - from_end);
    }
}

fn is_edit(order: &Order) -> bool {
    matches!(order, Order::Edit(_))
}

/// Whether it matters to an order that edits that were sent before it are obeyed before it.
fn needs_edits_before(order: &Order) -> bool {
    matches!(
        order,
        Order::Reset
            | Order::Rewind(_)
            | Order::SaveCheckpoint(_)
            | Order::Session(Command::Set { .. } | Command::Reset)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Ray;
    use pliant_sim::scene::Scene;

    fn lead(hand: u32, x: f64) -> Order {
        Order::Lead { hand, ray: Ray { origin: [x, 0.0, 0.0], direction: [0.0, 0.0, 1.0] } }
    }

    fn edit(name: &str) -> Order {
        Order::Edit(Box::new(Scene { name: name.into(), ..Scene::default() }))
    }

    fn waiting(orders: &[Order]) -> Vec<Order> {
        let controls = Controls::new(Remote::default());
        orders.iter().for_each(|order| controls.send(order.clone()));
        controls.take_orders().into()
    }

    #[test]
    fn a_hand_is_led_to_the_last_place_only() {
        let orders = [lead(1, 0.0), lead(2, 0.0), lead(1, 1.0), lead(1, 2.0)];
        assert_eq!(waiting(&orders), [lead(2, 0.0), lead(1, 2.0)]);
        let orders = [lead(1, 0.0), Order::Pause, lead(1, 1.0)];
        assert_eq!(waiting(&orders), orders);
    }

    #[test]
    fn of_several_edits_the_last_counts() {
        assert_eq!(
            waiting(&[edit("a"), Order::Play, edit("b"), lead(1, 0.0), edit("c")]),
            [Order::Play, lead(1, 0.0), edit("c")]
        );
        let orders = [edit("a"), Order::Reset, edit("b")];
        assert_eq!(waiting(&orders), orders, "the reset is to the start of the first");
    }

    #[test]
    fn waiting_ends_with_an_order() {
        let controls = Controls::new(Remote::default());
        let sender = controls.clone();
        let thread = std::thread::spawn(move || sender.send(Order::Play));
        controls.wait_for_orders(std::time::Duration::from_secs(600));
        assert_eq!(controls.take_orders(), [Order::Play]);
        thread.join().unwrap();
        controls.quit();
        controls.wait_for_orders(std::time::Duration::from_secs(600));
        assert!(controls.is_over());
    }
}
