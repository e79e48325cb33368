// The studio in a browser with WebGPU.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BLOCK, Browser, SHOTS, moved, needed } from './support.mjs';

/** What crates/pliant/tests/parity.rs allows a GPU after a thousand steps, as a part of the body's size. */
const AFTER_THOUSAND = 2e-5;
const STEPS = 200;
const DEMOS = ['jelly', 'hanging-bar', 'cloth'];

let browser;
before(async () => {
  browser = await Browser.start();
});
after(() => browser?.end());

const simulate = (scene, webgpu) =>
  browser.page.evaluate(
    async ([scene, steps, webgpu]) =>
      JSON.parse(await window.pliant.module.simulate(scene, steps, webgpu)),
    [scene, STEPS, webgpu],
  );

test('WebGPU in the browser goes where the GPU goes natively, and always the same way', async (t) => {
  const native = execFileSync(needed('PLIANT_REFERENCE'), [String(STEPS), ...DEMOS], {
    maxBuffer: 1 << 28,
  });
  await browser.go('');
  for (const [name, expected] of Object.entries(JSON.parse(native))) {
    const ours = await simulate(expected.scene, true);
    assert.doesNotMatch(ours.backend, /CPU/i);
    assert.equal(ours.step, STEPS);
    assert.equal(ours.positions.length, expected.positions.length);
    const apart = ours.positions.map((p, i) => Math.hypot(...p.map((x, k) => x - expected.positions[i][k])));
    const worst = apart.reduce((a, b) => Math.max(a, b)) / expected.size;
    t.diagnostic(
      `${name}: ${worst.toExponential(1)} of its size from ${expected.backend} after ${STEPS} steps; ` +
        `${((1000 * ours.seconds) / STEPS).toFixed(1)} ms per step on ${ours.backend}, hash ${ours.hash}`,
    );
    assert.ok(worst <= AFTER_THOUSAND, `${name}: ${worst}`);
    const again = await simulate(expected.scene, true);
    assert.equal(again.hash, ours.hash, name);
  }
});

test('a demo is played on WebGPU and drawn from where it is computed', async (t) => {
  await browser.visit('#demo=jelly');
  const state = await browser.shown();
  assert.equal(state.on_device, true);
  assert.doesNotMatch(state.backend, /CPU/i);
  assert.equal(state.picture_trouble, null);
  assert.equal(state.places.notice, undefined, 'there is nothing to excuse');
  const { page } = browser;
  const marks = await page.evaluate(() =>
    ['pliant:loaded', 'pliant:first-picture'].map((n) => performance.getEntriesByName(n)[0].startTime),
  );
  const start = await browser.state();
  const [from, longest] = [Date.now(), await longTasks(5000)];
  const end = await browser.until('it runs', (s) => s.step > start.step);
  const seconds = (Date.now() - from) / 1000;
  t.diagnostic(
    `module loaded after ${marks[0].toFixed(0)} ms, first picture after ${marks[1].toFixed(0)} ms; ` +
      `${((end.pictures - start.pictures) / seconds).toFixed(1)} pictures and ` +
      `${((end.step - start.step) / seconds).toFixed(0)} steps per second on ${end.backend}; ` +
      `longest task on the main thread ${longest.toFixed(0)} ms`,
  );
  await page.setViewportSize({ width: 1280, height: 800 });
  const wide = await browser.until('it fills the window', (s) => s.places.viewport[2] > 850);
  await browser.until('it is drawn so', (s) => s.pictures > wide.pictures + 2);
  await browser.photograph('studio-desktop');
  const colours = await coloured();
  assert.ok(colours > 0.004, `bodies cover ${colours} of the picture`);
  await page.setViewportSize({ width: 760, height: 540 });
});

test('those who do not see the canvas are told what is on it', async () => {
  await browser.play('jelly');
  const { page } = browser;
  const says = (words) => browser.when((w) => document.getElementById('spoken').textContent.includes(w), words);
  await says('Jelly blocks: 4 soft bodies');
  await says('playing');
  await page.keyboard.press('Space');
  await says('paused');
  assert.ok(await page.getAttribute('#canvas', 'aria-label'));
});

test('a body follows the mouse that holds it', async () => {
  const still = await browser.playScene(BLOCK);
  const { page } = browser;
  const { x, y } = await browser.bodyPlace();
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 8; i += 1) {
    await page.mouse.move(x, y - 20 * i);
  }
  await browser.until('a hand holds something', (s) => s.touches === 1 && s.activity === 'dragging');
  const held = await browser.until('the body follows', (s) => moved(still, s) > 0.02);
  assert.ok(held.center_of_mass[2] > still.center_of_mass[2], 'it is pulled up');
  await browser.photograph('studio-dragging');
  await page.mouse.up();
  const after = await browser.until('it is let go', (s) => s.touches === 0);
  assert.deepEqual(after.camera, still.camera, 'pulling does not move the camera');
});

