// Lists of people and items, what to do about a person who is not there, lists as files.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { ask, open, setUp } from './harness.mjs';

const world = setUp();

const hrefOf = (hash) => `${world.server.url}/${hash}`;
const column = (page, n) => page.locator(`.item-table tbody td:nth-child(${n})`).allInnerTexts();
/** Waits until a column of the table shows this. */
const shows = (page, n, expected) =>
  page.waitForFunction(
    ([at, want]) =>
      JSON.stringify(
        [...document.querySelectorAll(`.item-table tbody td:nth-child(${at})`)].map((c) =>
          c.innerText.trim(),
        ),
      ) === want,
    [n, JSON.stringify(expected)],
  );

describe('a person who is not there', () => {
  test('is met with near matches and a newcomer, on both pages that ask for one', async () => {
    for (const name of ['recommend', 'why']) {
      const { page, close } = await open(world.browser, hrefOf(`#/${name}?user=U00l2&w.food=2`));
      const alert = page.getByRole('alert');
      assert.match(await alert.innerText(), /Nobody here has the id “U00l2”/);
      await alert.getByRole('link', { name: 'u0012', exact: true }).click();
      await page.waitForSelector(name === 'why' ? '.heat' : '.result');
      assert.match(page.url(), /user=u0012&.*w\.food=2|w\.food=2.*user=u0012/);
      await page.goBack();
      await page.getByRole('link', { name: 'Be a newcomer' }).click();
      await page.getByRole('heading', { name: 'For a newcomer' }).waitFor();
      await close();
    }
  });
});

describe('people', () => {
  test('are listed with counts, page by page, and lead to their lists', async () => {
    const { users } = await ask(world.server.url, '/v1/users?limit=100');
    const { page, errors, close } = await open(world.browser, hrefOf('#/people'));
    await page.getByRole('button', { name: 'Show more' }).click();
    await shows(
      page,
      1,
      users.map(({ id }) => id),
    );
    assert.deepEqual(
      await column(page, 2),
      users.map(({ ratings }) => String(ratings)),
    );
    await page.getByRole('searchbox').fill('U0299');
    await shows(page, 1, ['u0299']);
    await page.getByRole('link', { name: 'u0299' }).click();
    await page.getByRole('heading', { level: 1, name: 'For u0299' }).waitFor();
    await page.goBack();
    await page.getByRole('searchbox').fill('zzz');
    await page.getByRole('link', { name: 'Be a newcomer' }).waitFor();
    assert.deepEqual(errors, []);
    await close();
  });
});

describe('items', () => {
  const put = (id, body) =>
    fetch(hrefOf(`v1/items/${id}`), {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  before(async () => {
    await put('r0001', { title: 'Aardvark', attributes: { style: 'bar', image: '/favicon.svg' } });
    await put('r0002', { title: 'Zz', attributes: { style: 'bar', image: 'javascript:alert(1)' } });
    await put('r0003', { title: 'Middle', attributes: { style: 'café & co: 2' } });
  });

  test('are sorted by any column, both ways, and the address keeps it', async () => {
    const { page, errors, close } = await open(world.browser, hrefOf('#/items'));
    const order = async (sort) =>
      (await ask(world.server.url, `/v1/items?limit=25&sort=${sort}`)).items.map((i) => i.title);
    for (const [name, sorts] of [
      ['Item', ['title', '-title']],
      ['People', ['-raters', 'raters']],
      ['overall', ['-mean:overall', 'mean:overall']],
      ['food', ['-mean:food', 'mean:food']],
    ])
      for (const sort of sorts) {
        await page.getByRole('button', { name, exact: true }).click();
        await shows(page, 1, await order(sort));
      }
    const head = page.getByRole('columnheader', { name: 'food' });
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    await page.reload();
    await shows(page, 1, await order('mean:food'));
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.waitForFunction(
      () => document.querySelectorAll('.item-table tbody tr').length === 50,
    );
    assert.deepEqual(errors, []);
    await close();
  });

  test('are filtered by attributes', async () => {
    const { page, close } = await open(world.browser, hrefOf('#/items?sort=title'));
    const style = page.getByLabel('style');
    await style.selectOption('bar');
    await shows(page, 1, ['Aardvark', 'Zz']);
    await page.getByRole('searchbox').fill('zZ');
    await shows(page, 1, ['Zz']);
    await style.selectOption('café & co: 2');
    await page.getByRole('button', { name: 'Show all items' }).click();
    await page.waitForFunction(
      () => document.querySelectorAll('.item-table tbody tr').length === 25,
    );
    await close();
  });

  test('show pictures that are nothing but pictures', async () => {
    const { page, errors, close } = await open(world.browser, hrefOf('#/items?f.style=bar'));
    await shows(page, 1, ['Aardvark', 'Zz']);
    const sources = () => page.locator('img.picture').evaluateAll((all) => all.map((i) => i.src));
    assert.deepEqual(await sources(), [hrefOf('favicon.svg')]);
    await page.getByRole('link', { name: 'Zz' }).click();
    await page.getByRole('heading', { level: 2, name: 'Zz' }).waitFor();
    assert.deepEqual(await sources(), [hrefOf('favicon.svg')]);
    // What is no picture is text.
    await page.getByText('javascript:alert(1)').waitFor();
    await page.getByRole('link', { name: 'Aardvark' }).click();
    await page.locator('img.picture.large').waitFor();
    assert.deepEqual(errors, []);
    await close();
  });
});

describe('a list', () => {
  test('is saved as CSV', async () => {
    const { page, errors, close } = await open(
      world.browser,
      hrefOf('#/recommend?user=u0007&w.food=2'),
    );
    await page.waitForSelector('.result');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), 'recommendations-u0007.csv');
    const lines = (await readFile(await saved.path(), 'utf8')).split('\r\n');
    assert.match(
      lines[0],
      /^\ufeffuser,rank,item,title,score,match,predicted overall,.*,from overall,from food/,
    );
    const { items } = await ask(world.server.url, '/v1/recommendations', {
      user: 'u0007',
      weights: { food: 2 },
      top: 10,
    });
    assert.equal(lines.length, items.length + 2);
    items.forEach(({ item, rank }, k) =>
      assert.ok(lines[k + 1].startsWith(`u0007,${rank},${item},`)),
    );
    assert.deepEqual(errors, []);
    await close();
  });
});
