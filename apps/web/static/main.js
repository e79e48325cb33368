// The page round the studio: loads the module with its progress shown, chooses between WebGPU and the
// processor, and goes from the start page to the studio and back. What happens inside the canvas is the
// module's business.

const byId = (id) => document.getElementById(id);
const { dataset } = document.body;

/** How often screen readers are told what goes on [ms]. */
const SPEAK_EVERY = 2000;

/** What browsers call WebGPU whose work the processor does. */
const IN_SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|\bwarp\b|basic render/i;

/** How long the still picture waits for the first real one before it gives way [ms]. */
const PATIENCE = 30_000;

/** Files that were chosen and not opened yet. */
let chosen = null;

/** Whether it was said on the start page where simulations run. */
let isTold = false;

/** Rises with everything that is opened, so that a slow answer does not disturb what came after it. */
let turn = 0;

// ---------------------------------------------------------------- the module

const module = load();
const device = findDevice();
/** Filled once the studio runs. */
let studio = null;

/** For tests, and for those who look at pages with the browser's tools. */
window.pliant = { ready: module, module: null, device };

/** Fetches, compiles and starts the module. */
async function load() {
  showLoading();
  try {
    const script = import(new URL(dataset.script, document.baseURI));
    const response = await fetch(new URL(dataset.module, document.baseURI));
    if (!response.ok) {
      throw new Error(`the server answered ${response.status} for ${response.url}`);
    }
    const compiled = compile(count(await unpacked(response.body)));
    const exports = await script;
    await exports.default({ module_or_path: await compiled });
    performance.mark('pliant:loaded');
    window.pliant.module = exports;
    showLoaded();
    return exports;
  } catch (problem) {
    showFailure(`Pliant could not be loaded: ${describe(problem)}.`);
    throw problem;
  }
}

/**
 * The module is packed. Some servers say so, and then browsers have unpacked it already: the first bytes tell, and go
 * back to the front of the stream.
 */
async function unpacked(stream) {
  const reader = stream.getReader();
  const first = await reader.read();
  const isPacked = first.value?.[0] === 0x1f && first.value?.[1] === 0x8b;
  const whole = new ReadableStream({
    start(controller) {
      if (first.value) {
        controller.enqueue(first.value);
      }
    },
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return isPacked ? whole.pipeThrough(new DecompressionStream('gzip')) : whole;
}

/** Compiles while bytes arrive, whatever type the server gave them. */
function compile(stream) {
  const response = new Response(stream, { headers: { 'Content-Type': 'application/wasm' } });
  if (WebAssembly.compileStreaming) {
    return WebAssembly.compileStreaming(response);
  }
  return response.arrayBuffer().then((bytes) => WebAssembly.compile(bytes));
}

/** Shows how much of a stream has passed. Bytes are counted after decompression, as their sum is known. */
function count(stream) {
  const all = Number(dataset.moduleBytes);
  let received = 0;
  return stream.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        received += chunk.byteLength;
        showLoading(Math.min(received / all, 1));
        controller.enqueue(chunk);
      },
    }),
  );
}

/** What is known of WebGPU if it is to be used, and if not, why. */
async function findDevice() {
  const found = await askForDevice();
  if (!found.webgpu) {
    const consequence = found.isSlow ? '' : ' That is slower, and large bodies may stutter.';
    byId('where-text').textContent = onCpu(found) + consequence;
    byId('where-gpu').hidden = !found.isSlow;
    byId('where-gpu').href = withWebGpu();
    byId('where').hidden = false;
  }
  return found;
}

async function askForDevice() {
  const wish = new URLSearchParams(location.search).get('backend');
  if (wish === 'cpu') {
    return { webgpu: null, why: 'the address of this page asks for it' };
  }
  if (!navigator.gpu) {
    const why = window.isSecureContext
      ? 'this browser has no WebGPU'
      : 'browsers offer WebGPU only to pages that come over HTTPS';
    return { webgpu: null, why };
  }
  try {
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) {
      return { webgpu: null, why: 'this browser knows WebGPU but finds no graphics device for it' };
    }
    const webgpu = whatIs(adapter);
    if (webgpu.software && wish !== 'gpu') {
      const name = webgpu.name ? ` (${webgpu.name})` : '';
      const why = `the CPU would do the work of WebGPU here${name}, and is faster by itself`;
      return { webgpu: null, why, isSlow: true };
    }
    return { webgpu, why: '' };
  } catch (problem) {
    return { webgpu: null, why: `WebGPU did not answer: ${describe(problem)}` };
  }
}

