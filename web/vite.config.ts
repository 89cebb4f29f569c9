import { defineConfig } from 'vitest/config';

// PALATE_SERVER: where `palate serve` listens while the explorer is developed with `npm run dev`.
const server = process.env['PALATE_SERVER'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    // The content policy of the server allows no inline script, style or data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
  },
  server: { proxy: { '/v1': server } },
  test: { include: ['tests/**/*.test.ts'] },
});
