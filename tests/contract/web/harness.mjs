// A real server with made-up ratings, and a real browser.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** PALATE names the tool; by default that of the release build. */
export const palate = process.env.PALATE ?? path.join(root, 'build/palate');

if (!existsSync(palate)) throw new Error(`there is no ${palate}: run make web tool, or set PALATE`);

/** A store of its own in a temporary folder; `ratings: false` leaves it empty. */
export async function makeStore({ ratings = true, users = 300, items = 120, seed = 5 } = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'palate-web-'));
  const store = path.join(folder, 'store.db');
  if (ratings) {
    const csv = path.join(folder, 'ratings.csv');
    const size = ['--users', users, '--items', items, '--seed', seed].map(String);
    await run(palate, ['synth', '--out', csv, ...size, '--quiet']);
    await run(palate, ['import', csv, '--store', store, '--quiet']);
  }
  return { store, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Starts `palate serve` and waits until it is ready, or has said that it is empty. */
export async function serve(store, { port = 0 } = {}) {
  const child = spawn(
    palate,
    ['serve', '--store', store, '--listen', `127.0.0.1:${port}`, '--log', 'warn', '--json'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let complaint = '';
  child.stderr.on('data', (text) => (complaint += text));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
      if (text.includes('\n'))
        resolve(JSON.parse(text.slice(0, text.indexOf('\n'))).url.replace(/\/$/, ''));
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`palate serve ended with ${code}: ${complaint}`)),
    );
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  try {
    while ((await (await fetch(`${url}/ready`)).json()).status === 'fitting')
      await new Promise((resolve) => setTimeout(resolve, 100));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port: Number(new URL(url).port), stop };
}

export async function addKey(store) {
  const { stdout } = await run(palate, [
    'keys',
    'add',
    'tests',
    '--role',
    'read',
    '--store',
    store,
    '--json',
  ]);
  return JSON.parse(stdout).secret;
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      // Chromium refuses its sandbox to root, and CI is root; only our own pages are opened.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A store, a server and a browser for all tests of a file: there from the first to the last. */
export function setUp() {
  const world = {};
  before(async () => {
    world.store = await makeStore();
    world.server = await serve(world.store.store);
    world.browser = await launch();
  });
  after(async () => {
    await world.browser?.close();
    await world.server?.stop();
    await world.store?.remove();
  });
  return world;
}

/**
 * A page that takes note of errors: thrown, or reported on the console, as breaches of the content
 * policy are.
 */
export async function open(
  browser,
  url,
  { phone = false, dark = false, motion = false, ...more } = {},
) {
  const context = await browser.newContext({
    viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 860 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: motion ? 'no-preference' : 'reduce',
    ...more,
  });
  context.setDefaultTimeout(15000);
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  return { page, context, errors, close: () => context.close() };
}

export async function ask(url, pathname, body) {
  const response = await fetch(url + pathname, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${pathname}: ${response.status} ${await response.text()}`);
  return response.json();
}