test('a slider changes what bodies do', async () => {
  const start = await browser.playScene(BLOCK);
  const { page } = browser;
  // Its bar is to the left of its number, 130 points long, and goes from −20 to 20 m/s².
  const { left, y } = await browser.reach('gravity');
  await page.mouse.move(left + 65, y);
  await page.mouse.down();
  await page.mouse.move(left + 20, y, { steps: 8 });
  await browser.until('gravity points up', (s) => s.world.gravity[2] > 5);
  await page.mouse.up();
  await browser.until('it falls upwards', (s) => s.center_of_mass[2] > start.center_of_mass[2] + 0.3);
});

test('a mesh in two files is opened, by button and by dropping', async () => {
  const { node, ele } = tetrahedra(3);
  const files = [
    { name: 'cube.node', buffer: Buffer.from(node) },
    { name: 'cube.ele', buffer: Buffer.from(ele) },
  ];
  await browser.open(files);
  const state = await browser.shown();
  assert.equal(state.failure, null);
  assert.match(state.title, /cube/);
  await browser.until('it falls', (s) => s.step > 20);

  await browser.go('');
  const transfer = await browser.page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) {
      transfer.items.add(new File([text], name));
    }
    return transfer;
  }, [['cube.node', node], ['cube.ele', ele]]);
  await browser.page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
  await browser.titled('cube.node');
  assert.match((await browser.shown()).title, /cube/);
});

test('the bunny is opened where it is at hand', async (t) => {
  const folder = process.env.PLIANT_DATA ?? '';
  const names = ['bunny.node', 'bunny.ele'];
  if (!names.every((name) => existsSync(join(folder, 'tet', name)))) {
    t.skip(`there is no tet/bunny.node in ${folder || 'PLIANT_DATA, which is not set'}`);
    return;
  }
  await browser.open(names.map((name) => ({ name, buffer: readFileSync(join(folder, 'tet', name)) })));
  const state = await browser.shown();
  assert.equal(state.failure, null);
  // Its slivers ask for implicit steps, of 8 ms each.
  await browser.until('it falls', (s) => s.step > 6);
  await browser.photograph('studio-bunny');
});

test('a broken file is refused with its place and a reason', async () => {
  const { node } = tetrahedra(2);
  await browser.open([
    { name: 'bad.node', buffer: Buffer.from(node) },
    { name: 'bad.ele', buffer: Buffer.from('1 4 0\n1 1 2 3 999\n') },
  ]);
  const state = await browser.until('it is refused', (s) => s.failure);
  assert.match(state.failure, /bad\.ele.*2|line 2/s);
  assert.match(state.failure, /999/);
  await browser.photograph('studio-broken-file');
  await browser.play('jelly');
  assert.equal((await browser.state()).failure, null);
});