/** Maker and kind of a device, and whether the processor does its work. */
function whatIs(adapter) {
  const info = adapter.info ?? {};
  const name = [info.vendor, info.architecture].filter(Boolean).join(' ');
  const words = [name, info.device, info.description].filter(Boolean).join(' ');
  const isFallback = Boolean(info.isFallbackAdapter ?? adapter.isFallbackAdapter);
  return { name, software: isFallback || IN_SOFTWARE.test(words) };
}

/** This page on WebGPU, whatever that is. */
function withWebGpu() {
  const address = new URL(location.href);
  address.searchParams.set('backend', 'gpu');
  return address.href;
}

function onCpu({ why }) {
  return `Runs on the CPU, because ${why}.`;
}

/** What the studio says of it, to those who have not read it on the start page. */
function noticeFor(found) {
  if (found.webgpu || isTold) {
    return null;
  }
  const link = found.isSlow ? [byId('where-gpu').textContent, withWebGpu()] : null;
  return { text: onCpu(found), link };
}

// ---------------------------------------------------------------- what the page says

function showLoading(part) {
  const text = part === undefined ? 'Loading…' : `Loading: ${Math.floor(part * 100)} %`;
  byId('state').textContent = text;
  for (const bar of document.querySelectorAll('progress')) {
    bar.value = part ?? 0;
  }
}

function showLoaded() {
  byId('load').hidden = true;
  for (const bar of document.querySelectorAll('progress')) {
    bar.hidden = true;
  }
}

/** Says why there is nothing to be seen, and offers to try again. */
function showFailure(text) {
  byId('state').textContent = text;
  byId('curtain-text').textContent = text;
  byId('curtain').hidden = false;
  for (const bar of document.querySelectorAll('progress')) {
    bar.hidden = true;
  }
  for (const button of document.querySelectorAll('.retry')) {
    button.hidden = false;
  }
}

/** Back to the start page with a message. */
function refuse(text) {
  history.replaceState(null, '', location.pathname + location.search);
  showStart();
  byId('message').textContent = text;
  byId('message').hidden = false;
  byId('message').focus();
}

function describe(problem) {
  return String(problem?.message ?? problem).replace(/\.$/, '');
}

function showStart() {
  turn += 1;
  byId('start').hidden = false;
  byId('stage').classList.add('away');
  byId('stage').inert = true;
  document.title = 'Pliant: soft bodies to pull and push';
  studio?.pause();
}

/** The studio's place, with a still picture until there is a real one. */
function showStage(title, picture) {
  isTold ||= !byId('start').hidden && !byId('where').hidden;
  byId('message').hidden = true;
  byId('start').hidden = true;
  byId('stage').hidden = false;
  byId('stage').classList.remove('away');
  byId('stage').inert = false;
  byId('still').hidden = !picture;
  byId('still').classList.remove('gone');
  if (picture) {
    byId('still').src = picture;
  }
  byId('curtain-text').textContent = `${title} is on its way.`;
  byId('curtain').hidden = false;
  document.title = `${title} – Pliant`;
}

/** The studio shows something real: away with the still. */
function showStudio() {
  byId('curtain').hidden = true;
  byId('still').classList.add('gone');
  byId('canvas').focus({ preventScroll: true });
}

// ---------------------------------------------------------------- where to go

/** Shows what the address asks for. */
function go() {
  const fragment = location.hash.slice(1);
  const [key, value] = split(fragment);
  const card = key === 'demo' && findCard(value);
  if (fragment === '') {
    showStart();
  } else if (card) {
    open({ title: card.dataset.title, picture: card.querySelector('img').src, demo: value });
  } else if (key === 'demo') {
    refuse(`There is no demo called “${value}”. Choose one of these.`);
  } else if (key === 'scene' && value !== '') {
    open({ title: 'The shared scene', link: value });
  } else if (key === 'file' && chosen) {
    open({ title: chosen.names.join(', '), files: chosen });
  } else if (key === 'file') {
    refuse('That file was open before the page was loaded again. Please choose it once more.');
  } else {
    refuse('This link is damaged: it names neither a demo nor a scene. Was it copied in full?');
  }
}

