/** `kubectl everwatch …`: kubectl finds the program by its name and hands everything on. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { kubectlFor, rowsOf } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { SERVER_PROGRAM } from '../support/server.ts';

await describeWith('kubectl', 'the kubectl plugin', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);
  const bin = mkdtempSync(join(tmpdir(), 'everwatch-plugin-'));
  const plugin = join(bin, 'kubectl-everwatch');
  writeFileSync(plugin, `#!/bin/sh\nexec "${process.execPath}" "${SERVER_PROGRAM}" "$@"\n`);
  chmodSync(plugin, 0o755);
  afterAll(() => {
    rmSync(bin, { recursive: true, force: true });
  });
  const env = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };

  it('is listed by kubectl', async () => {
    expect(await kubectl('plugin list', { env })).toContain(plugin);
  });

  it('takes the flags that kubectl has', async () => {
    await kubectl('create namespace shop');
    await kubectl('create configmap settings --from-literal=a=1 -n shop');
    const history = (flags: string) => kubectl(`everwatch history cm/settings ${flags}`, { env });
    const { kubeconfig } = server();
    const bare = { ...env, KUBECONFIG: '/no/such/file' };
    for (const shown of [
      await history('-n shop'),
      await history('--namespace=shop --context everwatch'),
      await kubectl(`everwatch history cm/settings -n shop --kubeconfig ${kubeconfig}`, {
        env: bare,
      }),
    ]) {
      expect(rowsOf(shown)[1]?.slice(2)).toEqual([
        'kubernetes-admin',
        'create',
        'kubectl-create',
        'created',
      ]);
    }
    await kubectl('config set-context --current --namespace=shop', { env });
    expect(rowsOf(await history(''))).toHaveLength(2);
  });

  it('hands the exit code back', async () => {
    const { code, stderr } = await kubectl.attempt('everwatch history cm/none -n shop', { env });
    expect(code).toBe(1);
    expect(stderr).toContain('there never was a configmaps/none in namespace "shop"');
  });
});
