//! What `--help` prints.

use crate::{Failure, Outcome};

/// The list of commands.
pub const GENERAL: &str = "\
Usage: cargo xtask COMMAND

  setup            bring every missing tool; a second call takes about a second
  serve [--port N] serve the page on http://127.0.0.1:8080, built as for release
  build            build the page into dist/ and print its sizes
  test             run every check and test there is
  test --quick     run the native part of it: seconds, once built
  e2e [ARGS...]    run the browser tests against dist/ as it is
  bench            measure the core natively and in Chromium, and the page's size
  animation        record the README's animation from dist/ as it is
  soak [--minutes N] play random runs with fresh seeds, for 10 minutes unless told
  env              print the shell lines with which plain trunk and cargo build the page

`cargo xtask COMMAND --help` tells more about one of them.";

const SETUP: &str = "\
Usage: cargo xtask setup

Brings what is missing and leaves alone what is there:
  - the standard library for wasm32, by rustup; where rustup cannot, Debian's
    compiler of the rustc-web package, whose library is then built once
  - trunk and wasm-bindgen, by `cargo install`
  - wasm-opt, Playwright and axe, by npm, into the user's cache folder
  - Chromium and ChromeDriver, by apt where there is one and it may be used

All of it belongs to the user, not to this clone: a second clone finds it ready.
What it may not install itself, it names, and stops.";

const SERVE: &str = "\
Usage: cargo xtask serve [--port N]

Sets up what is missing, builds the page as for release, serves it on
http://127.0.0.1:N (8080 unless told), and builds it anew whenever a source file
changes. Ctrl-C ends it.";

const BUILD: &str = "\
Usage: cargo xtask build

Sets up what is missing, builds the page as for release into dist/ and prints the
size of its files: as they are, by gzip and by Brotli. All addresses in dist/ are
relative: any web server can hand the folder out under any path.";

const TEST: &str = "\
Usage: cargo xtask test [--quick]

Sets up what is missing, then runs in this order: formatting, lints native and for
wasm32, native tests with those in the documentation, the documentation itself,
wasm tests in Chromium, the release build, and browser tests against what it built.
A failure does not stop the rest. The last line counts them all, and the exit code
is 0 only if none failed.

  --quick  only formatting, native lints and native tests; sets nothing up";

const E2E: &str = "\
Usage: cargo xtask e2e [ARGS...]

Serves dist/ as it is and runs the browser tests of tests/e2e against it. ARGS go
to `playwright test`: a part of a file's name, `-g \"title\"`, `--headed`.";

const BENCH: &str = "\
Usage: cargo xtask bench [--against COMMIT]

Measures the core natively, then the same in Chromium on the page built as for
release, then the page itself (frames beside a floor, steps, seeks, opening, heap),
then prints the size of the page's files.

  --against COMMIT  only the core, natively, in turn with the core of an earlier
                    commit, and the ratio of the two";

const ANIMATION: &str = "\
Usage: cargo xtask animation

Plays the first lesson of dist/ as it is in Chromium, records what the browser
shows and writes docs/pictures/playing.gif. On a busy machine the browser shows
fewer frames: look at the file before you keep it.";

const SOAK: &str = "\
Usage: cargo xtask soak [--minutes N]

Plays random runs for N minutes (10 unless told): random consumer groups, loads and
faults on both stacks, checked after every event. Each seed is new; the tests say
how many runs they have done and with which seed. A run that fails is shrunk,
printed as a scenario and written to a file, whose path is printed as well.
`LOCKSTEP_RANDOM_SEED=N cargo test --test random` repeats the runs of a seed. The
same runs from a fixed seed, 1 000 of them, are part of `cargo xtask test`.";

const ENV: &str = "\
Usage: eval \"$(cargo xtask env)\"

Prints the shell lines with which `trunk serve`, `trunk build --release` and
`cargo clippy --target wasm32-unknown-unknown` work by hand in this shell.";

/// The text for one command.
pub fn of(command: &str) -> Outcome<&'static str> {
    match command {
        "setup" => Ok(SETUP),
        "serve" => Ok(SERVE),
        "build" => Ok(BUILD),
        "test" => Ok(TEST),
        "e2e" => Ok(E2E),
        "bench" => Ok(BENCH),
        "animation" => Ok(ANIMATION),
        "soak" => Ok(SOAK),
        "env" => Ok(ENV),
        "help" | "--help" | "-h" => Ok(GENERAL),
        _ => Err(Failure(format!("there is no command `{command}`\n\n{GENERAL}"))),
    }
}