function split(fragment) {
  const at = fragment.indexOf('=');
  return at < 0 ? [fragment, ''] : [fragment.slice(0, at), fragment.slice(at + 1)];
}

function findCard(name) {
  const cards = [...document.querySelectorAll('a.card')];
  return cards.find((card) => card.getAttribute('href') === `#demo=${name}`);
}

/** Opens a demo, a link or files, and starts the studio if it does not run yet. */
async function open(what) {
  turn += 1;
  const mine = turn;
  showStage(what.title, what.picture);
  try {
    const found = await device;
    const exports = await module;
    if (mine !== turn) {
      return;
    }
    const before = studio ? telemetry().pictures : 0;
    await (studio ? change(what) : begin(exports, what, found));
    const failure = mine === turn && (await firstPicture(before));
    if (mine !== turn) {
      return;
    }
    if (failure && what.link) {
      throw new Error(failure); // The studio shows it over another scene, which nobody asked for.
    }
    showStudio();
  } catch (problem) {
    if (mine !== turn || !window.pliant.module) {
      return; // Something else is shown by now, or the failure to load already is.
    }
    refuse(`${what.title} could not be opened: ${describe(problem)}.`);
  } finally {
    if (what.files === chosen) {
      chosen = null;
    }
  }
}

async function begin(exports, what, found) {
  const { webgpu } = found;
  const notice = noticeFor(found);
  const options = { webgpu, notice, demo: what.demo ?? null, link: what.link ?? null };
  await exports.start(byId('canvas'), JSON.stringify(options));
  studio = exports;
  if (what.files) {
    await change(what);
  }
  setInterval(speak, SPEAK_EVERY);
}

async function change(what) {
  if (what.demo) {
    await studio.open_demo(what.demo);
  } else if (what.link) {
    await studio.open_link(what.link);
  } else {
    await studio.open_files(what.files.names, what.files.contents);
  }
}

function telemetry() {
  return JSON.parse(studio.telemetry()) ?? { pictures: 0 };
}

/** Waits until the studio has drawn what it was asked for; if it cannot, gives the reason. */
async function firstPicture(before) {
  const end = performance.now() + PATIENCE;
  while (performance.now() < end) {
    const { opening, pictures, failure } = telemetry();
    if (failure) {
      return failure;
    }
    if (!opening && pictures > before) {
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  // One more turn, so that what was drawn is also shown.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  if (performance.getEntriesByName('pliant:first-picture').length === 0) {
    performance.mark('pliant:first-picture');
  }
  return null;
}

/** Tells those who do not see the canvas what is on it. */
function speak() {
  if (byId('stage').inert || document.hidden) {
    return;
  }
  const text = studio.describe();
  if (byId('spoken').textContent !== text) {
    byId('spoken').textContent = text;
  }
}

// ---------------------------------------------------------------- files

async function openFiles(list) {
  const files = [...list];
  if (files.length === 0) {
    return;
  }
  try {
    const buffers = await Promise.all(files.map((file) => file.arrayBuffer()));
    const contents = buffers.map((buffer) => new Uint8Array(buffer));
    chosen = { names: files.map((file) => file.name), contents };
  } catch (problem) {
    refuse(`${files[0].name} could not be read: ${describe(problem)}.`);
    return;
  }
  if (location.hash === '#file') {
    go();
  } else {
    location.hash = 'file';
  }
}

byId('choose').addEventListener('click', () => byId('files').click());
byId('files').addEventListener('change', (event) => {
  openFiles(event.target.files);
  // So that the same file can be chosen again.
  event.target.value = '';
});

// In the studio dropped files are the module's; everywhere on the start page they are ours.
for (const kind of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  byId('start').addEventListener(kind, (event) => {
    event.preventDefault();
    byId('drop').classList.toggle('over', kind === 'dragenter' || kind === 'dragover');
    if (kind === 'drop') {
      openFiles(event.dataTransfer.files);
    }
  });
}

// ---------------------------------------------------------------- the rest

for (const button of document.querySelectorAll('.retry')) {
  button.addEventListener('click', () => location.reload());
}
window.addEventListener('hashchange', go);
module.catch(() => {}); // Shown already.
go();
