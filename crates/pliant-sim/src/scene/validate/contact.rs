//! Whether what bodies say about contact makes sense.

use std::collections::BTreeSet;

use super::Check;
use crate::scene::{Body, BodyContact, ContactFilter, hints};

impl Check {
    pub(super) fn contact_of_bodies(&mut self, bodies: &[Body]) {
        let contacts = bodies.iter().filter_map(|body| body.contact.as_ref());
        let groups = contacts.flat_map(|contact| &contact.groups);
        let names = bodies.iter().map(|body| &body.name).chain(groups);
        let known: BTreeSet<&str> =
            names.map(String::as_str).filter(|name| !name.is_empty()).collect();
        for (i, body) in bodies.iter().enumerate() {
            if let Some(contact) = &body.contact {
                self.contact_of_body(&format!("bodies[{i}].contact"), contact, &known);
            }
        }
        let ignored = ContactFilter::names(bodies).len();
        if ignored > BodyContact::MOST_IGNORED {
            let most = BodyContact::MOST_IGNORED;
            self.fail(
                "bodies",
                format!("bodies ignore {ignored} names together, more than {most}"),
                "give bodies that are ignored by the same others a common name in `contact.groups`",
            );
        }
    }

    fn contact_of_body(&mut self, path: &str, contact: &BodyContact, known: &BTreeSet<&str>) {
        if let Some(thickness) = contact.thickness {
            self.positive(&format!("{path}.thickness"), &[thickness], "m");
        }
        if let Some(friction) = contact.friction {
            self.at_least_zero(&format!("{path}.friction"), friction, "");
        }
        for (i, name) in contact.groups.iter().enumerate().filter(|(_, name)| name.is_empty()) {
            self.fail(&format!("{path}.groups[{i}]"), format!("{name:?} is no name"), "");
        }
        for (i, name) in contact.ignores.iter().enumerate() {
            if !known.contains(name.as_str()) {
                let problem = format!("there is no body and no group called {name:?} to ignore");
                let known: Vec<&str> = known.iter().copied().collect();
                let help = hints::suggest(name, &known, "there are");
                self.fail(&format!("{path}.ignores[{i}]"), problem, &help);
            }
        }
    }
}
