/**
 * Builds dist/: the server as one file, because a start that reads three hundred modules is slow,
 * and beside it the generated facts that are read when they are first needed.
 */
import { cp, mkdir, rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { writeDescriptions } from './build-descriptions.ts';

const OUT = 'dist';

await rm(OUT, { recursive: true, force: true });
await mkdir(`${OUT}/generated`, { recursive: true });
await build({
  entryPoints: { everwatch: 'gateway/cli/main.ts' },
  outdir: OUT,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Native modules, and packages that load files of their own, stay where npm put them.
  packages: 'external',
  sourcemap: true,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
await cp('api/generated', `${OUT}/generated`, {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
});
writeDescriptions(`${OUT}/generated/descriptions.json`);
