/**
 * Builds dist/: the server as one file, because a start that reads three hundred modules is slow,
 * and beside it its compiled code for this release of Node, the objects of an empty control plane, the generated facts that are read when they are
 * first needed, the client library and the page.
 */
import { cp, mkdir, rm } from 'node:fs/promises';
import { build, type BuildOptions } from 'esbuild';
import { LAUNCHER_BUILD, PROGRAM_BUILD, STAND_IN_BUILD, THREADS_BUILD } from '../server-build.ts';
import { logSites } from './log-sites.ts';
import { buildClient } from './build-client.ts';
import { buildCode } from './build-code.ts';
import { buildFirstObjects } from './build-first-objects.ts';
import { buildPage } from './build-page.ts';
import { writeDescriptions } from './build-descriptions.ts';
import { runArguments } from '../run-arguments.ts';

runArguments(import.meta.filename, {});

const OUT = 'dist';
/** As `engines` in package.json says. */
const OLDEST_NODE = { major: 20, minor: 20 };

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor)) {
  const oldest = `${String(OLDEST_NODE.major)}.${String(OLDEST_NODE.minor)}`;
  throw new Error(`Node ${oldest} or newer is needed, and this is ${process.version}`);
}

await rm(OUT, { recursive: true, force: true });
await mkdir(`${OUT}/generated`, { recursive: true });
const common: BuildOptions = {
  outdir: OUT,
  sourcemap: true,
  plugins: [logSites],
  logLevel: 'warning',
};
await build({ ...PROGRAM_BUILD, ...common });
await build({ ...STAND_IN_BUILD, ...common });
await build({ ...THREADS_BUILD, ...common });
await build({ ...LAUNCHER_BUILD, ...common, banner: { js: '#!/usr/bin/env node' } });
await cp('api/generated', `${OUT}/generated`, {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
});
writeDescriptions(`${OUT}/generated/descriptions.json`);
await buildPage(`${OUT}/page`);
await buildClient(`${OUT}/client`);
await buildFirstObjects(OUT);
buildCode(OUT);
