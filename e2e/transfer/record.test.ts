/**
 * Recording a cluster, a real server in the place of any other, while the recorder is killed, the
 * cluster restarts, or comes back as another. What was recorded is compared with the cluster's own
 * log, object by object and change by change.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import type { RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { at, listAt, parseJson, textAt } from '../support/json.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { everwatch, historiesOf, recordsIn, startEverwatch, stateOf } from './everwatch.ts';
import {
  gapsIn,
  listedIn,
  notedIn,
  placeOf,
  recordable,
  untilAllRecorded,
  untilRecorded,
} from './recorded.ts';
import { startTraffic, writeHistory } from './traffic.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-record-'));
const KILLS = 4;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function startRecorder(
  server: RunningServer,
  dataDir: string,
  args: string[] = [],
): RunningCommand {
  return startEverwatch([
    'record',
    '--kubeconfig',
    server.kubeconfig,
    '--data-dir',
    dataDir,
    ...args,
  ]);
}

describe('a recorder', () => {
  it('records a cluster, and what it has recorded is served read-only at once', async () => {
    const server = await startServer();
    const client = adminClient(server);
    const dataDir = join(folder, 'plain');
    await client.post('/api/v1/namespaces', { metadata: { name: 'before' } });
    const recorder = startRecorder(server, dataDir, ['-o', 'json']);
    await eventually('everything is listed', () => placeOf(dataDir, 'core/pods') >= 0 || undefined);
    await writeHistory(client);
    await untilRecorded(client, dataDir, 'last');
    const last = await client.get('/apis/apps/v1/namespaces/shop/deployments/web');
    const version = Number(textAt(last.body, 'metadata', 'resourceVersion'));
    await eventually('the deployment is recorded', () => {
      return placeOf(dataDir, 'apps/deployments') >= version || undefined;
    });
    recorder.kill('SIGINT');
    const { code, stdout } = await recorder.ended;
    const expected = await client.get('/apis/apps/v1/deployments');
    client.close();
    await server.stop();

    expect(code).toBe(0);
    expect(parseJson(stdout)).toMatchObject({ gaps: 0 });
    expect(gapsIn(dataDir)).toEqual([]);
    const served = await startServer({ dataDir, args: ['--read-only'] });
    const reader = adminClient(served);
    const { body } = await reader.get('/apis/apps/v1/deployments');
    const written = await reader.post('/api/v1/namespaces', { metadata: { name: 'no' } });
    reader.close();
    await served.stop();
    expect(written.status).toBe(405);
    const withoutVersions = (list: unknown) =>
      parseJson(JSON.stringify(list).replaceAll(/"resourceVersion":"\d+",?/g, ''));
    expect(withoutVersions(listAt(body, 'items'))).toEqual(
      withoutVersions(listAt(expected.body, 'items')),
    );
    expect(listAt(body, 'items')).toHaveLength(1);
  });

  it('loses nothing and doubles nothing when it is killed again and again', async () => {
    const source = join(folder, 'killed-source');
    const server = await startServer({ dataDir: source });
    const client = adminClient(server);
    const dataDir = join(folder, 'killed');
    let recorder = startRecorder(server, dataDir);
    await eventually(
      'everything is listed',
      () => placeOf(dataDir, 'core/configmaps') >= 0 || undefined,
    );
    const { body } = await client.get('/api/v1/namespaces');
    const listed = Number(textAt(body, 'metadata', 'resourceVersion'));
    const traffic = startTraffic(client, 'default');
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = traffic.writes();
      await eventually('more traffic', () => traffic.writes() > before + 40 || undefined);
      recorder.kill('SIGKILL');
      await recorder.ended;
      await eventually('missed traffic', () => traffic.writes() > before + 60 || undefined);
      recorder = startRecorder(server, dataDir);
    }
    await traffic.stop();
    await untilRecorded(client, dataDir, 'last');
    await untilAllRecorded(client, dataDir);
    recorder.kill('SIGTERM');
    expect((await recorder.ended).code).toBe(0);
    client.close();
    await server.stop();

    expect(gapsIn(dataDir)).toEqual([]);
    const original = await recordsIn(source);
    const recorded = await recordsIn(dataDir);
    expect(original.length).toBeGreaterThan(KILLS * 60);
    // What was there before is seen as it was then; of everything else each change, byte for byte.
    expect(historiesOf(recorded)).toEqual(historiesOf(original, listed));
  });

  it('notes a gap, and has the new state, when another cluster comes up in its place', async () => {
    const first = join(folder, 'first');
    const second = join(folder, 'second');
    const server = await startServer({ dataDir: first });
    const client = adminClient(server);
    const dataDir = join(folder, 'gap');
    const all = [...(await recordable(client)).keys()];
    const recorder = startRecorder(server, dataDir);
    await eventually(
      () => `listed are ${listedIn(dataDir).join(' ')} of ${all.join(' ')}`,
      () => all.every((one) => listedIn(dataDir).includes(one)) || undefined,
    );
    await writeHistory(client);
    await untilRecorded(client, dataDir, 'last');
    const port = Number(new URL(server.url).port);
    await server.stop();
    // The same address and authority, so that the recorder's kubeconfig goes on being right.
    cpSync(join(first, 'pki'), join(second, 'pki'), { recursive: true });
    const other = await startServer({ dataDir: second, port });
    const otherClient = adminClient(other);
    await otherClient.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'new' } });
    // What is of the other cluster now: each of them was listed anew.
    const kubeSystem = await otherClient.get('/api/v1/namespaces/kube-system');
    const uid = textAt(kubeSystem.body, 'metadata', 'uid');
    const missing = (): string[] =>
      notedIn(dataDir, 'cluster', 'uid') === uid
        ? all.filter((one) => !listedIn(dataDir).includes(one))
        : all;
    await eventually(
      () => `not listed are ${missing().join(' ')}; the recorder says ${recorder.stderr()}`,
      () => missing().length === 0 || undefined,
      // While the cluster was away the pauses grew, on a slow machine up to the longest.
      { timeoutMs: 240_000 },
    );
    const noted = gapsIn(dataDir).map((gap) => textAt(gap, 'resource'));
    const kinds = ['configmaps', 'pods', 'namespaces', 'nodes'].map((kind) => `core/${kind}`);
    expect(noted).toEqual(expect.arrayContaining([...kinds, 'apps/deployments']));
    await untilRecorded(otherClient, dataDir, 'last-of-all');
    await untilAllRecorded(otherClient, dataDir);
    recorder.kill('SIGINT');
    expect((await recorder.ended).code).toBe(0);
    client.close();
    otherClient.close();
    await other.stop();

    const records = await recordsIn(dataDir);
    expect(stateOf(records)).toEqual(stateOf(await recordsIn(second)));
    const gap = gapsIn(dataDir).find((one) => one['resource'] === 'core/configmaps');
    expect(textAt(gap, 'reason')).toMatch(/another cluster|410/);
    const relisted = records.filter(({ verb }) => verb === 'relist');
    expect(relisted.map(({ type }) => type)).toContain('deleted');
    expect(relisted.map(({ path }) => path)).toContain('shop/web');
  });

  it('records the differences after a 410, once the cluster has forgotten what was between', async () => {
    const source = join(folder, 'forgetful');
    const server = await startServer({ dataDir: source });
    const client = adminClient(server);
    const dataDir = join(folder, 'forgotten');
    await writeHistory(client);
    const recorder = startRecorder(server, dataDir);
    await eventually(
      'everything is listed',
      () => placeOf(dataDir, 'core/configmaps') >= 0 || undefined,
    );
    await untilRecorded(client, dataDir, 'last');
    recorder.kill('SIGINT');
    await recorder.ended;
    const shop = '/api/v1/namespaces/shop/configmaps';
    await client.patch(`${shop}/one`, { data: { unseen: '1' } });
    await client.patch(`${shop}/one`, { data: { seen: '1' } });
    await client.delete(`${shop}/two`);
    const port = Number(new URL(server.url).port);
    client.close();
    await server.stop();
    // A cluster that keeps the state and not the past: its log begins at its newest moment.
    const archive = join(folder, 'now.ewa');
    const cut = join(folder, 'cut');
    const exported = await everwatch([
      'export',
      '--data-dir',
      source,
      '--at',
      'now',
      '-o',
      archive,
    ]);
    const imported = await everwatch(['import', archive, '--data-dir', cut]);
    expect([exported.code, imported.code]).toEqual([0, 0]);
    cpSync(join(source, 'pki'), join(cut, 'pki'), { recursive: true });
    const again = await startServer({ dataDir: cut, port });
    const second = startRecorder(again, dataDir);
    await eventually(
      () => `a gap; the recorder says ${second.stderr()}`,
      () => {
        return gapsIn(dataDir).some((gap) => gap['resource'] === 'core/configmaps') || undefined;
      },
    );
    const otherClient = adminClient(again);
    await untilRecorded(otherClient, dataDir, 'after');
    second.kill('SIGINT');
    expect((await second.ended).code).toBe(0);
    otherClient.close();
    await again.stop();

    const gap = gapsIn(dataDir).find((one) => one['resource'] === 'core/configmaps');
    expect(gap).toMatchObject({ added: 0, modified: 1, deleted: 1 });
    expect(textAt(gap, 'reason')).toContain('410');
    const records = await recordsIn(dataDir);
    expect(stateOf(records)['core/configmaps shop/one']).toContain('"seen":"1"');
    const relisted = records.filter(({ verb }) => verb === 'relist');
    expect(relisted.map(({ type, path }) => `${type} ${path}`)).toEqual([
      'modified shop/one',
      'deleted shop/two',
    ]);
    // A server on the directory says what it is a copy of, and what may be missing.
    const served = await startServer({ dataDir, args: ['--read-only'] });
    const reader = adminClient(served);
    const { body } = await reader.get('/everwatch/v1/status');
    reader.close();
    await served.stop();
    expect(at(body, 'origin')).toMatchObject({ kind: 'recording', of: again.url });
    expect(listAt(body, 'origin', 'gaps')).toEqual(gapsIn(dataDir));
  });

  it('is served while it is recorded, and watched as the cluster would be', async () => {
    const server = await startServer();
    const client = adminClient(server);
    const dataDir = join(folder, 'live');
    const recorder = startRecorder(server, dataDir, ['--serve', '--secure-port', '0']);
    const kubeconfig = await eventually(
      () => `it serves; the recorder says ${recorder.stderr()}`,
      () => /export KUBECONFIG=(\S+)/.exec(recorder.stdout())?.[1],
    );
    // It serves before it follows everything, and what is gone again by then is never recorded.
    await eventually(
      'everything is listed',
      () => placeOf(dataDir, 'core/configmaps') >= 0 || undefined,
    );
    const reader = adminClient({ kubeconfig });
    const watch = await HttpWatch.open(reader, '/api/v1/namespaces/default/configmaps');
    const configMaps = '/api/v1/namespaces/default/configmaps';
    await client.post(configMaps, { metadata: { name: 'live' } });
    await client.patch(`${configMaps}/live`, { data: { a: '1' } });
    await client.delete(`${configMaps}/live`);
    await watch.until('the deletion', ({ type }) => type === 'DELETED');
    const types = watch.received.map(({ type }) => type);
    const written = await reader.post(configMaps, { metadata: { name: 'no' } });
    watch.close();
    reader.close();
    client.close();
    recorder.kill('SIGINT');
    const { code, stdout } = await recorder.ended;
    await server.stop();

    expect(types).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(written.status).toBe(405);
    expect(code).toBe(0);
    expect(stdout).toContain('events recorded, up to version');
    const records = await recordsIn(dataDir);
    expect(Object.keys(stateOf(records))).not.toContain('core/configmaps default/live');
  });

  it('refuses a directory of a server, and one of another cluster', async () => {
    const server = await startServer();
    const other = await startServer();
    const dataDir = join(folder, 'one-cluster');
    const recorder = startRecorder(server, dataDir);
    await eventually(
      'everything is listed',
      () => placeOf(dataDir, 'core/configmaps') >= 0 || undefined,
    );
    const taken = await everwatch([
      'record',
      '--kubeconfig',
      other.kubeconfig,
      '--data-dir',
      dataDir,
    ]);
    recorder.kill('SIGINT');
    await recorder.ended;
    const strange = await everwatch([
      'record',
      '--kubeconfig',
      other.kubeconfig,
      '--data-dir',
      dataDir,
    ]);
    await server.stop();
    const its = mkdtempSync(join(folder, 'server-'));
    const third = await startServer({ dataDir: its });
    await third.stop();
    const served = await everwatch(['record', '--kubeconfig', other.kubeconfig, '--data-dir', its]);
    const kind = join(folder, 'kind');
    const unknown = await everwatch([
      'record',
      'gadgets',
      '--kubeconfig',
      other.kubeconfig,
      '--data-dir',
      kind,
    ]);
    await other.stop();

    expect(taken.stderr).toContain('in use by another process');
    expect(strange.stderr).toContain('is another cluster');
    expect(served.stderr).toContain('has a log that was not recorded');
    expect(unknown.stderr).toContain('there is no resource named "gadgets"');
    expect([taken, strange, served, unknown].map(({ code }) => code)).toEqual([1, 1, 1, 1]);
  });

  it('records what was asked for and nothing else', async () => {
    const server = await startServer();
    const client = adminClient(server);
    const dataDir = join(folder, 'some');
    const recorder = startRecorder(server, dataDir, [
      'cm',
      'deployments.apps',
      '--exclude',
      'deploy',
    ]);
    await eventually('it is listed', () => placeOf(dataDir, 'core/configmaps') >= 0 || undefined);
    await writeHistory(client);
    await untilRecorded(client, dataDir, 'last');
    recorder.kill('SIGINT');
    await recorder.ended;
    client.close();
    await server.stop();

    const resources = new Set((await recordsIn(dataDir)).map(({ resource }) => resource));
    expect([...resources]).toEqual(['core/configmaps']);
  });
});
