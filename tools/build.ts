/**
 * Builds dist/: the server as one file, because a start that reads three hundred modules is slow,
 * and beside it the generated facts that are read when they are first needed.
 */
import { cp, mkdir, rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { SERVER_BUILD } from '../server-build.ts';
import { writeDescriptions } from './build-descriptions.ts';

const OUT = 'dist';

await rm(OUT, { recursive: true, force: true });
await mkdir(`${OUT}/generated`, { recursive: true });
await build({
  ...SERVER_BUILD,
  outdir: OUT,
  sourcemap: true,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
await cp('api/generated', `${OUT}/generated`, {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
});
writeDescriptions(`${OUT}/generated/descriptions.json`);
