// What someone can do with the explorer, in Chromium, against a real server.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ask, open, setUp } from './harness.mjs';

const world = setUp();

const titles = (page) => page.locator('.result h3').allInnerTexts();
const firstUser = async () => (await ask(world.server.url, '/v1/users?limit=1')).users[0].id;
const listOf = async (question) =>
  (await ask(world.server.url, '/v1/recommendations', question)).items.map((r) => r.title);

async function openListOf(user) {
  const shown = await open(world.browser, `${world.server.url}/#/recommend?user=${user}`);
  await shown.page.waitForSelector('.result');
  return shown;
}

/** Waits until the page shows this order: what it shows on the way there does not matter. */
async function showsOrder(page, expected) {
  await page.waitForFunction(
    (want) =>
      JSON.stringify([...document.querySelectorAll('.result h3')].map((h) => h.innerText)) === want,
    JSON.stringify(expected),
  );
}

describe('recommend', () => {
  test('a visitor sees a list at once, with no errors on the console', async () => {
    const { page, errors, close } = await open(world.browser, world.server.url);
    await page.waitForSelector('.result');
    assert.deepEqual(await titles(page), await listOf({ user: await firstUser(), top: 10 }));
    assert.deepEqual(errors, []);
    await close();
  });

  test('a person is found by id, with the keyboard alone', async () => {
    const { users } = await ask(world.server.url, '/v1/users?limit=50');
    const wanted = users.at(-1).id;
    const { page, close } = await open(world.browser, world.server.url);
    await page.waitForSelector('.result');
    const field = page.getByRole('combobox', { name: 'Person' });
    await field.focus();
    await page.keyboard.type(wanted.toUpperCase());
    await page.getByRole('option', { name: wanted }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `For ${wanted}` }).waitFor();
    await showsOrder(page, await listOf({ user: wanted, top: 10 }));
    await close();
  });

  test('a moved slider changes the order, and the address brings it back', async () => {
    const user = await firstUser();
    const { page, close } = await openListOf(user);
    const before = await titles(page);
    const { criteria } = await ask(world.server.url, '/v1/criteria');
    const weights = Object.fromEntries(criteria.map(({ name }, c) => [name, c === 1 ? 8 : 0.13]));
    for (const { name } of criteria)
      await page.getByRole('slider', { name }).press(weights[name] === 8 ? 'End' : 'Home');
    const expected = await listOf({ user, top: 10, weights });
    assert.notDeepEqual(expected, before);
    await showsOrder(page, expected);
    assert.ok((await page.locator('.rank-move').count()) > 0, 'what moved is marked');
    assert.ok(
      (await page.locator('.bar-part.dialled').count()) > 0,
      'what the dials add is a part of its own',
    );
    await page.reload();
    await showsOrder(page, expected);
    await page.getByRole('button', { name: 'Reset all to 1' }).click();
    await showsOrder(page, before);
    await close();
  });

  test('while a slider is dragged requests are not piled up, and the last position wins', async () => {
    const user = await firstUser();
    const { page, close } = await openListOf(user);
    let asked = 0;
    let underWay = 0;
    let most = 0;
    await page.route('**/v1/recommendations', async (route) => {
      // The list with equal weights, for comparison, is a question of its own.
      const counted = Object.keys(route.request().postDataJSON().weights).length > 0;
      if (counted) {
        asked += 1;
        most = Math.max(most, (underWay += 1));
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      await route.continue();
      if (counted) underWay -= 1;
    });
    const name = (await ask(world.server.url, '/v1/criteria')).criteria[1].name;
    const slider = page.getByRole('slider', { name });
    const steps = 25;
    for (let i = 0; i < steps; i += 1) await slider.press(i % 5 === 4 ? 'ArrowLeft' : 'ArrowRight');
    const weight = Number((2 ** Number(await slider.inputValue())).toPrecision(2));
    await showsOrder(page, await listOf({ user, top: 10, weights: { [name]: weight } }));
    assert.equal(most, 1);
    assert.ok(asked < steps, `${asked} requests for ${steps} movements`);
    await close();
  });

  test('rows glide to their places, but not for people who want less motion', async () => {
    for (const motion of [true, false]) {
      const { page, close } = await open(world.browser, world.server.url, { motion });
      await page.waitForSelector('.result');
      await page.evaluate(() => {
        window.glides = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...args) {
          window.glides += 1;
          return animate.apply(this, args);
        };
      });
      const before = await titles(page);
      const sliders = page.getByRole('slider');
      for (let i = 0; i < (await sliders.count()); i += 1)
        await sliders.nth(i).press(i === 2 ? 'End' : 'Home');
      await page.waitForFunction(
        (old) =>
          JSON.stringify([...document.querySelectorAll('.result h3')].map((h) => h.innerText)) !==
          old,
        JSON.stringify(before),
      );
      assert.equal((await page.evaluate(() => window.glides)) > 0, motion);
      await close();
    }
  });

  test('a slider at its middle is 1, and a step each way undoes itself', async () => {
    const user = await firstUser();
    const { page, close } = await openListOf(user);
    const before = await titles(page);
    const slider = page.getByRole('slider').nth(1);
    assert.equal(await slider.getAttribute('aria-valuetext'), '1 times');
    for (const text of ['1.4 times', '2 times']) {
      await slider.press('ArrowRight');
      assert.equal(await slider.getAttribute('aria-valuetext'), text);
    }
    await slider.press('ArrowLeft');
    await slider.press('ArrowLeft');
    assert.equal(await slider.getAttribute('aria-valuetext'), '1 times');
    await showsOrder(page, before);
    assert.equal(await page.locator('.bar-part.dialled').count(), 0);
    await close();
  });

  test('more of the list can be shown', async () => {
    const { page, close } = await open(world.browser, world.server.url);
    await page.waitForSelector('.result');
    await page.getByRole('button', { name: 'Show more' }).click();
    await showsOrder(page, await listOf({ user: await firstUser(), top: 20 }));
    await close();
  });

  test('a newcomer rates and has a list at once, also after a reload, and can ask why', async () => {
    const { page, close } = await open(world.browser, world.server.url);
    await page.getByRole('link', { name: 'Newcomer' }).click();
    await page.getByRole('heading', { name: 'Rate an item or two' }).waitFor();
    const { items } = await ask(world.server.url, '/v1/items?limit=40');
    const known = items.at(-1);
    await page.getByRole('combobox', { name: 'Find an item you know' }).fill(known.id);
    await page.getByRole('option').first().click();
    const { criteria } = await ask(world.server.url, '/v1/criteria');
    const grade = async (c, value) =>
      page
        .getByRole('radiogroup', { name: `${known.title}: ${criteria[c].name}` })
        .getByRole('radio', { name: String(value), exact: true })
        .check();
    await grade(0, 5);
    const one = { [criteria[0].name]: 5 };
    await showsOrder(page, await listOf({ profile: [{ item: known.id, values: one }], top: 10 }));
    await grade(1, 2);
    const two = { ...one, [criteria[1].name]: 2 };
    const expected = await listOf({ profile: [{ item: known.id, values: two }], top: 10 });
    await showsOrder(page, expected);
    await page.reload();
    await showsOrder(page, expected);
    await page.getByRole('link', { name: /^Why / }).first().click();
    await page.waitForSelector('.heat');
    assert.equal(await page.locator('.heat tbody tr').count(), 1);
    assert.match(await page.locator('.heat tbody th').innerText(), new RegExp(known.title));
    await close();
  });
});

