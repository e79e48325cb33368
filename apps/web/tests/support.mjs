// A real browser before the real page, for tests. `cargo xtask test --only web` sets the variables.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { chromium } = createRequire(join(needed('PLIANT_NODE'), 'here'))('playwright-core');

/** The longest that anything may take [ms]: a browser that draws in software is slow. */
export const PATIENCE = 180_000;

/** Where pictures for people go. */
export const SHOTS = needed('PLIANT_SHOTS');

/** Without these Chromium talks to servers of its maker. */
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** WebGPU played by the processor, with a canvas that can be photographed. */
const SOFTWARE_GPU = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
  '--use-angle=swiftshader',
];

/** WebGL alone. */
const NO_GPU = ['--disable-features=WebGPU', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

export function needed(variable) {
  const value = process.env[variable];
  assert.ok(value, `${variable} is not set: run these tests by cargo xtask test --only web`);
  return value;
}

/** Serves the page from a sub-folder, as many hosts do; gives its address and a way to end it. */
async function serve() {
  const options = ['--no-build', '--serve', '0', '--out', needed('PLIANT_SITE')];
  const server = spawn(needed('PLIANT_SERVER'), options, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout })) {
    const found = line.match(/http:\/\/[^/]+\//);
    if (found) {
      return { address: new URL('some/folder/', found[0]).href, end: () => server.kill() };
    }
  }
  throw new Error('the server ended before it began');
}

