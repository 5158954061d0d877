// The one browser that tests and measurements start: the system's own, never a
// downloaded one, and with nothing that talks to the network by itself.
export const launchOptions = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

// Where the built page answers. `cargo xtask test` serves it below a folder, so
// specs open addresses relative to this one: `page.goto('./')`, never `'/'`.
export const baseURL = process.env.BASE_URL ?? 'http://127.0.0.1:8080/';