describe('why', () => {
  const number = (text) => Number(text.replace('−', '-').split('\n')[0]);

  test('the parts add up: rows, columns, and all of it to the score of the list', async () => {
    const user = await firstUser();
    const { page, close } = await open(
      world.browser,
      `${world.server.url}/#/recommend?user=${user}&w.food=2`,
    );
    await page.waitForSelector('.result');
    const [best] = (
      await ask(world.server.url, '/v1/recommendations', { user, top: 1, weights: { food: 2 } })
    ).items;
    await page.getByRole('link', { name: `Why ${best.title}?` }).click();
    await page.waitForSelector('.heat');
    const raw = page.getByRole('button', { name: 'Raw scores' });
    if (await raw.count()) await raw.click();
    const all = page.getByRole('button', { name: /^Show all/ });
    if (await all.count()) await all.click();
    const { rows, columns, total, score, shown } = await page.evaluate(() => {
      const exact = (cell) => Number(cell.dataset.value ?? 0);
      const text = (cell) => cell.innerText;
      const rows = [...document.querySelectorAll('.heat tbody tr')].map((row) => ({
        cells: [...row.querySelectorAll('td:not(.heat-sum)')].map(exact),
        sum: text(row.querySelector('.heat-sum')),
      }));
      return {
        rows,
        columns: [...document.querySelectorAll('.heat tfoot td:not(.heat-total)')].map(text),
        total: document.querySelector('.heat-total').innerText,
        score: exact(document.querySelector('.heat-total')),
        shown: document.querySelector('.equation .total').innerText,
      };
    });
    assert.ok(rows.length > 3);
    // Texts are rounded, and may share a power of ten.
    const unit = score / number(total);
    const near = (exact, text) =>
      Math.abs(exact / unit - number(text)) <=
      10 ** -(shown.split('.')[1]?.length ?? 0) + 1e-3 * number(total);
    for (const { cells, sum } of rows)
      assert.ok(
        near(
          cells.reduce((s, v) => s + v, 0),
          sum,
        ),
        'a row and its sum',
      );
    columns.forEach((sum, c) => {
      assert.ok(
        near(
          rows.reduce((s, { cells }) => s + cells[c], 0),
          sum,
        ),
        'a column and its sum',
      );
    });
    const everything = rows.flatMap(({ cells }) => cells).reduce((s, v) => s + v, 0);
    assert.ok(Math.abs(everything - score) <= 1e-9 * Math.abs(score));
    assert.ok(Math.abs(score - best.score) <= 1e-4 * Math.abs(best.score), 'the score of the list');
    assert.equal(total, shown);
    await close();
  });

  test('a shortened table adds up too', async () => {
    const { page, close } = await open(world.browser, `${world.server.url}/#/why`);
    await page.waitForSelector('.heat');
    await page.getByRole('button', { name: 'Raw scores' }).click();
    const sums = await page.locator('.heat tbody .heat-sum').allInnerTexts();
    const total = number(await page.locator('.heat-total').innerText());
    assert.ok(Math.abs(sums.reduce((s, text) => s + number(text), 0) - total) < 0.02 * total);
    await close();
  });

  test('an item that does not exist is an error that says so', async () => {
    const { page, close } = await open(
      world.browser,
      `${world.server.url}/#/why?user=${await firstUser()}&item=nope`,
    );
    assert.match(await page.getByRole('alert').innerText(), /nope/);
    await close();
  });
});

