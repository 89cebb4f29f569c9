// The workbench: files uploaded, models fitted, methods compared, dials measured, keys made.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { ask, makeStore, open, serve, setUp } from './harness.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const world = setUp();
const hrefOf = (hash) => `${world.server.url}/${hash}`;

/** Light, dark and on a phone: nothing that axe faults, nothing wider than the screen. */
async function looksRight(page) {
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const faults = await page.evaluate(async () => {
      const { violations } = await window.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      });
      return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ')}`);
    });
    assert.deepEqual(faults, [], colorScheme);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= 360);
}

describe('a file', () => {
  let empty;
  let server;
  before(async () => {
    empty = await makeStore({ ratings: false });
    server = await serve(empty.store);
  });
  after(async () => {
    await server?.stop();
    await empty?.remove();
  });

  test('is mapped, read, shown with what is wrong in it, and imported', async () => {
    const file = path.join(path.dirname(empty.store), 'beers.csv');
    const rows = ['who,beer,stars,smell,note'];
    for (let u = 0; u < 30; u += 1)
      for (let k = 0; k < 8; k += 1)
        rows.push(`p${u},b${(u + k * k) % 20},${1 + ((u + k) % 5)},${1 + (k % 5)},fine`);
    rows.push('p1,b1,abc,3,fine');
    await writeFile(file, rows.join('\n'));
    const { page, errors, close } = await open(world.browser, `${server.url}/#/recommend`);
    await page.getByRole('link', { name: 'Upload a file' }).click();
    await page.getByLabel('File of ratings').setInputFiles(file);
    // Nobody could know who `who` is; the names to choose from are there all the same.
    await page.getByRole('alert').waitFor();
    await page.getByRole('combobox', { name: 'Person', exact: true }).selectOption('who');
    await page.getByRole('combobox', { name: 'Item', exact: true }).selectOption('beer');
    await page.getByRole('button', { name: /^Import 180 ratings/ }).waitFor();
    assert.match(await page.getByRole('group', { name: 'Rows refused' }).innerText(), /242.*abc/s);
    assert.ok(await page.getByRole('checkbox', { name: 'smell' }).isChecked());
    await page.getByRole('combobox', { name: 'Overall rating', exact: true }).selectOption('smell');
    await page.getByRole('checkbox', { name: 'stars' }).waitFor();
    await page.getByRole('combobox', { name: 'Overall rating', exact: true }).selectOption('stars');
    await page.getByRole('checkbox', { name: 'smell' }).waitFor();
    const before = await ask(server.url, '/v1/criteria');
    assert.deepEqual(before.criteria, [], 'nothing is written by looking');
    await looksRight(page);
    await page.getByRole('button', { name: /^Import/ }).click();
    await page.getByRole('heading', { name: /new ratings/ }).waitFor();
    const { criteria } = await ask(server.url, '/v1/criteria');
    assert.deepEqual(
      criteria.map(({ name }) => name),
      ['overall', 'smell'],
    );
    await page.getByRole('link', { name: 'See recommendations' }).click();
    await page.waitForSelector('.result');
    // The first reading, which could not know the columns.
    assert.deepEqual(
      errors.filter((text) => !text.includes('422')),
      [],
    );
    await close();
  });
});

