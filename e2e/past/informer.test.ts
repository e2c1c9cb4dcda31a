/**
 * A client-go informer that begins in the past, follows into the present, and outlives a restart of
 * the server: no change is missed, none comes twice, all come in order.
 */
import { beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { startCommand, type RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { parseJson, textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

/** As the informer's program prints them: `modified c3@1234 n=17`. */
type Change = string;

const OBJECTS = 100;
const CHANGES = 10_000;
/** How many clients write at the same time. */
const TOGETHER = 25;
const PATIENCE = { timeoutMs: 180_000, everyMs: 200 };
const MAPS = '/api/v1/namespaces/default/configmaps';

await describeWith('informer-past', 'an informer from the past', (program) => {
  const server = serverForThisFile();
  const history: Change[] = [];
  let client: AdminClient;
  const versions = new Map<string, string>();
  /** The version before the changes, and what there was. */
  let moment = '';
  let values = 0;
  let state: Change[] = [];

  const note = (type: string, name: string, version: string, value: string): void => {
    history.push(`${type} ${name}@${version} n=${value}`);
    versions.set(name, version);
  };
  async function put(name: string): Promise<void> {
    // Each value is another, for a write that changes nothing is no event.
    values += 1;
    const value = String(values);
    const isNew = !versions.has(name);
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { n: value },
    };
    const answer = isNew
      ? await client.post(MAPS, object)
      : await client.put(`${MAPS}/${name}`, object);
    expect(answer.status, JSON.stringify(answer.body)).toBe(isNew ? 201 : 200);
    note(
      isNew ? 'added' : 'modified',
      name,
      textAt(answer.body, 'metadata', 'resourceVersion'),
      value,
    );
  }
  /** Changes different objects at the same time, and notes the changes in the log's order. */
  async function putTogether(count: number, from: number): Promise<void> {
    const before = history.length;
    await Promise.all(Array.from({ length: count }, (_, index) => put(nameOf(from + index))));
    history.push(...history.splice(before).sort((one, two) => versionIn(one) - versionIn(two)));
  }
  async function remove(name: string): Promise<void> {
    const value =
      [...state, ...history].findLast((one) => one.includes(` ${name}@`))?.split('n=')[1] ?? '';
    expect((await client.delete(`${MAPS}/${name}`)).status).toBe(200);
    const { body } = await client.get(`${MAPS}?limit=1`);
    // No other client writes, so the deletion is the newest there is.
    note('deleted', name, textAt(body, 'metadata', 'resourceVersion'), value);
    versions.delete(name);
  }

  beforeAll(async () => {
    client = adminClient(server());
    await putTogether(OBJECTS, 0);
    const { body } = await client.get(MAPS);
    moment = textAt(body, 'metadata', 'resourceVersion');
    state = history.splice(0);
    for (let index = 0; index < CHANGES; index += TOGETHER) {
      await putTogether(TOGETHER - 1, index);
      await remove(nameOf(index));
    }
  }, PATIENCE.timeoutMs);

  const informer = (args: readonly string[], isWatchList: boolean): RunningCommand =>
    startCommand(program, ['--at', moment, ...args], {
      env: {
        ...process.env,
        KUBECONFIG: server().kubeconfig,
        KUBE_FEATURE_WatchListClient: String(isWatchList),
      },
    });

  it.each([
    ['below /at/, by a list and a watch', [], false],
    ['below /at/, by a watch alone', [], true],
    ['by a list below /at/ and a watch of the present', ['--hand-over'], false],
  ])(
    '%s sees every change once and in order, also those of the present',
    async (_, args, watchList) => {
      const before = history.length;
      const running = informer(args, watchList);
      const seen = () => changesIn(running.stdout());
      const caughtUp = (count: number) =>
        eventually(
          () => `${String(count)} changes; ${String(seen().length)} came, ${running.stderr()}`,
          () => (seen().length >= count ? true : undefined),
          PATIENCE,
        );
      await caughtUp(state.length + before);
      for (let index = 0; index < 20; index += 1) await put(nameOf(index));
      await caughtUp(state.length + history.length);
      await server().restart();
      for (let index = 20; index < 40; index += 1) await put(nameOf(index));
      await remove(nameOf(3));
      await caughtUp(state.length + history.length);
      running.kill();
      await running.ended;
      expect(seen().slice(0, state.length).sort()).toEqual([...state].sort());
      expect(seen().slice(state.length)).toEqual(history);
    },
    2 * PATIENCE.timeoutMs,
  );

  it.each([
    ['a list and a watch', false],
    ['a watch alone', true],
  ])(
    'by %s below /at/ and still stays there, however often it begins anew',
    async (_, watchList) => {
      const before = await asked(client);
      const began = Date.now();
      const running = informer(['--still', '--watch-seconds', '2'], watchList);
      await eventually(
        () => `two watches; ${running.stderr()}`,
        async () => {
          await put(nameOf(0));
          return (await asked(client)).watches >= before.watches + 2 || undefined;
        },
        PATIENCE,
      );
      running.kill();
      await running.ended;
      const after = await asked(client);
      const seconds = (Date.now() - began) / 1_000;

      expect(changesIn(running.stdout()).sort()).toEqual([...state].sort());
      expect(after.lists - before.lists).toBe(watchList ? 0 : 1);
      expect(after.watches - before.watches).toBeLessThan(3 + seconds / 2);
    },
  );
});

/** How many lists and watches of ConfigMaps have ended. */
async function asked(client: AdminClient) {
  const { body } = await client.get('/metrics');
  const text = typeof body === 'string' ? body : '';
  const counts = text.matchAll(/^apiserver_request_total\{(.*)\} (\d+)$/gm);
  const ofMaps = [...counts].filter(([, labels = '']) => labels.includes('"configmaps"'));
  const of = (verb: string): number =>
    ofMaps
      .filter(([, labels = '']) => labels.includes(`verb="${verb}`))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  return { lists: of('LIST'), watches: of('WATCH') };
}

function versionIn(change: Change): number {
  return Number(/@(\d+)/.exec(change)?.[1]);
}

const FIELDS = ['type', 'name', 'version', 'value'];

function nameOf(index: number): string {
  return `c${String(index % OBJECTS)}`;
}

function changesIn(stdout: string): Change[] {
  const lines = stdout.slice(0, stdout.lastIndexOf('\n') + 1).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => parseJson(line))
    .map((one) => {
      const [type = '', name = '', version = '', value = ''] = FIELDS.map((key) =>
        textAt(one, key),
      );
      return `${type} ${name}@${version} n=${value}`;
    });
}
