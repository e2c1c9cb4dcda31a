/** The live protocol by a client that has nothing of ours: Python, the package websockets, and the schema in docs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { configMap, created } from '../api/objects.ts';
import { adminClient } from '../support/admin-client.ts';
import { type RunningCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const PROGRAMS = join(import.meta.dirname, '../python');
const SCHEMA = join(import.meta.dirname, '../../docs/live.schema.json');
const MAPS = '/api/v1/namespaces/default/configmaps';
const LABELLED = { labels: { a: '1' } };

await describeWith('python', 'a client in Python', (env) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-tokens-'));
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'the-token,admin,u1,"system:masters"\n', { mode: 0o600 });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const server = serverForThisFile({ args: ['--token-auth-file', tokens] });

  function started(program: string, ...given: string[]): RunningCommand {
    const { url, dataDir } = server();
    const access = {
      HOST: url.replace('https://', ''),
      TOKEN: 'the-token',
      CA: join(dataDir, 'pki', 'ca.crt'),
    };
    const args = [join(PROGRAMS, program), SCHEMA, ...given];
    return startCommand('python3', args, { env: { ...env, ...access } });
  }

  /** The lines of a run that has ended as it should. */
  async function linesOf(running: RunningCommand): Promise<unknown[]> {
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  it('shows the state, the changes, and what came while it was away', async () => {
    const client = adminClient(server());
    await created(client, MAPS, configMap('a', {}, LABELLED));
    const first = started('live.py', '2');
    const isThere = () => first.stdout().includes('CAUGHT_UP') || undefined;
    await eventually('it is caught up', isThere);
    await created(client, MAPS, configMap('other'));
    await client.patch(`${MAPS}/a`, { data: { a: '2' } });
    await client.patch(`${MAPS}/other`, { metadata: LABELLED });
    const lines = await linesOf(first);
    const { place } = lines.pop() as { place: string };
    expect(lines).toEqual([['ADDED', 'a'], ['CAUGHT_UP'], ['MODIFIED', 'a'], ['ADDED', 'other']]);
    await client.patch(`${MAPS}/other`, { metadata: { labels: null } });
    await client.delete(`${MAPS}/a`);
    const again = await linesOf(started('live.py', '2', place));
    expect(again.slice(0, -1)).toEqual([
      ['DELETED', 'other'],
      ['DELETED', 'a'],
    ]);
    client.close();
  });

  it('shows a table that is scrolled and moved through time, and gives back credit', async () => {
    const client = adminClient(server());
    const maps = ['t1', 't2', 't3'];
    let moment = '';
    for (const name of maps) {
      const { body } = await client.post(MAPS, {
        metadata: { name, labels: { t: '' } },
        data: { a: 'old' },
      });
      moment = (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    }
    await client.patch(`${MAPS}/t3`, { data: { a: 'new' } });
    const running = started('live_window.py', moment);
    const says = (text: string) =>
      eventually(text, () => running.stdout().includes(text) || undefined);
    await says('"first"');
    await client.patch(`${MAPS}/t1`, { data: { a: 'new' } });
    await says('"caught up"');
    await client.delete(`${MAPS}/t1`);
    await client.patch(`${MAPS}/t2`, { data: { a: 'new' } });
    expect(await linesOf(running)).toEqual([
      ['first', ['t1', 'old'], ['t2', 'old']],
      ['changed', ['t1', 'new'], ['t2', 'old']],
      ['scrolled', ['t2', 'old'], ['t3', 'new']],
      ['then', ['t2', 'old'], ['t3', 'old']],
      ['now', ['t2', 'old'], ['t3', 'new']],
      ['caught up'],
      ['DELETED', 't1'],
      ['MODIFIED', 't2'],
    ]);
    client.close();
  });
});
