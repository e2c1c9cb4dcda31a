/**
 * The official Python client, by e2e/python/check.py.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { parseJson } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const PROGRAM = join(import.meta.dirname, '../python/check.py');

await describeWith('python', 'the Python client', (env) => {
  const server = serverForThisFile();

  it('lists, watches and patches', async () => {
    const withConfig = { ...env, KUBECONFIG: server().kubeconfig };
    const { code, stdout, stderr } = await run('python3', [PROGRAM], { env: withConfig });
    expect(code, stderr).toBe(0);
    expect(parseJson(stdout)).toEqual({
      version: expect.stringMatching(/^v1\.36\.\d+\+everwatch/) as string,
      crud: [409, 404, 422, 409],
      list: [3, 3, 1],
      watch: ['ADDED', 'MODIFIED', 'DELETED'],
      patch: { a: '2', b: 'merge', c: 'strategic' },
      dynamic: 'RollingUpdate',
    });
  });
});
