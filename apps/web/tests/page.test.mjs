// The page round the studio: start page, addresses, keyboard, contrast.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from './support.mjs';

let browser;
before(async () => {
  browser = await Browser.start();
});
after(() => browser?.end());

const message = () => browser.page.locator('#message').textContent();

test('the start page shows every demo, and loads nothing but itself', async (t) => {
  await browser.visit();
  const { page } = browser;
  const pictures = await page.$$eval('a.card img', (all) =>
    all.map((one) => ({ alt: one.alt, width: one.naturalWidth })),
  );
  assert.ok(pictures.length >= 7, `${pictures.length} demos`);
  assert.ok(pictures.every(({ alt, width }) => alt.length > 10 && width === 480));
  const sent = await page.evaluate(() => {
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return all.reduce((sum, entry) => sum + entry.transferSize, 0);
  });
  t.diagnostic(`a first visit transfers ${sent} bytes`);
  assert.ok(sent > 500_000 && sent < 3_000_000, `${sent} bytes`);
  await page.setViewportSize({ width: 1280, height: 800 });
  await browser.photograph('start-desktop');
  await page.setViewportSize({ width: 760, height: 540 });
});

test('everything can be reached by the keyboard, and the focus is seen', async () => {
  await browser.visit();
  const { page } = browser;
  const wanted = await page.$$eval('a.card, #choose', (all) => all.length);
  const reached = new Set();
  for (let i = 0; i < wanted; i += 1) {
    await page.keyboard.press('Tab');
    const { name, outline } = await page.evaluate(() => {
      const { id, href } = document.activeElement;
      return { name: href || id, outline: getComputedStyle(document.activeElement).outlineStyle };
    });
    assert.equal(outline, 'solid', `the focus on ${name} is not seen`);
    reached.add(name);
  }
  assert.equal(reached.size, wanted, [...reached].join(', '));
  await page.focus('a.card');
  await page.keyboard.press('Enter');
  await browser.shown();
  assert.match(page.url(), /#demo=/);
});

test('text can be read in light and in dark, and on a narrow screen', async () => {
  const { page } = browser;
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await browser.visit('', '?backend=cpu');
    const lowest = await page.evaluate(leastContrast);
    assert.ok(lowest.ratio >= 4.5, `${colorScheme}: ${lowest.ratio} in “${lowest.text}”`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 640 });
  await browser.visit();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels wide`);
  await browser.photograph('start-phone');
  await page.setViewportSize({ width: 760, height: 540 });
});

test('going back from a demo leads to the start page, and forward into it', async () => {
  await browser.visit();
  const { page } = browser;
  await page.click('a.card[href="#demo=hanging-bar"]');
  await browser.shown();
  assert.equal((await browser.state()).scene, 'hanging-bar');
  await page.goBack();
  await page.waitForSelector('#start', { state: 'visible' });
  await browser.until('the clock stands', (s) => !s.playing);
  await page.goForward();
  await browser.shown();
  await page.goBack();
  await page.click('a.card[href="#demo=cloth"]');
  await browser.until('the cloth is shown', (s) => s.scene === 'cloth' && !s.opening);
});

test('a link that leads nowhere says so, and shows the start page', async () => {
  for (const [fragment, words] of [
    ['#demo=nothing', /no demo called “nothing”/],
    ['#demo=<b>', /no demo called/],
    ['#somewhere', /damaged/],
    ['#scene=', /damaged/],
    ['#scene=AAAA', /could not be opened/],
    ['#scene=%00%ff', /could not be opened/],
    [`#scene=${'A'.repeat(100_000)}`, /could not be opened/],
    ['#file', /choose it once more/],
  ]) {
    await browser.visit(fragment);
    await browser.page.waitForSelector('#message', { state: 'visible' });
    assert.match(await message(), words, fragment.slice(0, 40));
    assert.ok(await browser.page.isVisible('#demos'), fragment.slice(0, 40));
    assert.equal(new URL(browser.page.url()).hash, '');
  }
  // And it goes on from there.
  await browser.page.click('a.card[href="#demo=jelly"]');
  await browser.shown();
});

test('a page that cannot be loaded says so', async () => {
  const { page } = browser;
  await page.route('**/*.wasm.gz', (route) => route.fulfill({ status: 404 }));
  browser.expect(/404/);
  await page.goto('about:blank');
  await page.goto(`${browser.server.address}#demo=jelly`);
  await page.waitForSelector('#curtain .retry', { state: 'visible' });
  assert.match(await page.textContent('#curtain-text'), /could not be loaded: the server answered 404/);
  await page.unroute('**/*.wasm.gz');
  await page.click('#curtain .retry');
  await browser.shown();
});

/** The least contrast between a visible text and what is behind it (WCAG 2.2, relative luminance). */
function leastContrast() {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const linear = (value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = channels(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) {
        return colour;
      }
    }
    return [255, 255, 255];
  };
  let lowest = { ratio: 21, text: '' };
  for (const element of document.querySelectorAll('h1, h2, h3, p, button, label, span')) {
    const text = element.textContent.trim();
    if (text && element.checkVisibility()) {
      const pair = [channels(getComputedStyle(element).color), behind(element)].map(luminance);
      const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
      if (ratio < lowest.ratio) {
        lowest = { ratio, text };
      }
    }
  }
  return lowest;
}