/** A browser with one tab. */
export class Browser {
  /**
   * `webgpu`: whether it has that, in software; pages then use it although they would rather not. Everything
   * else is Playwright's.
   */
  static async start({ webgpu = true, ...options } = {}) {
    const server = await serve();
    const profile = mkdtempSync(join(tmpdir(), 'pliant-web-'));
    const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: needed('PLIANT_CHROMIUM'),
      headless: true,
      acceptDownloads: true,
      viewport: { width: 760, height: 540 },
      args: [...QUIET, ...root, ...(webgpu ? SOFTWARE_GPU : NO_GPU)],
      ...options,
    });
    context.setDefaultTimeout(PATIENCE);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = context.pages()[0] ?? (await context.newPage());
    return new Browser(server, profile, context, page, webgpu ? '?backend=gpu' : '');
  }

  constructor(server, profile, context, page, query) {
    Object.assign(this, { server, profile, context, page, query });
    /** What must stay empty. */
    this.complaints = [];
    this.expected = [];
    const own = new URL(server.address).origin;
    page.on('console', (message) => {
      if (message.type() === 'error') {
        this.complain(`console: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => this.complain(`exception: ${error.stack ?? error}`));
    page.on('crash', () => this.complain('the tab crashed'));
    context.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== own && protocol !== 'blob:' && protocol !== 'data:') {
        this.complain(`request to ${request.url()}`);
      }
    });
    context.on('requestfailed', (request) => {
      const { errorText } = request.failure();
      // Going away while something is on its way is no failure.
      if (errorText !== 'net::ERR_ABORTED') {
        this.complain(`${errorText} for ${request.url()}`);
      }
    });
  }

  complain(text) {
    if (!this.expected.some((pattern) => pattern.test(text))) {
      this.complaints.push(text);
    }
  }

  /** Lets the page complain of something that the test brings about. */
  expect(pattern) {
    this.expected.push(pattern);
  }

  /** Ends it; fails if anything was complained of. */
  async end() {
    await this.context.close();
    this.server.end();
    rmSync(this.profile, { recursive: true, force: true });
    assert.deepEqual(this.complaints, [], 'no error on the console, no request elsewhere');
  }

  /** Loads the page, with something behind the # perhaps, and on WebGPU if the browser has it. */
  async visit(fragment = '', query = this.query) {
    // A change of the fragment alone would not load it again.
    await this.page.goto('about:blank');
    await this.page.goto(this.server.address + query + fragment);
    await this.when(() => Boolean(window.pliant?.module));
  }

  /** Goes to a place within the page, loading it only if it is not there yet. */
  async go(fragment) {
    const here = await this.page.evaluate(() => Boolean(window.pliant?.module)).catch(() => false);
    if (!here) {
      await this.visit(fragment);
      return;
    }
    await this.page.evaluate((fragment) => {
      if (location.hash === fragment) {
        return null;
      }
      const gone = new Promise((resolve) => {
        addEventListener('hashchange', resolve, { once: true });
      });
      location.hash = fragment;
      return gone.then(() => null);
    }, fragment);
  }

  /** Opens a demo and waits for its picture. */
  async play(demo) {
    await this.go('');
    await this.go(`#demo=${demo}`);
    await this.shown();
    return this.until(`${demo} is shown`, (s) => s.scene === demo);
  }

  /** Opens a scene from the text of its file. */
  async playScene(text) {
    await this.open([{ name: 'scene.toml', buffer: Buffer.from(text) }]);
    return this.shown();
  }

  /** Opens files by the button on the start page. */
  async open(files) {
    await this.go('');
    const typed = files.map((file) => ({ mimeType: 'application/octet-stream', ...file }));
    await this.page.setInputFiles('#files', typed);
    await this.titled(files[0].name);
  }

  /** Waits until something holds in the page; by the clock, since pictures come rarely here. */
  async when(what, argument) {
    await this.page.waitForFunction(what, argument, { polling: 100 });
  }

  /** Waits until the page begins to open something. */
  async titled(name) {
    await this.when((name) => document.title.startsWith(name), name);
  }

  /** Waits until the page has given way to the studio. */
  async shown() {
    await this.when(() => document.getElementById('curtain').hidden);
    return this.until('a scene is shown', (s) => s.title && !s.opening && s.pictures > 2);
  }

  /** What the studio tells about itself. */
  async state() {
    const text = await this.page.evaluate(() => window.pliant.module.telemetry());
    return JSON.parse(text) ?? {};
  }

  /** Waits until `done` holds of what the studio tells. */
  async until(what, done) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const state = await this.state();
      if (done(state)) {
        return state;
      }
      if (Date.now() > end) {
        const { places: _, ...rest } = state;
        assert.fail(`waited in vain until ${what}: ${JSON.stringify(rest, null, 1)}`);
      }
      await this.page.waitForTimeout(50);
    }
  }

  /** The middle of a control, by its name. */
  async place(name) {
    const { places } = await this.until(`${name} is there`, (s) => s.places?.[name]);
    const [left, top, width, height] = places[name];
    return { x: left + width / 2, y: top + height / 2, left, top, width, height };
  }

  /** The same, after the wheel has brought it into sight where its panel is longer than the window. */
  async reach(name) {
    const isWhole = ({ places, visible }) => visible[name]?.[3] >= places[name][3];
    const { x, y } = await this.place(name);
    if (!isWhole(await this.state())) {
      const middle = this.page.viewportSize().height / 2;
      await this.page.mouse.move(x, middle);
      await this.page.mouse.wheel(0, y - middle);
      let last;
      await this.until(`${name} comes into sight and to rest`, (s) => {
        const rests = s.pictures > last?.pictures && s.places[name][1] === last.places[name][1];
        last = s.pictures === last?.pictures ? last : s;
        return rests && isWhole(s);
      });
    }
    return this.place(name);
  }

  /** Presses a control. */
  async click(name) {
    const { x, y } = await this.reach(name);
    await this.page.mouse.move(x, y);
    // A hand rests before it presses. What is pressed before it was drawn under the mouse is not met.
    await this.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await this.page.mouse.down();
    await this.page.mouse.up();
  }

  /** Chooses an entry of the menu *File*. */
  async choose(entry) {
    const isOpen = (s) => Object.keys(s.places).some((name) => name.startsWith('entry '));
    await this.until('no menu is open', (s) => !isOpen(s));
    await this.click('menu file');
    await this.until('the menu is open', isOpen);
    await this.click(`entry ${entry}`);
  }

  /** Where the bodies' centre of mass is on the screen. */
  async bodyPlace() {
    const { camera, center_of_mass: point, places } = await this.state();
    const [left, top, width, height] = places.viewport;
    const [x, y] = project(camera, point);
    return { x: left + width / 2 + (x * height) / 2, y: top + height / 2 - (y * height) / 2 };
  }

  /** Saves what is seen, for people. */
  async photograph(name) {
    return this.page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }
}

/** Whether two rectangles, each as left, top, width and height, have nothing in common. */
export function areApart(a, b) {
  return [0, 1].some((k) => a[k] + a[k + 2] <= b[k] || b[k] + b[k + 2] <= a[k]);
}

/** How far the bodies' centre of mass has come from one state to another [m]. */
export function moved(from, to) {
  return Math.hypot(...to.center_of_mass.map((value, i) => value - from.center_of_mass[i]));
}

/** Where a camera that stands upright sees a point: from −1 to 1 from the lower to the upper edge. */
function project({ eye, target, field_of_view: angle }, point) {
  const minus = (a, b) => a.map((value, i) => value - b[i]);
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const cross = ([a, b, c], [d, e, f]) => [b * f - c * e, c * d - a * f, a * e - b * d];
  const unit = (a) => a.map((value) => value / Math.sqrt(dot(a, a)));
  const forward = unit(minus(target, eye));
  const right = unit(cross(forward, [0, 0, 1]));
  const up = cross(right, forward);
  const sight = minus(point, eye);
  const scale = Math.tan(angle / 2) * dot(sight, forward);
  return [dot(sight, right) / scale, dot(sight, up) / scale];
}

/**
 * A block that floats, in a world that no script changes. A browser without a graphics card makes few steps
 * in a second, so they are long.
 */
export const BLOCK = `name = "a block"

[world]
timestep = 0.01
damping = 1
gravity = [0, 0, 0]
box = { size = [2, 2, 2] }

[[bodies]]
name = "block"
shape = { kind = "bar", cells = [4, 4, 4], size = [0.5, 0.5, 0.5] }
translate = [-0.25, -0.25, 0.002]
material = { mass = { density = 1000 }, stiffness = { young = 20e3 } }
`;
