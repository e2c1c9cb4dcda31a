/** How much a browser loads: of the page, and of the client library with what it takes of rxjs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { buildPage } from './build-page.ts';
import { CLIENT_BUILD } from './build-client.ts';

const KIB = 1_024;

it('the first screen is at most 45 KiB of scripts, all of the page 250, and nothing comes from elsewhere', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-page-'));
  try {
    const { outputs } = await buildPage(folder);
    const sizeOf = (path: string): number =>
      readFileSync(join(folder, `${basename(path)}.br`)).length;
    const scripts = Object.entries(outputs).filter(([path]) => path.endsWith('.js'));
    const entry = scripts.find(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx') === true);
    const first = [
      entry?.[0] ?? '',
      ...(entry?.[1].imports ?? [])
        .filter(({ kind }) => kind === 'import-statement')
        .map(({ path }) => path),
    ];
    const sum = (paths: readonly string[]): number =>
      paths.reduce((bytes, path) => bytes + sizeOf(path), 0);
    expect(sum(first)).toBeGreaterThan(10 * KIB);
    expect(sum(first)).toBeLessThanOrEqual(45 * KIB);
    expect(sum(scripts.map(([path]) => path))).toBeLessThanOrEqual(250 * KIB);
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    const named = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, place = '']) => place);
    expect(named.length).toBeGreaterThanOrEqual(2);
    expect(named.filter((place) => !/^(?:\/everwatch\/assets\/|data:image)/.test(place))).toEqual(
      [],
    );
    expect(html).not.toMatch(/<style|<script(?! type="module" src=)|\son\w+=/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the client library is at most 12 KiB with what it takes of rxjs', async () => {
  const { outputFiles } = await build({
    ...CLIENT_BUILD,
    external: [],
    platform: 'browser',
    minify: true,
    write: false,
    // As in a program that uses the library and nothing else of rxjs.
    stdin: {
      contents: "export { connect } from './gateway/client/browser.ts';",
      resolveDir: join(import.meta.dirname, '..'),
    },
  });
  const size = outputFiles.reduce(
    (bytes, one) => bytes + brotliCompressSync(one.contents).length,
    0,
  );
  expect(size).toBeGreaterThan(3 * KIB);
  expect(size).toBeLessThanOrEqual(12 * KIB);
});