describe('items', () => {
  test('are searched, looked at, and lead to similar ones', async () => {
    const { items } = await ask(world.server.url, '/v1/items?limit=5');
    const wanted = items[3];
    const { page, close } = await open(world.browser, `${world.server.url}/#/items`);
    await page.getByRole('searchbox').fill(wanted.id);
    await page.waitForFunction(
      () => document.querySelectorAll('.item-table tbody tr').length === 1,
    );
    await page.getByRole('link', { name: wanted.title }).click();
    const similar = (
      await ask(world.server.url, `/v1/items/${encodeURIComponent(wanted.id)}/similar?top=10`)
    ).items;
    await page.waitForSelector('.similar li');
    assert.deepEqual(
      await page.locator('.similar a').allInnerTexts(),
      similar.map((s) => s.title),
    );
    const averages = await page
      .getByRole('img', { name: /^Average by criterion/ })
      .getAttribute('aria-label');
    assert.ok(averages.includes(wanted.means.overall.toFixed(2)), averages);
    await page.locator('.similar a').first().click();
    await page.getByRole('heading', { level: 2, name: similar[0].title }).waitFor();
    await close();
  });

  test('that are not there give a hint', async () => {
    const { page, close } = await open(world.browser, `${world.server.url}/#/items?q=zzzzzz`);
    await page.getByText('No item holds').waitFor();
    await close();
  });
});

describe('figures', () => {
  /** Whether something was drawn: a blank canvas has no pixel that is not transparent. */
  const drawn = (page) =>
    page.waitForFunction(() => {
      const all = [...document.querySelectorAll('canvas')];
      return (
        all.length > 0 &&
        all.every((canvas) =>
          canvas
            .getContext('2d')
            .getImageData(0, 0, canvas.width, canvas.height)
            .data.some((v) => v > 0),
        )
      );
    });

  for (const [name, text] of [
    ['data', 'The long tail'],
    ['model', 'How the settings were chosen'],
    ['service', 'Throughput'],
  ]) {
    test(`the page ${name} draws its charts and breaks no rule of the content policy`, async () => {
      const { page, errors, close } = await open(world.browser, `${world.server.url}/#/${name}`);
      await page.getByRole('heading', { name: text }).waitFor();
      await drawn(page);
      assert.deepEqual(errors, []);
      await close();
    });
  }

  test('the model says how its settings were chosen and what they gain', async () => {
    const { choice, settings } = await ask(world.server.url, '/v1/model');
    const { page, close } = await open(world.browser, `${world.server.url}/#/model`);
    await page.getByRole('heading', { name: 'How the settings were chosen' }).waitFor();
    const gains = page.locator('.gains tr');
    assert.equal(await gains.count(), choice.against.length + choice.without.length);
    assert.match(await gains.first().innerText(), /^\S.*[+−]\d+\.\d %/s);
    assert.ok(settings.length > 0);
    await close();
  });

  test('the counts are those of the service', async () => {
    const data = await ask(world.server.url, '/v1/data');
    const { page, close } = await open(world.browser, `${world.server.url}/#/data`);
    const people = page.locator('.tile', { hasText: 'People' }).locator('dd').first();
    assert.equal(await people.innerText(), String(data.users));
    await page.getByText('As a table').first().click();
    const [bin] = data.criteria[0].histogram;
    assert.ok(
      (await page.locator('.as-table[open] tbody tr').first().innerText()).startsWith(
        String(bin.from),
      ),
    );
    await close();
  });
});
