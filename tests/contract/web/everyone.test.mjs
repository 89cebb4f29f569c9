// For everyone and every weather: contrast and names (axe), keyboards, phones, themes; servers that
// are gone, empty, or want a key.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { addKey, ask, makeStore, open, serve, setUp } from './harness.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const world = setUp();

/** Each page and what it shows when it is done. */
const pages = {
  recommend: ['#/recommend', '.result'],
  weighted: ['#/recommend?w.food=2.5&w.value=0', '.rank-move'],
  newcomer: ['#/recommend?new=1', '.chip'],
  stranger: ['#/recommend?user=u00l2', '.state .chip'],
  why: ['#/why', '.heat'],
  people: ['#/people', '.item-table'],
  items: ['#/items', '.item-table'],
  item: ['#/items?q=a', '.item-table a'],
  data: ['#/data', 'canvas'],
  model: ['#/model', 'canvas'],
  service: ['#/service', 'canvas'],
  upload: ['#/upload', 'input[type=file]'],
  quality: ['#/quality', '.check'],
  dials: ['#/dials', '.ask'],
  admin: ['#/admin', '.ask'],
  docs: ['docs', '.route'],
};

async function show(name, options) {
  const [hash, done] = pages[name];
  const opened = await open(world.browser, `${world.server.url}/${hash}`, options);
  await opened.page.waitForSelector(done);
  if (name === 'item') {
    await opened.page.locator(done).first().click();
    await opened.page.waitForSelector('.similar li');
  }
  return opened;
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function faults(page) {
  const { violations } = await page.evaluate(
    (runOnly) => window.axe.run(document, { runOnly }),
    rules,
  );
  return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ')}`);
}

describe('every page', () => {
  for (const name of Object.keys(pages)) {
    test(`${name}: axe finds nothing against WCAG 2.2 AA, light or dark, and it fits on a phone`, async () => {
      const { page, close } = await show(name);
      await page.evaluate(axe);
      assert.deepEqual(await faults(page), [], 'light');
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await faults(page), [], 'dark');
      await page.setViewportSize({ width: 360, height: 740 });
      // Charts follow the new width a moment later.
      await page.waitForFunction(() => document.documentElement.scrollWidth <= 360);
      await close();
    });
  }
});

describe('with the keyboard', () => {
  test('the first stop leads past the menu, and every stop can be seen', async () => {
    const { page, close } = await show('weighted');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.innerText), 'To the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    const seen = new Set();
    for (let i = 0; i < 20; i += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const at = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        return {
          name: at.tagName,
          outline: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
        };
      });
      assert.ok(stop.outline, `no outline on ${stop.name}`);
      seen.add(stop.name);
    }
    assert.ok(seen.has('INPUT') && seen.has('A') && seen.has('BUTTON'), [...seen].join());
    await close();
  });
});

describe('colours', () => {
  const background = (page) =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

  test('follow the system, and a choice that outlives a reload', async () => {
    const { page, close } = await show('recommend', { dark: true });
    const dark = await background(page);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background(page);
    assert.notEqual(light, dark);
    await page.getByRole('button', { name: /Change to light/ }).click();
    await page.getByRole('button', { name: /Change to dark/ }).click();
    assert.equal(await background(page), dark);
    await page.reload();
    assert.equal(await background(page), dark);
    await page.getByRole('button', { name: /Change to as the system/ }).click();
    assert.equal(await background(page), light);
    await close();
  });
});

describe('a server', () => {
  test('that is gone is reported with a hint, and its return is noticed', async () => {
    const own = await makeStore();
    const first = await serve(own.store);
    const { page, close } = await open(world.browser, first.url);
    await page.waitForSelector('.result');
    await first.stop();
    await page.getByRole('slider').nth(1).press('End');
    const alert = page.getByRole('alert');
    assert.match(await alert.innerText(), /does not answer[\s\S]*palate serve/);
    const second = await serve(own.store, { port: first.port });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForSelector('.result');
    await close();
    await second.stop();
    await own.remove();
  });

  test('without ratings says how to get some', async () => {
    const own = await makeStore({ ratings: false });
    const empty = await serve(own.store);
    for (const page of ['recommend', 'why', 'people', 'items', 'data', 'model']) {
      const opened = await open(world.browser, `${empty.url}/#/${page}`);
      await opened.page.getByText('There are no ratings yet').waitFor();
      await opened.close();
    }
    await empty.stop();
    await own.remove();
  });

  test('that wants a key is given one, and a wrong one is asked for again', async () => {
    const own = await makeStore();
    const key = await addKey(own.store);
    const locked = await serve(own.store);
    const { page, close } = await open(world.browser, locked.url);
    const field = page.getByLabel('API key', { exact: true });
    await field.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The key was not accepted').waitFor();
    await field.fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.waitForSelector('.result');
    await page.reload();
    await page.waitForSelector('.result');
    await close();
    await locked.stop();
    await own.remove();
  });

  test('may have ids with anything in them', async () => {
    const own = await makeStore({ ratings: false });
    const odd = await serve(own.store);
    const put = (user, item, values) =>
      fetch(`${odd.url}/v1/ratings/${encodeURIComponent(user)}/${encodeURIComponent(item)}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ values }),
      });
    await fetch(`${odd.url}/v1/criteria`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ criteria: ['overall', 'taste & smell: 50%'] }),
    });
    const users = ['a/b?c#d', 'ü "quoted" <b>', '日本 100%'];
    const items = ['x/y', '<img src=x>', 'tea & cake'];
    for (const [u, user] of users.entries())
      for (const [i, item] of items.entries())
        if (u !== i)
          await put(user, item, {
            overall: 3 + i * 0.5,
            'taste & smell: 50%': 4,
          });
    // Weights between items count ratings with the next fit, which is a moment away.
    while ((await ask(odd.url, '/v1/service')).graph.behind > 0) await setTimeout(100);
    for (const [u, user] of users.entries()) {
      const { page, errors, close } = await open(
        world.browser,
        `${odd.url}/#/recommend?user=${encodeURIComponent(user)}`,
      );
      await page.waitForSelector('.result');
      assert.equal(await page.locator('.result h3').first().innerText(), items[u]);
      await page.getByRole('slider', { name: 'taste & smell: 50%' }).press('End');
      await page.getByRole('link', { name: `Why ${items[u]}?` }).click();
      await page.waitForSelector('.heat');
      assert.match(await page.getByText(/^Turned: /).innerText(), /taste & smell: 50% ×8/);
      assert.deepEqual(errors, []);
      await close();
    }
    await odd.stop();
    await own.remove();
  });
});
