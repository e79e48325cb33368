// The same page in a browser without WebGPU.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BLOCK, Browser, areApart, moved } from './support.mjs';

let browser;
before(async () => {
  browser = await Browser.start({ webgpu: false });
});
after(() => browser?.end());

test('without WebGPU it runs on the CPU, and says so and why', async (t) => {
  await browser.visit();
  const { page } = browser;
  const gpu = await page.evaluate(async () => (await navigator.gpu?.requestAdapter()) ?? null);
  assert.equal(gpu, null, 'this browser must have no WebGPU');
  assert.match(await page.textContent('#where'), /Runs on the CPU, because .*WebGPU/);
  await page.click('a.card[href="#demo=jelly"]');
  const start = await browser.shown();
  assert.match(start.backend, /CPU/);
  assert.equal(start.places.notice, undefined, 'the start page has said it');
  const from = Date.now();
  const end = await browser.until('it runs', (s) => s.step > start.step + 100);
  const seconds = (Date.now() - from) / 1000;
  t.diagnostic(
    `${((end.pictures - start.pictures) / seconds).toFixed(1)} pictures and ` +
      `${((end.step - start.step) / seconds).toFixed(0)} steps per second on ${end.backend}`,
  );
  await browser.photograph('studio-cpu');
});

test('those who come by a link are told in the studio, beside all buttons, and can close it', async () => {
  await browser.visit('#demo=jelly');
  await browser.shown();
  const { places } = await browser.until('it is told', (s) => s.places.notice);
  const buttons = ['play', 'step', 'reset', 'timeline', 'menu file', 'help', 'messages'];
  for (const name of buttons) {
    assert.ok(areApart(places.notice, places[name]), `the notice covers ${name}`);
  }
  await browser.photograph('studio-notice');
  await browser.click('close notice');
  await browser.until('it is gone', (s) => !s.places.notice);
});

test('in a narrow window readings do not lie over each other', async () => {
  await browser.play('jelly');
  const { page } = browser;
  for (const width of [1280, 900, 760, 725]) {
    await page.setViewportSize({ width, height: 540 });
    const { readings } = await browser.until(
      'it is so wide',
      (s) => s.readings.rate && Math.abs(s.places.timeline[2] - width) < 40,
    );
    const { rate, backend } = readings;
    assert.ok(areApart(rate, backend), `${width}: ${rate} and ${backend}`);
  }
  await browser.photograph('studio-narrow');
  await page.setViewportSize({ width: 760, height: 540 });
});

test('bodies can be pulled there, too', async () => {
  const still = await browser.playScene(BLOCK);
  const { page } = browser;
  const { x, y } = await browser.bodyPlace();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 160, { steps: 8 });
  await browser.until('it follows', (s) => moved(still, s) > 0.02);
  await page.mouse.up();
  await browser.until('it is let go', (s) => s.touches === 0);
});

test('two runs end alike', async () => {
  await browser.go('');
  const run = () =>
    browser.page.evaluate(
      async (scene) => JSON.parse(await window.pliant.module.simulate(scene, 200, false)),
      BLOCK,
    );
  const [one, two] = [await run(), await run()];
  assert.match(one.backend, /CPU/);
  assert.equal(one.hash, two.hash);
});