describe('methods', () => {
  test('are compared, for everybody and for one person', async () => {
    const { page, errors, close } = await open(world.browser, hrefOf('#/quality?user=u0007'));
    for (const name of ['ease', 'adaptive']) {
      await page.getByText('served now').waitFor();
      await page.getByRole('checkbox', { name: new RegExp(`^${name}`) }).uncheck();
    }
    await page.getByLabel('Other settings').fill('ca-gf:filters=linear');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('heading', { name: 'For everybody' }).waitFor();
    const { jobs } = await ask(world.server.url, '/v1/jobs');
    const job = jobs.find(({ kind }) => kind === 'comparison');
    assert.deepEqual(job.asked.methods, ['popularity', 'item-knn', 'ca-gf:filters=linear']);
    const { result } = await ask(world.server.url, `/v1/jobs/${job.id}`);
    const table = await page.getByRole('group', { name: 'ndcg@10' }).innerText();
    for (const { name, metrics } of result.methods) {
      assert.ok(table.includes(name));
      assert.ok(table.includes(metrics['ndcg@10'].mean.toFixed(4)));
    }
    await page.getByRole('combobox', { name: 'Left', exact: true }).selectOption('item-knn');
    const lists = await ask(world.server.url, `/v1/jobs/${job.id}/lists/u0007`);
    const shown = () =>
      page
        .locator('.compared')
        .evaluateAll((all) =>
          all.map((list) => [...list.querySelectorAll('a')].map((a) => a.innerText)),
        );
    await page.waitForFunction(() => document.querySelectorAll('.compared').length === 2);
    assert.deepEqual(
      await shown(),
      lists.lists.slice(1).map(({ items }) => items.map(({ title }) => title)),
    );
    assert.match(page.url(), /left=item-knn/);
    await looksRight(page);
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll('.compared').length === 2);
    assert.deepEqual(errors, []);
    await close();
  });

  test('that do not exist are refused with the reason', async () => {
    const { page, close } = await open(world.browser, hrefOf('#/quality'));
    await page.getByLabel('Other settings').fill('magic');
    await page.getByLabel('Other settings').press('Enter');
    await page.getByRole('button', { name: /^Compare/ }).click();
    assert.match(await page.getByRole('alert').innerText(), /magic/);
    await close();
  });

  test('are fitted with settings by hand, served, and shown', async () => {
    const { page, errors, close } = await open(world.browser, hrefOf('#/model'));
    await page.getByRole('combobox', { name: 'Method', exact: true }).selectOption('ease');
    await page.getByLabel('lambda').fill('77');
    await page.getByRole('button', { name: 'Fit and serve' }).click();
    await page.getByRole('cell', { name: '77', exact: true }).waitFor();
    const model = await ask(world.server.url, '/v1/model');
    assert.equal(model.method, 'ease');
    assert.match(
      await page.locator('section', { hasText: 'Fit anew' }).innerText(),
      /ease:lambda=77/,
    );
    await page.getByRole('combobox', { name: 'Method', exact: true }).selectOption('ca-gf');
    await page.getByRole('combobox', { name: 'Settings', exact: true }).selectOption('preset');
    await looksRight(page);
    assert.deepEqual(errors, []);
    await close();
  });

  test('wait for one another, and are cancelled', async () => {
    // Choosing settings over and over takes longer than any machine needs for what follows.
    const methods = Array.from(
      { length: 8 },
      (_, k) => `adaptive:settings=auto:rating_power=${k / 4}`,
    );
    const busy = [];
    for (let k = 0; k < 3; k += 1)
      busy.push(await ask(world.server.url, '/v1/comparisons', { methods }));
    const { page, close } = await open(world.browser, hrefOf('#/model'));
    await page.getByRole('combobox', { name: 'Method', exact: true }).selectOption('popularity');
    await page.getByRole('button', { name: 'Fit and serve' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByText('Waiting: a comparison runs now').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The last one was cancelled.').waitFor();
    await page.goto(hrefOf('#/quality'));
    await page.getByRole('progressbar').waitFor();
    for (const { id } of busy) await fetch(hrefOf(`v1/jobs/${id}`), { method: 'DELETE' });
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    assert.equal((await ask(world.server.url, '/v1/model')).method, 'ease');
    await close();
  });
});

describe('dials', () => {
  test('are measured, drawn and listed', async () => {
    const { page, errors, close } = await open(world.browser, hrefOf('#/dials'));
    await page.getByRole('combobox', { name: 'Method', exact: true }).selectOption('item-knn');
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.waitForSelector('canvas');
    const { criteria } = await ask(world.server.url, '/v1/criteria');
    assert.equal(await page.locator('tbody tr').count(), 4 * criteria.length);
    await looksRight(page);
    assert.deepEqual(errors, []);
    await close();
  });
});

describe('a list', () => {
  test('can be of items with an attribute alone', async () => {
    const { items } = await ask(world.server.url, '/v1/recommendations', {
      user: 'u0007',
      top: 9,
    });
    for (const { item, title } of [items[3], items[7]]) {
      await fetch(hrefOf(`v1/items/${item}`), {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ title, attributes: { quarter: 'old town' } }),
      });
    }
    const { page, close } = await open(world.browser, hrefOf('#/recommend?user=u0007'));
    await page.getByRole('combobox', { name: 'quarter', exact: true }).selectOption('old town');
    await page.waitForFunction(() => document.querySelectorAll('.result').length === 2);
    assert.deepEqual(await page.locator('.result h3').allInnerTexts(), [
      items[3].title,
      items[7].title,
    ]);
    assert.match(page.url(), /f\.quarter=old/);
    await looksRight(page);
    await close();
  });
});

