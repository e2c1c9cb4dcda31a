/**
 * Builds the page into dist/page: scripts and styles whose names have the digest of their content, each
 * beside itself compressed by brotli, and the one HTML file that names them. Nothing in it is of a
 * machine or a time, so the same sources give the same bytes.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build, type BuildOptions, type Metafile } from 'esbuild';

const compress = promisify(brotliCompress);

/** Where the server has its files from: gateway/routes/page.ts. */
const PLACE = '/everwatch/assets/';

/** What the browser is given. */
export const PAGE_BUILD: BuildOptions & { readonly metafile: true } = {
  entryPoints: { page: 'gateway/dashboard/main.tsx', style: 'gateway/dashboard/page.css' },
  bundle: true,
  splitting: true,
  minify: true,
  platform: 'browser',
  format: 'esm',
  target: ['chrome111', 'firefox121', 'safari16.4'],
  tsconfig: 'gateway/dashboard/tsconfig.json',
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  legalComments: 'none',
  metafile: true,
};

/** A clock whose hand points back; in the page itself, as one request less. */
const ICON =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='#175fa8' " +
  "stroke-width='2.6' stroke-linecap='round' stroke-linejoin='round'>" +
  "<circle cx='12' cy='12' r='9.5'/><path d='M12 6.5V12l-4 2.6'/></svg>";

/** Writes the page into `folder`. */
export async function buildPage(folder: string): Promise<Metafile> {
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({ ...PAGE_BUILD, outdir: folder, logLevel: 'warning' });
  await writeFile(join(folder, 'index.html'), htmlOf(metafile));
  const names = [...Object.keys(metafile.outputs).map((path) => basename(path)), 'index.html'];
  await Promise.all(names.map((name) => compressed(join(folder, name))));
  return metafile;
}

async function compressed(path: string): Promise<void> {
  const plain = await readFile(path);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  await writeFile(`${path}.br`, await compress(plain, { params }));
}

function htmlOf({ outputs }: Metafile): string {
  const entries = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  const [path, entry] = entries.find(([name]) => name.endsWith('.js')) ?? [];
  const [style] = entries.find(([name]) => name.endsWith('.css')) ?? [];
  if (path === undefined || entry === undefined || style === undefined) {
    throw new Error('the page has no entry point');
  }
  const now = entry.imports.filter(({ kind }) => kind === 'import-statement');
  const place = (one: string): string => PLACE + basename(one);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<title>Everwatch</title>',
    `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">`,
    `<link rel="stylesheet" href="${place(style)}">`,
    ...now.map((one) => `<link rel="modulepreload" href="${place(one.path)}">`),
    `<script type="module" src="${place(path)}"></script>`,
    '</head>',
    '<body><div id="page"></div></body>',
    '</html>',
    '',
  ].join('\n');
}
