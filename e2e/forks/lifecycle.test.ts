/** What becomes of forks when servers die, names come again and many are there at once. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { textAt } from '../support/json.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import {
  configMap,
  forkPath,
  FORKS,
  makeFork,
  MAPS,
  mapsIn,
  postFork,
  putMap,
} from './fork-client.ts';

describe('forks of a server', () => {
  let server: RunningServer;
  let client: AdminClient;

  beforeAll(async () => {
    server = await startServer();
    client = adminClient(server);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  const folders = (): string[] => {
    const path = join(server.dataDir, 'forks');
    return existsSync(path) ? readdirSync(path) : [];
  };
  const noFolders = () =>
    eventually('no folder is left', () => (folders().length === 0 ? true : undefined));
  const remove = async (...names: string[]): Promise<void> => {
    for (const name of names) expect((await client.delete(`${FORKS}/${name}`)).status).toBe(200);
    await noFolders();
  };

  it('keep what was written to them, whenever the server is killed', async () => {
    await putMap(client, 'shared', 'base');
    const base = await makeFork(client, 'lasting');
    const own = forkPath('lasting', MAPS);
    const written: Record<string, string> = { shared: 'base' };
    for (let round = 0; round < 5; round += 1) {
      for (let index = 0; index < 20; index += 1) {
        const name = `n${String(index)}`;
        const value = `${String(round)}-${String(index)}`;
        await putMap(client, name, value, own);
        written[name] = value;
        await putMap(client, name, `main ${value}`);
      }
      const gone = `n${String(round)}`;
      expect((await client.delete(`${own}/${gone}`)).status).toBe(200);
      Reflect.deleteProperty(written, gone);
      await server.kill9();
      await server.restart();
      expect(await mapsIn(client, own)).toEqual(written);
    }
    expect(
      await mapsIn(client, `${own}?resourceVersion=${String(base)}&resourceVersionMatch=Exact`),
    ).toEqual({ shared: 'base' });
    const main = await mapsIn(client);
    expect(Object.keys(main)).toHaveLength(21);
    expect(main['n3']).toBe('main 4-3');
    await remove('lasting');
  });

  it('replay every change to a watch from the base, over a restart', async () => {
    const base = await makeFork(client, 'replayed');
    const own = forkPath('replayed', MAPS);
    await putMap(client, 'one', '1', own);
    await putMap(client, 'one', '2', own);
    await server.kill9();
    await server.restart();
    await client.delete(`${own}/one`);
    const watch = await HttpWatch.open(client, `${own}?resourceVersion=${String(base)}`);
    await watch.until('the deletion', ({ type }) => type === 'DELETED');
    const told = watch.received.map(({ type, object }) => [
      type,
      Number(textAt(object, 'metadata', 'resourceVersion')) - base,
    ]);
    expect(told).toEqual([
      ['ADDED', 1],
      ['MODIFIED', 2],
      ['DELETED', 3],
    ]);
    watch.close();
    await remove('replayed');
  });

  it('of the same name have nothing of each other', async () => {
    for (let round = 0; round < 3; round += 1) {
      await makeFork(client, 'again');
      const own = forkPath('again', MAPS);
      expect(Object.keys(await mapsIn(client, own))).not.toContain('mine');
      expect((await client.post(own, configMap('mine', String(round)))).status).toBe(201);
      if (round === 1) {
        await server.kill9();
        await server.restart();
        expect((await mapsIn(client, own))['mine']).toBe('1');
      }
      expect((await client.delete(`${FORKS}/again`)).status).toBe(200);
      expect((await client.get(own)).status).toBe(404);
    }
    await noFolders();
  });

  it('end the watches of one that is deleted', async () => {
    await makeFork(client, 'ending');
    const own = forkPath('ending', MAPS);
    await putMap(client, 'last', 'word', own);
    const watches = await Promise.all(
      ['', '?allowWatchBookmarks=true', '?labelSelector=none'].map((query) =>
        HttpWatch.open(client, own + query),
      ),
    );
    await watches[0]?.until(
      'the object',
      ({ object }) => textAt(object, 'metadata', 'name') === 'last',
    );
    await remove('ending');
    await Promise.all(watches.map(({ ended }) => ended));
    expect(watches.flatMap(({ received }) => received).map(({ type }) => type)).not.toContain(
      'ERROR',
    );
    expect((await client.get(own)).status).toBe(404);
  });

  it('are removed at the start when a crash came in between', async () => {
    await makeFork(client, 'crashed');
    await putMap(client, 'x', 'y', forkPath('crashed', MAPS));
    const [folder = ''] = folders();
    // Deleted, and the process gone before anything else could happen: as fast as can be tried.
    await Promise.all([client.delete(`${FORKS}/crashed`).catch(() => undefined), server.kill9()]);
    await server.restart();
    const { status } = await client.get(`${FORKS}/crashed`);
    if (status === 200) await remove('crashed');
    await eventually('its folder is gone', () => (folders().includes(folder) ? undefined : true));
  });

  it('may be many, written to at once', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `many-${String(index)}`);
    const before = await mapsIn(client);
    await Promise.all(names.map((name) => makeFork(client, name)));
    await Promise.all(
      names.map(async (name) => {
        for (let index = 0; index < 20; index += 1) {
          await putMap(client, `of-${name}`, String(index), forkPath(name, MAPS));
        }
      }),
    );
    for (const name of names) {
      expect(await mapsIn(client, forkPath(name, MAPS))).toEqual({
        ...before,
        [`of-${name}`]: '19',
      });
    }
    expect(await mapsIn(client)).toEqual(before);
    await server.kill9();
    await server.restart();
    const all = await Promise.all(names.map((name) => mapsIn(client, forkPath(name, MAPS))));
    expect(all).toEqual(names.map((name) => ({ ...before, [`of-${name}`]: '19' })));
    expect(folders()).toHaveLength(names.length);
    await remove(...names);
  });

  it('answer 404 when they were not made, and 422 when they cannot be', async () => {
    const { status, body } = await client.get(forkPath('nobody', MAPS));
    expect(status).toBe(404);
    expect(body).toMatchObject({
      reason: 'NotFound',
      message: 'forks.dev.everwatch "nobody" not found',
      details: { group: 'dev.everwatch', kind: 'forks', name: 'nobody' },
    });
    expect((await postFork(client, 'x', { revision: '99999999' })).status).toBe(422);
    expect((await postFork(client, 'Not A Label')).status).toBe(422);
  });
});
