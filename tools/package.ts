/**
 * Makes `everwatch-VERSION-PLATFORM-ARCH.tar.gz` with everything that the server needs, Node too, and prints its path and
 * size: `npm run package [FOLDER] [PLATFORM]`. It is for this platform, and has the Node that makes it, with the compiled
 * code of the build; or for `linux-x64`, `linux-arm64`, `darwin-x64` or `darwin-arm64`, with Node from the npm registry.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packageName, stagePackage } from './package-content.ts';
import { runArguments } from '../run-arguments.ts';

const MEBIBYTE = 1024 * 1024;
const MEBIBYTES_MAX = 60;

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const [to = 'packages', platform] = positionals;
const folder = resolve(to);
const staging = mkdtempSync(join(tmpdir(), 'everwatch-package-'));
try {
  const name = packageName(platform);
  stagePackage(join(staging, name), platform);
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, `${name}.tar.gz`);
  execFileSync('tar', ['-czf', archive, '--owner=0', '--group=0', '-C', staging, name]);
  const mebibytes = statSync(archive).size / MEBIBYTE;
  process.stdout.write(`${archive} ${mebibytes.toFixed(1)} MiB\n`);
  if (mebibytes > MEBIBYTES_MAX) throw new Error(`more than ${String(MEBIBYTES_MAX)} MiB`);
} finally {
  rmSync(staging, { recursive: true, force: true });
}
