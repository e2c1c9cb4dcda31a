/** A fork as people use it: kubectl, and the commands of everwatch. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { parseJson, textAt } from '../support/json.ts';
import { kubectlFor, rowsOf } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-forks-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const FORK = (name: string, spec: string) =>
  `apiVersion: dev.everwatch/v1alpha1\nkind: Fork\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

await describeWith('kubectl', 'kubectl and forks', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);

  const everwatch = (...args: string[]) =>
    run(process.execPath, [SERVER_PROGRAM, ...args], {
      env: { PATH: process.env['PATH'], KUBECONFIG: server().kubeconfig },
    });
  const make = (name: string, spec = '{}') => kubectl('create -f -', { input: FORK(name, spec) });
  const inFork = (name: string, words: string) =>
    kubectl(`--server ${server().url}/forks/${name} ${words}`);
  const revision = async () =>
    textAt(
      parseJson(await kubectl('get --raw /api/v1/namespaces/default/configmaps')),
      'metadata',
      'resourceVersion',
    );

  it('is a resource like the others', async () => {
    const resources = await kubectl('api-resources --api-group=dev.everwatch --no-headers');
    expect(resources.trim().split(/ +/)).toEqual([
      'forks',
      'dev.everwatch/v1alpha1',
      'false',
      'Fork',
    ]);
    const explained = await kubectl('explain fork.spec');
    expect(explained).toMatch(/^ {2}revision\t<string>\n {4}\S/m);
    expect(explained).toMatch(/^ {2}time\t<string>\n {4}\S/m);
    expect(await kubectl('apply -f -', { input: FORK('as-applied', '{}') })).toContain('created');
    expect(await kubectl('apply -f -', { input: FORK('as-applied', '{}') })).toContain('unchanged');
    const [head, row] = rowsOf(await kubectl('get forks as-applied'));
    expect(head).toEqual(['NAME', 'REVISION', 'AGE', 'PHASE']);
    expect(row).toMatchObject({ 0: 'as-applied', 3: 'Ready' });
    expect(row?.[1]).toMatch(/^\d+$/);
  });

  it('begins with the past, and goes its own way', async () => {
    await kubectl('create configmap story --from-literal=part=1');
    await kubectl('create configmap gone --from-literal=part=1');
    const then = await revision();
    await kubectl('patch configmap story -p {"data":{"part":"2"}}');
    await kubectl('delete configmap gone');
    await make('then', `{revision: "${then}"}`);
    const part = '-o jsonpath={.data.part}';

    expect(await inFork('then', `get cm story ${part}`)).toBe('1');
    expect(await inFork('then', `get cm gone ${part}`)).toBe('1');
    await inFork('then', 'patch configmap story -p {"data":{"part":"3"}}');
    await inFork('then', 'create deployment web --image=nginx --replicas=3');
    await inFork('then', 'scale deployment web --replicas=5');
    await inFork('then', 'delete configmap gone');

    expect(await kubectl(`get cm story ${part}`)).toBe('2');
    expect((await kubectl.attempt('get deployment web')).code).toBe(1);
    expect(await inFork('then', 'get deployment web -o jsonpath={.spec.replicas}')).toBe('5');
    expect(await inFork('then', `get cm story ${part}`)).toBe('3');
    // What it counts on from its base its parent has long had otherwise.
    const ownRevision = Number(
      await inFork('then', `get cm story -o jsonpath={.metadata.resourceVersion}`),
    );
    expect(ownRevision).toBe(Number(then) + 1);
    // And it has a past itself, before and behind its base.
    expect(await inFork(`then/at/${String(ownRevision)}`, `get cm gone ${part}`)).toBe('1');
    expect(await inFork(`then/at/${then}`, `get cm story ${part}`)).toBe('1');
  });

  it('can be watched while both are written to', async () => {
    await make('watched');
    const watching = kubectl.start(
      `--server ${server().url}/forks/watched get cm -w --output-watch-events --no-headers`,
    );
    await eventually('the watch begins', () => /ADDED +story/.test(watching.stdout()) || undefined);
    await kubectl('create configmap main-only');
    await inFork('watched', 'create configmap fork-only');
    await inFork('watched', 'delete configmap fork-only');
    await eventually(
      'both changes',
      () => /DELETED +fork-only/.test(watching.stdout()) || undefined,
    );
    expect(watching.stdout()).not.toContain('main-only');
    await kubectl('delete fork watched');
    expect((await watching.ended).code).toBeGreaterThanOrEqual(0);
    const after = await kubectl.attempt(`--server ${server().url}/forks/watched get cm`);
    expect(after.stderr).toContain('forks.dev.everwatch "watched" not found');
  });

  it('is refused where it cannot begin, and cannot be moved', async () => {
    const refused = async (spec: string): Promise<string> => {
      const { code, stderr } = await kubectl.attempt('create -f -', { input: FORK('nope', spec) });
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refused('{revision: "999999999"}')).toContain(
      'spec.revision: Invalid value: "999999999": must not be later than the newest',
    );
    expect(await refused('{revision: "-1"}')).toContain('must be a resourceVersion');
    expect(await refused('{time: yesterday}')).toContain('spec.time: Invalid value: "yesterday"');
    expect(await refused('{time: "1999-01-01T00:00:00Z"}')).toContain(
      'is before everything that is kept',
    );
    const long = await kubectl.attempt('create -f -', { input: FORK('a.b', '{}') });
    expect(long.stderr).toContain('metadata.name: Invalid value: "a.b"');
    await make('fixed');
    const moved = await kubectl.attempt(
      'patch fork fixed --type=merge -p {"spec":{"revision":"2"}}',
    );
    expect(moved.stderr).toContain('field is immutable');
    const inside = await kubectl.attempt(`--server ${server().url}/forks/fixed get forks`);
    expect(inside.stderr).toContain('the server doesn\'t have a resource type "forks"');
  });

  it('is made at a time', async () => {
    await kubectl('create configmap timed --from-literal=part=1');
    const created = await kubectl('get cm timed -o jsonpath={.metadata.creationTimestamp}');
    const then = new Date(Date.parse(created) - 1_000).toISOString();
    await make('before', `{time: "${then}"}`);
    const found = await kubectl.attempt(`--server ${server().url}/forks/before get cm timed`);
    expect(found.stderr).toContain('configmaps "timed" not found');
    await make('since', `{time: "${new Date(Date.now() + 60_000).toISOString()}"}`);
    expect(await inFork('since', 'get cm timed -o name')).toBe('configmap/timed\n');
  });

  it('comes and goes with the commands of everwatch', async () => {
    const made = await everwatch('fork', 'create', 'by-hand');
    expect(made).toMatchObject({ code: 0 });
    expect(made.stdout).toContain(`${server().url}/forks/by-hand`);
    const listed = await everwatch('fork', 'list');
    expect(rowsOf(listed.stdout).map(([name]) => name)).toContain('by-hand');

    const kubeconfig = await everwatch('fork', 'kubeconfig', 'by-hand');
    const path = join(folder, 'by-hand.kubeconfig');
    writeFileSync(path, kubeconfig.stdout);
    const env = { KUBECONFIG: path };
    await kubectl('create namespace only-here', { env });
    expect(await kubectl('get ns only-here -o name', { env })).toBe('namespace/only-here\n');
    expect((await kubectl.attempt('get ns only-here')).code).toBe(1);

    expect(await everwatch('fork', 'delete', 'by-hand')).toMatchObject({ code: 0 });
    const again = await everwatch('fork', 'delete', 'by-hand');
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toBe('everwatch: forks.dev.everwatch "by-hand" not found\n');
    const past = await everwatch('fork', 'create', 'past', '--at', '1');
    expect(past.stdout).toContain('begins at revision 1:');
  });
});
