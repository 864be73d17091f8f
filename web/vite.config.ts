import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: {
    outDir: '../python/textgrain/explorer/static',
    emptyOutDir: true,
    // Names without hashes: the same sources give the same files, and the server forbids keeping them.
    rollupOptions: {
      output: {
        entryFileNames: 'assets/page.js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
      },
    },
    // A data: address would be refused by the content security policy for anything but pictures.
    assetsInlineLimit: 0,
  },
  test: { include: ['src/**/*.test.ts'] },
});
