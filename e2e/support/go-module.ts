/** The files of a Go module, from the module cache or fetched into it. */
import { run } from './command.ts';
import { parseJson, textAt } from './json.ts';
import { tmpdir } from 'node:os';

/**
 * @param module as `sigs.k8s.io/gateway-api@v1.4.1`.
 * @returns its folder, read-only.
 * @throws when it cannot be had.
 */
export async function goModule(module: string): Promise<string> {
  const args = ['mod', 'download', '-json', module];
  const { code, stdout, stderr } = await run('go', args, { cwd: tmpdir() });
  if (code !== 0) throw new Error(`${module} cannot be had: ${stderr}${stdout}`);
  return textAt(parseJson(stdout), 'Dir');
}
