// The page on a phone: a small screen, fingers, no mouse.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BLOCK, Browser, moved } from './support.mjs';

let browser;
let fingers;
before(async () => {
  browser = await Browser.start({
    viewport: { width: 390, height: 844 },
    // Chromium does not tell pages of a density that is only emulated.
    deviceScaleFactor: 1,
    isMobile: true,
    hasTouch: true,
  });
  const session = await browser.context.newCDPSession(browser.page);
  fingers = (type, ...points) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
});
after(() => browser?.end());

test('the start page is read without zooming, and a tap opens a demo', async () => {
  await browser.visit();
  const { page } = browser;
  const sizes = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.deepEqual(sizes, [390, 390]);
  await page.tap('a.card[href="#demo=bunny"]');
  await browser.shown();
  // The first layout may come before the browser has told how dense its pixels are.
  const wide = ({ places: { viewport } }) => viewport[2] >= 380 && viewport[3] >= 300;
  const { pictures } = await browser.until('the bodies have the whole width', wide);
  await browser.until('they are drawn', (s) => s.pictures > pictures + 3);
  await browser.photograph('studio-phone');
});

test('a finger pulls a body', async () => {
  const still = await browser.playScene(BLOCK);
  const { x, y } = await browser.bodyPlace();
  await fingers('touchStart', [x, y]);
  for (let i = 1; i <= 8; i += 1) {
    await fingers('touchMove', [x, y - 15 * i]);
  }
  await browser.until('it follows', (s) => moved(still, s) > 0.02);
  await fingers('touchEnd');
  const after = await browser.until('it is let go', (s) => s.touches === 0);
  assert.deepEqual(after.camera, still.camera, 'one finger on a body does not move the camera');
});

test('two fingers turn and zoom', async () => {
  const start = await browser.playScene(BLOCK);
  const { x, y } = await browser.place('viewport');
  const distance = ({ camera }) => Math.hypot(...camera.eye.map((v, i) => v - camera.target[i]));
  await fingers('touchStart', [x - 40, y], [x + 40, y]);
  for (let i = 1; i <= 8; i += 1) {
    await fingers('touchMove', [x - 40 - 10 * i, y], [x + 40 + 10 * i, y]);
  }
  await fingers('touchEnd');
  const near = await browser.until('it is nearer', (s) => distance(s) < 0.8 * distance(start));
  await fingers('touchStart', [x - 40, y], [x + 40, y]);
  for (let i = 1; i <= 8; i += 1) {
    await fingers('touchMove', [x - 40 + 8 * i, y], [x + 40 + 8 * i, y]);
  }
  await fingers('touchEnd');
  const around = ({ camera }) => Math.atan2(camera.eye[1] - camera.target[1], camera.eye[0] - camera.target[0]);
  await browser.until('it is turned', (s) => Math.abs(around(s) - around(near)) > 0.05);
});
