/**
 * kubectl apply, client side: three-way merges from the last applied manifest; and diff.
 */
import { expect, it } from 'vitest';

import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { configMap, deployment } from './manifests.ts';

await describeWith('kubectl', 'kubectl apply', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);
  const apply = (input: string) => kubectl('apply -f -', { input });

  it('creates, configures, leaves unchanged', async () => {
    expect(await apply(configMap('applied', { a: '1', b: '1' }))).toBe(
      'configmap/applied created\n',
    );
    expect(await apply(configMap('applied', { a: '2' }))).toBe('configmap/applied configured\n');
    expect(await apply(configMap('applied', { a: '2' }))).toBe('configmap/applied unchanged\n');
    expect(await kubectl("get configmap applied -o 'jsonpath={.data}'")).toBe('{"a":"2"}');
    expect(await kubectl('apply view-last-applied configmap applied -o json')).toContain(
      '"a": "2"',
    );
  });

  it('keeps what others have set, removes what was once applied', async () => {
    const env = [
      { name: 'FIRST', value: '1' },
      { name: 'SECOND', value: '2' },
    ];
    await apply(deployment('merged', { env }));
    expect(await apply(deployment('merged', { env }))).toBe('deployment.apps/merged unchanged\n');
    await kubectl('set env deployment/merged THIRD=3');
    await kubectl('scale deployment merged --replicas=5');
    const second = deployment('merged', {
      replicas: 5,
      env: env.slice(1),
      image: 'example/main:2',
    });
    expect(await apply(second)).toBe('deployment.apps/merged configured\n');
    const container = '{.spec.template.spec.containers[0]';
    const names = `get deployment merged -o 'jsonpath=${container}.env[*].name}'`;
    expect((await kubectl(names)).split(' ').sort()).toEqual(['SECOND', 'THIRD']);
    expect(await kubectl(`get deployment merged -o 'jsonpath=${container}.image}'`)).toBe(
      'example/main:2',
    );
  });

  it('several documents, a dry run, and apply over what create has made', async () => {
    const documents = [configMap('x', { a: '1' }), configMap('y', { a: '1' })].join('\n---\n');
    expect(await apply(documents)).toBe('configmap/x created\nconfigmap/y created\n');
    const dry = { input: configMap('x', { a: '2' }) };
    expect(await kubectl('apply --dry-run=server -f -', dry)).toBe(
      'configmap/x configured (server dry run)\n',
    );
    expect(await kubectl("get configmap x -o 'jsonpath={.data.a}'")).toBe('1');
    await kubectl('create configmap hand --from-literal=a=1');
    const input = configMap('hand', { a: '2' });
    const { code, stdout, stderr } = await kubectl.attempt('apply -f -', { input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'configmap/hand configured\n' });
    expect(stderr).toContain('missing the kubectl.kubernetes.io/last-applied-configuration');
  });

  it('diff: 1 and the lines that would change, 0 when none would', async () => {
    await apply(configMap('differing', { a: 'one', b: 'same' }));
    const same = { input: configMap('differing', { a: 'one', b: 'same' }) };
    expect(await kubectl.attempt('diff -f -', same)).toMatchObject({ code: 0, stdout: '' });
    const other = { input: configMap('differing', { a: 'two', b: 'same' }) };
    const { code, stdout } = await kubectl.attempt('diff -f -', other);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^-\s+a: one$/m);
    expect(stdout).toMatch(/^\+\s+a: two$/m);
    expect(stdout).not.toMatch(/^[-+]\s+(b:|resourceVersion|uid)/m);
    const fresh = { input: configMap('not-yet', { a: '1' }) };
    const made = await kubectl.attempt('diff -f -', fresh);
    expect(made.code).toBe(1);
    expect(made.stdout).toMatch(/^\+kind: ConfigMap$/m);
  });
});