describe('scores', () => {
  test('are a match where the server knows it, and raw at a click', async () => {
    const { items } = await ask(world.server.url, '/v1/recommendations', { user: 'u0007' });
    const known = items.filter(({ match }) => match != null).length;
    const { page, close } = await open(world.browser, hrefOf('#/recommend?user=u0007'));
    await page.waitForSelector('.result');
    assert.equal(await page.locator('.result .match').count(), known);
    assert.equal(await page.locator('.result .score').count(), items.length - known);
    if (known > 0) {
      await page.getByRole('button', { name: 'Raw scores' }).click();
      assert.equal(await page.locator('.result .score').count(), items.length);
    }
    await close();
  });
});

describe('an administrator', () => {
  let own;
  let server;
  before(async () => {
    own = await makeStore();
    server = await serve(own.store);
  });
  after(async () => {
    await server?.stop();
    await own?.remove();
  });

  test('makes keys and takes them away, and sees what was done', async () => {
    const { page, errors, close } = await open(world.browser, `${server.url}/#/admin`);
    const make = async (name, role) => {
      await page.getByLabel('Name of a new key').fill(name);
      if (role) await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption(role);
      await page.getByRole('button', { name: 'Make a key' }).click();
      await page.getByText(`The secret of ${name}`).waitFor();
    };
    await make('me');
    // From now on keys are needed, and the page goes on with its own.
    await page.getByText('yours').waitFor();
    assert.equal((await fetch(`${server.url}/v1/users`)).status, 401);
    await make('shop', 'write');
    await looksRight(page);
    await page.getByRole('button', { name: 'Remove shop' }).click();
    await page.getByRole('button', { name: 'Remove shop for good' }).click();
    await page.getByText('Key shop removed').waitFor();
    assert.deepEqual(errors, []);
    await close();
  });
});

describe('the interface', () => {
  test('is documented at /docs, from the document alone, without a key', async () => {
    const asked = [];
    const { page, errors, close } = await open(world.browser, 'about:blank');
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(hrefOf('docs'));
    const document = await ask(world.server.url, '/v1/openapi.json');
    await page.waitForSelector('.route');
    const routes = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    assert.equal(await page.locator('.verb').count(), routes.length);
    await page.getByRole('searchbox').fill('/v1/fits');
    await page.locator('.route summary').click();
    await page.getByText('Takes a key with the role admin').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.locator('.route', { hasText: '/v1/comparisons' }).locator('summary').click();
    await page.getByRole('button', { name: 'ComparisonIn', exact: true }).click();
    await page.locator('#schema-ComparisonIn[open] dt', { hasText: 'methods' }).waitFor();
    assert.ok(asked.every((url) => url.startsWith(world.server.url)));
    await looksRight(page);
    assert.deepEqual(errors, []);
    await close();
  });
});
