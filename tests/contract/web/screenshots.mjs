// Makes the pictures of docs/explorer.md: npm run screenshots
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ask, launch, makeStore, open, serve } from './harness.mjs';

const images = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const store = await makeStore({ users: 2000, items: 600, seed: 7 });
const server = await serve(store.store);
const browser = await launch();

/** `name`: of the file; `done`: what the page shows when it is complete. */
async function shoot(name, hash, done, { height = 800, ...options } = {}) {
  const { page, close } = await open(browser, `${server.url}/${hash}`, options);
  await page.waitForSelector(done);
  const { width } = page.viewportSize();
  await page.setViewportSize({ width, height });
  await page.screenshot({ path: `${images}${name}.png` });
  await close();
}

try {
  await mkdir(images, { recursive: true });
  const user = (await ask(server.url, '/v1/users?limit=40')).users.at(-1).id;
  await shoot('explorer-recommend', `#/recommend?user=${user}&w.food=2&w.value=0.5`, '.rank-move');
  await shoot('explorer-why', `#/why?user=${user}`, '.heat', { height: 900 });
  await shoot('explorer-phone', `#/recommend?user=${user}&w.service=2`, '.result', {
    phone: true,
    dark: true,
    height: 1000,
  });
} finally {
  await browser.close();
  await server.stop();
  await store.remove();
}