test('a link carries the scene, its parameters and the camera', async () => {
  await browser.playScene(BLOCK);
  const { page } = browser;
  await page.keyboard.press('6');
  await browser.until('gravity is stronger', (s) => s.world.gravity[2] < -0.5);
  const { x, y, height } = await browser.place('viewport');
  await page.mouse.move(x, y - height / 2 + 20);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(x + 90, y - height / 2 + 50, { steps: 5 });
  await page.mouse.up({ button: 'right' });
  const sent = await browser.until('the camera rests', (s) => s.activity === 'none');
  const link = await page.evaluate(() => window.pliant.module.share());
  const { hash } = new URL(link);
  assert.match(hash, /^#scene=/);
  await browser.visit(hash);
  await browser.shown();
  const received = await browser.until('the link is open', (s) => s.scene === sent.scene);
  assert.deepEqual(received.world, sent.world);
  assert.equal(received.stiffness, sent.stiffness);
  for (const part of ['eye', 'target']) {
    const apart = Math.hypot(...received.camera[part].map((v, i) => v - sent.camera[part][i]));
    assert.ok(apart < 0.01, `the camera's ${part} is ${apart} m elsewhere`);
  }
});

test('results are downloads, and the native reader takes them', async (t) => {
  await browser.playScene(BLOCK);
  await browser.until('it runs', (s) => s.step > 20);
  for (const [entry, extension] of [['Save as GLB', 'glb'], ['Save scene', 'toml'], ['Save picture (PNG)', 'png']]) {
    const [download] = await Promise.all([
      browser.page.waitForEvent('download'),
      browser.choose(entry),
    ]);
    assert.ok(download.suggestedFilename().endsWith(`.${extension}`), download.suggestedFilename());
    const file = join(SHOTS, `saved.${extension}`);
    await download.saveAs(file);
    const bytes = readFileSync(file);
    t.diagnostic(`${download.suggestedFilename()}: ${bytes.length} bytes`);
    if (extension === 'glb') {
      const said = execFileSync(needed('PLIANT_PROGRAM'), ['mesh', 'info', file, '--json']);
      assert.ok(said.toString().includes('triangle'), said.toString());
    } else if (extension === 'png') {
      assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
    } else {
      assert.match(bytes.toString(), /\[\[bodies\]\]/);
    }
  }
});

test('a change of the window is followed', async () => {
  await browser.play('jelly');
  const { page } = browser;
  const before = await browser.place('viewport');
  await page.setViewportSize({ width: 860, height: 520 });
  await browser.until('it is wider', (s) => Math.abs(s.places.viewport[2] - before.width - 100) < 1);
  await page.setViewportSize({ width: 760, height: 540 });
  await browser.until('it is as before', (s) => Math.abs(s.places.viewport[2] - before.width) < 1);
  assert.equal((await browser.state()).picture_trouble, null);
});

test('a tab that is hidden rests, and goes on when it is shown', async () => {
  await browser.play('jelly');
  const session = await browser.context.newCDPSession(browser.page);
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  const before = await browser.state();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  const after = await browser.until('it goes on', (s) => s.step > before.step);
  assert.equal(after.diverged, null);
  assert.equal(after.failure, null);
});

test('what does not fit the memory of the card runs on the CPU, which is told', async () => {
  await browser.play('hanging-bar');
  await browser.page.evaluate(() => window.pliant.module.limit_memory(100_000));
  await browser.play('jelly');
  const { messages } = await browser.until('it runs', (s) => /^CPU/.test(s.backend) && s.step > 20);
  await browser.page.evaluate(() => window.pliant.module.limit_memory(0));
  assert.ok(messages.some((m) => /memory.*CPU/is.test(m.text)), JSON.stringify(messages));
});

test('a device that is lost is told of, and play goes on', async () => {
  browser.expect(/device|WebGPU|lost/i);
  await browser.play('jelly');
  await browser.until('it runs', (s) => s.step > 20);
  await browser.page.evaluate(() => window.pliant.module.lose_device());
  await browser.until('it is told', (s) => s.messages.some((m) => /lost/.test(m.text)));
  const { step } = await browser.state();
  await browser.until('it goes on', (s) => s.step !== step && s.playing);
});

test('WebGPU in software gives way to the CPU unless it is asked for', async () => {
  await browser.visit('', '');
  const { page } = browser;
  assert.match(await page.textContent('#where'), /Runs on the CPU, because .*swiftshader.* faster by itself/i);
  assert.match(await page.getAttribute('#where-gpu', 'href'), /[?]backend=gpu/);
  await browser.visit('#demo=hanging-bar', '');
  await browser.shown();
  const state = await browser.until('it is told in the studio', (s) => s.places['notice link']);
  assert.match(state.backend, /^CPU/);
  await browser.photograph('studio-software-gpu');
  await browser.click('notice link');
  await page.waitForURL(/[?]backend=gpu#demo=hanging-bar/);
  await browser.when(() => Boolean(window.pliant?.module));
  const chosen = await browser.shown();
  assert.equal(chosen.on_device, true);
  assert.doesNotMatch(chosen.backend, /CPU/i);
});

/** How much of the picture has colours that neither floor nor panels have. */
async function coloured() {
  const shot = await browser.page.screenshot();
  return browser.page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      const [r, g, b] = pixels.subarray(i, i + 3);
      count += Math.max(r, g, b) - Math.min(r, g, b) > 60 ? 1 : 0;
    }
    return count / (pixels.length / 4);
  }, shot.toString('base64'));
}

/** The longest task on the page's main thread in a while [ms]. */
function longTasks(duration) {
  return browser.page.evaluate(
    (duration) =>
      new Promise((resolve) => {
        let longest = 0;
        const observer = new PerformanceObserver((list) => {
          longest = Math.max(longest, ...list.getEntries().map((entry) => entry.duration));
        });
        observer.observe({ entryTypes: ['longtask'] });
        setTimeout(() => resolve(longest), duration);
      }),
    duration,
  );
}

/** A cube of n³ cells, six tetrahedra each, as TetGen writes it. */
function tetrahedra(n) {
  const index = (x, y, z) => 1 + x + (n + 1) * (y + (n + 1) * z);
  const range = [...Array(n + 1).keys()];
  const nodes = range.flatMap((z) => range.flatMap((y) => range.map((x) => [x / n, y / n, z / n])));
  const orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
  const cells = [];
  for (const z of range.slice(0, n)) {
    for (const y of range.slice(0, n)) {
      for (const x of range.slice(0, n)) {
        for (const order of orders) {
          const corner = [x, y, z];
          const cell = [index(...corner)];
          for (const axis of order) {
            corner[axis] += 1;
            cell.push(index(...corner));
          }
          // Half of the six are left-handed.
          const odd = [1, 2, 5].includes(orders.indexOf(order));
          cells.push(odd ? [cell[0], cell[2], cell[1], cell[3]] : cell);
        }
      }
    }
  }
  const lines = (head, rows) => [head, ...rows.map((row, i) => [i + 1, ...row].join(' '))].join('\n') + '\n';
  return { node: lines(`${nodes.length} 3 0 0`, nodes), ele: lines(`${cells.length} 4 0`, cells) };
}
