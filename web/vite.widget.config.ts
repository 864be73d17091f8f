/** The widget for notebooks: one module with its style inside, built beside the page. */
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  // In a notebook nobody loads a file of styles; each component brings its own.
  plugins: [svelte({ compilerOptions: { css: 'injected' } })],
  publicDir: false,
  build: {
    outDir: '../python/textgrain/explorer/static',
    emptyOutDir: false,
    lib: { entry: 'src/widget.ts', formats: ['es'], fileName: () => 'widget.js' },
    rolldownOptions: { output: { minify: true } },
  },
});
