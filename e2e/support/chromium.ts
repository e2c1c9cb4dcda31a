/** Chromium, where this machine has one. */
import { run } from './command.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of the first that runs. @throws where there is none. */
export async function chromiumProgram(): Promise<string> {
  for (const name of NAMES) {
    const found = await run('sh', ['-c', `command -v ${name}`]);
    if (found.code === 0) return found.stdout.trim();
  }
  throw new Error(`none of ${NAMES.join(', ')} is on the PATH`);
}
