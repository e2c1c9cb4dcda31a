/** The tools on the directory of a server that is stopped, was killed, or comes and goes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, parseJson, textAt } from '../support/json.ts';
import { rowsOf } from '../support/kubectl.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { everwatchWith, linesIn } from './everwatch.ts';
import { type Life, liveOn } from './life.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-stopped-'));
const dataDir = join(folder, 'data');

let server: RunningServer;
let life: Life;
const everwatch = everwatchWith(() => ({ KUBECONFIG: join(dataDir, 'admin.kubeconfig') }));

beforeAll(async () => {
  server = await startServer({ dataDir });
  const client = adminClient(server);
  await client.post('/api/v1/namespaces', { metadata: { name: 'other' } });
  life = await liveOn(client, 'shop');
  client.close();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const shop = ['-n', 'shop'];

describe('a directory without a server', () => {
  it('says the same as its server did', async () => {
    const questions = [
      ['history', 'deploy/web', ...shop, '-o', 'yaml'],
      ['blame', 'secret/login', ...shop],
      ['diff', '--from', '3', '-o', 'json'],
      ['tail', '--from', '0', '--no-follow', '--all'],
    ];
    const before = await Promise.all(questions.map((question) => everwatch(...question)));
    expect(await server.stop()).toBe(0);
    const there = ['--data-dir', dataDir];
    for (const [index, question] of questions.entries()) {
      expect(await everwatch(...question, ...there)).toBe(before[index]);
    }
    // There is nothing to follow, so it ends.
    expect(await everwatch('tail', ...there)).toBe('');
    const status = parseJson(await everwatch('status', '-o', 'json', ...there));
    expect(at(status, 'objects', 'apps/deployments')).toBe(1);
    const verified = await everwatch('verify', ...there);
    expect(verified).toContain('the store agrees with the log\n');
    server = await startServer({ dataDir });
    const remote = await everwatch('verify', '--kubeconfig', server.kubeconfig);
    expect(/sha256:\w+/.exec(remote)?.[0]).toBe(/sha256:\w+/.exec(verified)?.[0]);
  });
});

describe('a directory whose server was killed', () => {
  it('is read to its end, whatever the store had taken of it', async () => {
    const client = adminClient(server);
    const maps = '/api/v1/namespaces/shop/configmaps';
    for (const name of ['late', 'later', 'latest']) await client.post(maps, { metadata: { name } });
    await server.kill9();
    client.close();
    const there = ['--data-dir', dataDir];
    for (const name of ['late', 'latest']) {
      const found = await everwatch('history', `cm/${name}`, ...shop, ...there);
      expect(rowsOf(found)[1]?.at(-1)).toBe('created');
    }
    const since = ['--from', String(life.otherSecret)];
    const diff = await everwatch.lines('diff', ...since, 'cm', '-o', 'jsonl', ...there);
    expect(diff.map((one) => one['name'])).toEqual(expect.arrayContaining(['late', 'latest']));
    await server.restart();
  });
});

describe('tail, when the server goes away', () => {
  it('goes on where it was, with nothing lost and nothing twice', async () => {
    const client = adminClient(server);
    const tail = everwatch.start('tail', 'configmaps', '--from', String(life.otherSecret + 2));
    const names = (): string[] => linesIn(tail.stdout()).map((one) => textAt(one, 'name'));
    const create = async (name: string): Promise<void> => {
      const { status } = await client.post('/api/v1/namespaces/shop/configmaps', {
        metadata: { name },
      });
      expect(status).toBe(201);
    };
    await create('one');
    await eventually('one', () => names().includes('one') || undefined);
    await server.kill9();
    await eventually(
      'a notice',
      () => tail.stderr().includes('waiting until it is there again') || undefined,
    );
    await server.restart();
    client.close();
    await create('two');
    await eventually('two', () => names().includes('two') || undefined);
    await server.restart();
    await create('three');
    await eventually('three', () => names().includes('three') || undefined);
    tail.kill('SIGINT');
    expect((await tail.ended).code).toBe(130);
    expect(names().filter((name) => ['one', 'two', 'three'].includes(name))).toEqual([
      'one',
      'two',
      'three',
    ]);
    client.close();
  });
});
