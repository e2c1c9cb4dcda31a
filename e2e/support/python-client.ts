/**
 * Installs the official Python client, in the version of e2e/python/requirements.txt, beside
 * nothing else: a folder for PYTHONPATH, so that the machine's own packages stay as they are.
 */
import { join } from 'node:path';

import { cached } from '../../tools/build-cache.fixture.ts';
import { run } from './command.ts';

const REQUIREMENTS = join(import.meta.dirname, '../python/requirements.txt');
const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** The environment in which `python3` imports `kubernetes`. @throws where there is no pip. */
export async function pythonClient(): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await run('python3', ['--version']);
  const name = `python-${stdout.trim().replace(/[^0-9.]/g, '')}`;
  const path = await cached({ name, sources: [REQUIREMENTS], build: install });
  return { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' };
}

async function install(path: string): Promise<void> {
  console.info('Installing the real Python client.');
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  args.push('--target', path, '--requirement', REQUIREMENTS);
  const { code, stderr } = await run('python3', args, { timeoutMs: INSTALL_TIMEOUT_MS });
  if (code !== 0) throw new Error(`pip install failed: ${stderr.trim()}`);
}
