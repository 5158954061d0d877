//! Serving the page to a person.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};

use crate::job::Job;
use crate::{setup, Failure, Outcome};

/// The port unless told.
pub const DEFAULT_PORT: u16 = 8080;

/// Where the served page is built: not in `dist/`, since trunk adds a script to it that
/// loads it anew after a change, which no page that is hosted should have.
const FOLDER: &str = "target/serve";

/// Builds the page as for release and serves it until Ctrl-C.
pub fn serve(port: u16) -> Outcome {
    must_be_free(port)?;
    let wasm = setup::for_page()?;
    println!(
        "\nLockstep will answer on http://127.0.0.1:{port}/ once it is built; Ctrl-C ends it.\n"
    );
    let port = port.to_string();
    let job = Job::new("trunk")?
        .args(["serve", "--release", "--address", "127.0.0.1", "--port", &port, "--dist", FOLDER])
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        .env("RUST_BACKTRACE", "0");
    wasm.applied(job).instead_of_us()
}

fn must_be_free(port: u16) -> Outcome {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Err(Failure(format!(
            "port {port} is in use by another program: end it, or choose another port, say \
             `cargo xtask serve --port {}`",
            port.checked_add(1).unwrap_or(DEFAULT_PORT)
        ))),
        Err(error) => Err(Failure(format!("port {port} cannot be used: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_port_in_use_is_refused_with_advice() {
        let holder = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = holder.local_addr().unwrap().port();
        let why = must_be_free(port).unwrap_err().0;
        assert!(why.contains(&format!("port {port} is in use")) && why.contains("--port"), "{why}");
        drop(holder);
        // A program that another test starts just now has the socket too until it is loaded.
        let is_free = (0..100).any(|_| {
            thread::sleep(Duration::from_millis(20));
            must_be_free(port).is_ok()
        });
        assert!(is_free);
    }
}
