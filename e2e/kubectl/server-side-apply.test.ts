/**
 * kubectl apply --server-side: managers, conflicts, force; over what was applied client
 * side; dry runs and diffs; strict decoding; and editing a status.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { listAt, parseJson, textAt, type JsonObject } from '../support/json.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { configMap, deployment } from './manifests.ts';

await describeWith('kubectl', 'kubectl apply --server-side', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);
  const apply = (input: string, flags = '') =>
    kubectl.attempt(`apply --server-side ${flags} -f -`, { input });
  const managersOf = async (what: string): Promise<string[]> => {
    const object = parseJson(await kubectl(`get ${what} -o json --show-managed-fields`));
    return listAt(object, 'metadata', 'managedFields').map((entry) =>
      [textAt(entry, 'manager'), textAt(entry, 'operation'), textAt(entry, 'subresource')]
        .join(' ')
        .trimEnd(),
    );
  };

  it('makes, changes, leaves unchanged, and takes away what is applied no more', async () => {
    const applied = 'configmap/applied serverside-applied\n';
    expect(await apply(configMap('applied', { a: '1', b: '1' }))).toMatchObject({
      code: 0,
      stdout: applied,
    });
    const version = (): Promise<string> =>
      kubectl("get configmap applied -o 'jsonpath={.metadata.resourceVersion}'");
    const before = await version();
    await apply(configMap('applied', { a: '1', b: '1' }));
    expect(await version()).toBe(before);
    await apply(configMap('applied', { a: '2' }));
    expect(await kubectl("get configmap applied -o 'jsonpath={.data}'")).toBe('{"a":"2"}');
    expect(await managersOf('configmap applied')).toEqual(['kubectl Apply']);
    expect(await kubectl('get configmap applied -o yaml')).not.toContain('managedFields');
  });

  it('YAML as well, several documents of it', async () => {
    const input = [
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: first\ndata:\n  a: "1"\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: second\ndata: {b: "2"}\n',
    ].join('---\n');
    expect(await apply(input)).toMatchObject({
      stderr: '',
      stdout: 'configmap/first serverside-applied\nconfigmap/second serverside-applied\n',
    });
  });

  it('conflicts with the manager of a field, unless it is forced', async () => {
    await apply(deployment('contested', { replicas: 2 }), '--field-manager=one');
    const other = deployment('contested', { replicas: 3, image: 'example/main:2' });
    const refused = await apply(other, '--field-manager=two');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Apply failed with 2 conflicts: conflicts with "one":');
    expect(refused.stderr).toContain('- .spec.replicas');
    expect(refused.stderr).toContain(
      '- .spec.template.spec.containers[name="main"].image\nPlease review the fields above',
    );
    const forced = await apply(other, '--field-manager=two --force-conflicts');
    expect(forced).toMatchObject({ code: 0 });
    expect(await managersOf('deployment contested')).toEqual(['one Apply', 'two Apply']);
    await kubectl('scale deployment contested --replicas=9');
    expect(await managersOf('deployment contested')).toEqual([
      'one Apply',
      'two Apply',
      // It is called as its file is.
      expect.stringMatching(/^kubectl\S* Update scale$/),
    ]);
    const late = await apply(other, '--field-manager=two');
    expect(late.stderr).toMatch(/conflict with "kubectl\S*" with subresource "scale"/);
  });

  it('goes on where kubectl applied client side before', async () => {
    const before = deployment('upgraded', { replicas: 2 });
    await kubectl('apply -f -', { input: before });
    expect(await managersOf('deployment upgraded')).toEqual(['kubectl-client-side-apply Update']);
    const after = await apply(deployment('upgraded', { replicas: 4, image: 'example/main:2' }));
    expect(after).toMatchObject({ code: 0, stderr: '' });
    // Of these one keeps the last applied manifest up to date, for clients that go back.
    expect((await managersOf('deployment upgraded')).sort()).toEqual([
      'kubectl Apply',
      'kubectl-last-applied Apply',
    ]);
    const last = await kubectl('apply view-last-applied deployment upgraded -o json');
    expect(last).toContain('example/main:2');
    // And back again, as kubectl warns of nothing.
    const back = await kubectl.attempt('apply -f -', { input: before });
    expect(back).toMatchObject({ code: 0, stdout: 'deployment.apps/upgraded configured\n' });
  });

  it('as a dry run shows what would be, and diff what would change', async () => {
    await apply(configMap('differing', { a: 'one', b: 'same' }));
    const other = configMap('differing', { a: 'two', b: 'same' });
    expect((await apply(other, '--dry-run=server')).stdout).toBe(
      'configmap/differing serverside-applied (server dry run)\n',
    );
    const input = { input: other };
    const { code, stdout } = await kubectl.attempt('diff --server-side -f -', input);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^-\s+a: one$/m);
    expect(stdout).toMatch(/^\+\s+a: two$/m);
    expect(await kubectl("get configmap differing -o 'jsonpath={.data.a}'")).toBe('one');
    const same = { input: configMap('differing', { a: 'one', b: 'same' }) };
    expect(await kubectl.attempt('diff --server-side -f -', same)).toMatchObject({ code: 0 });
  });

  it('is strict by default, and may warn or say nothing', async () => {
    const strange = JSON.stringify({
      ...(JSON.parse(configMap('strange', { a: '1' })) as JsonObject),
      spce: 1,
    });
    const create = (flag: string) => kubectl.attempt(`create ${flag} -f -`, { input: strange });
    const strict = await create('--validate=strict');
    expect(strict.code).toBe(1);
    expect(strict.stderr).toContain('strict decoding error: unknown field "spce"');
    const warned = await create('--validate=warn');
    expect(warned).toMatchObject({ code: 0, stderr: 'Warning: unknown field "spce"\n' });
    await kubectl('delete configmap strange');
    expect(await create('--validate=ignore')).toMatchObject({ code: 0, stderr: '' });
    const applied = await apply(strange);
    expect(applied.code).toBe(1);
    expect(applied.stderr).toContain('.spce: field not declared in schema');
  });

  it('tells of keys that stand there twice', async () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: repeated\ndata:\n  a: "1"\n  a: "2"\n';
    const client = adminClient(server());
    const path = '/api/v1/namespaces/default/configmaps';
    const post = (validation: string) =>
      client.send('POST', `${path}?fieldValidation=${validation}`, {
        headers: { 'content-type': 'application/yaml' },
        body: text,
      });
    const problem = 'line 7: key "a" already set in map';
    expect(textAt((await post('Strict')).body, 'message')).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        `strict decoding error: yaml: unmarshal errors:\n  ${problem}`,
    );
    const warned = await post('Warn');
    expect(warned.status).toBe(201);
    expect(warned.headers['warning']).toBe(`299 - "${problem.replaceAll('"', '\\"')}"`);
    const applied = await client.send('PATCH', `${path}/repeated?fieldManager=me&force=true`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: text,
    });
    expect(applied.headers['warning']).toBe(`299 - "${problem.replaceAll('"', '\\"')}"`);
    const strict = `${path}/repeated?fieldManager=me&fieldValidation=Strict`;
    const refused = await client.send('PATCH', strict, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: text,
    });
    expect(textAt(refused.body, 'message')).toBe(
      'error strict decoding YAML: error converting YAML to JSON: ' +
        `yaml: unmarshal errors:\n  ${problem}`,
    );
    client.close();
  });

  it('of a status by kubectl edit leaves the spec alone', async () => {
    await apply(deployment('edited', { replicas: 2 }));
    const editor = join(tmpdir(), `everwatch-editor-${String(process.pid)}.sh`);
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/^status:.*/status:\\n  replicas: 2/" "$1"\n', {
      mode: 0o755,
    });
    const env = { KUBE_EDITOR: editor };
    expect(await kubectl('edit deployment edited --subresource=status', { env })).toBe(
      'deployment.apps/edited edited\n',
    );
    expect(await managersOf('deployment edited')).toEqual([
      'kubectl Apply',
      'kubectl-edit Update status',
    ]);
    expect(await kubectl("get deployment edited -o 'jsonpath={.status.replicas}'")).toBe('2');
  });
});
