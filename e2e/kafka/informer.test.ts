/**
 * A client-go informer that is thrown from replica to replica while objects change: each second its
 * connection is cut, and the next leads to the other server. It must not notice.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { listAt, parseJson, textAt, type JsonValue } from '../support/json.ts';
import { QUICK_FAILOVER, type KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { ReplicaGroup, type Replica } from './replica-group.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 8;
const MOVES = 8;
const PATIENCE = { timeoutMs: 120_000, everyMs: 50 };

/** As the informer's program prints it; `type` and `name` say of what. */
interface Line {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly value: string;
}

/** What happened to one object, in order: `added 5`, `modified 6`, `deleted 6`. */
type Story = string[];

const kafkaStarter = await needs('kafka');

await describeWith('informer-moving', 'an informer between replicas', (program) => {
  let cluster: KafkaCluster | undefined;
  let replicas: ReplicaGroup;
  let both: Replica[];

  beforeAll(async () => {
    cluster = await kafkaStarter?.({ properties: QUICK_FAILOVER });
    if (cluster === undefined) return;
    replicas = new ReplicaGroup(cluster.bootstrap);
    both = [await replicas.start('control-plane'), await replicas.start('control-plane')];
  });

  afterAll(async () => {
    if (cluster === undefined) return;
    await replicas.stop();
    await cluster.stop();
  });

  /** Changes one object again and again, at the replicas in turn, until told that it is over. */
  async function tell(name: string, isOver: () => boolean): Promise<Story> {
    const story: Story = [];
    const path = `${MAPS}/${name}`;
    let kept: string | undefined;
    for (let n = 0; !isOver(); n += 1) {
      const client = both[n % both.length]?.client ?? expect.unreachable();
      const data = { n: String(n) };
      if (kept === undefined) {
        expect((await client.post(MAPS, { metadata: { name }, data })).status).toBe(201);
        story.push(`added ${data.n}`);
      } else if (n % 7 === 6) {
        expect((await client.delete(path)).status).toBe(200);
        story.push(`deleted ${kept}`);
        kept = undefined;
        continue;
      } else {
        expect((await client.patch(path, { data })).status).toBe(200);
        story.push(`modified ${data.n}`);
      }
      kept = data.n;
    }
    return story;
  }

  it.runIf(kafkaStarter !== undefined).each([
    ['a list and a watch', false],
    ['a watch alone', true],
  ])(
    'that begins with %s misses nothing, sees nothing twice, and never lists again',
    async (way, isWatchList) => {
      const addresses = both.map(({ server }) => new URL(server.url).host);
      const running = startCommand(program, ['--addresses', addresses.join(','), '--every', '1s'], {
        env: {
          ...process.env,
          KUBECONFIG: both[0]?.server.kubeconfig,
          KUBE_FEATURE_WatchListClient: String(isWatchList),
        },
      });
      const lines = () => linesIn(running.stdout());
      const watched = () => lines().filter(({ type }) => type === 'watched');
      await eventually('the first watch', () => watched()[0], PATIENCE);
      let isOver = false;
      const prefix = isWatchList ? 'w' : 'l';
      const names = Array.from({ length: OBJECTS }, (_, index) => `${prefix}${String(index)}`);
      const telling = Promise.all(names.map((name) => tell(name, () => isOver)));
      const wanted = () => `${String(MOVES)} moves; ${running.stderr()}`;
      const moved = () => watched().length > MOVES || undefined;
      await eventually(wanted, moved, PATIENCE).finally(() => (isOver = true));
      const stories = await telling;

      const seenOf = (name: string) => lines().filter((line) => isChangeOf(line, name));
      const isWhole = () => names.every((name, i) => seenOf(name).length >= length(stories, i));
      await eventually('all changes', () => isWhole() || undefined, PATIENCE);
      running.kill();
      await running.ended;
      const count = stories.reduce((sum, story) => sum + story.length, 0);
      const moves = watched().map(({ name }) => addresses.indexOf(name));
      console.log(`${way}: ${String(count)} changes, watched at ${moves.join(' ')}`);

      for (const [index, name] of names.entries()) {
        const seen = seenOf(name);
        expect(seen.map(({ type, value }) => `${type} ${value}`)).toEqual(stories[index]);
        const versions = seen.map(({ version }) => Number(version));
        expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
      }
      expect(lines().filter(({ type }) => type === 'listed')).toHaveLength(1);
      expect(new Set(moves)).toEqual(new Set([0, 1]));
      expect(storedIn(lines())).toEqual(await keptBy(both[0]));
      expect(storedIn(lines())).toEqual(await keptBy(both[1]));
    },
    3 * PATIENCE.timeoutMs,
  );
});

function isChangeOf({ type, name }: Line, wanted: string): boolean {
  return name === wanted && type !== 'stored';
}

function length(stories: readonly Story[], index: number): number {
  return stories[index]?.length ?? 0;
}

/** Names with versions, as the informer's store had them when it ended. */
function storedIn(lines: readonly Line[]): Map<string, string> {
  const stored = lines.filter(({ type }) => type === 'stored');
  return new Map(stored.map(({ name, version }) => [name, version] as const).sort());
}

/** The same as a server has them. */
async function keptBy(replica: Replica | undefined): Promise<Map<string, string>> {
  const answer = await replica?.client.get(MAPS);
  const items = listAt(answer?.body, 'items');
  const of = (item: JsonValue, key: string) => textAt(item, 'metadata', key);
  return new Map(items.map((item) => [of(item, 'name'), of(item, 'resourceVersion')] as const));
}

function linesIn(stdout: string): Line[] {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1).split('\n');
  return whole
    .filter((line) => line !== '')
    .map((line) => parseJson(line))
    .map((one) => ({
      type: textAt(one, 'type'),
      name: textAt(one, 'name'),
      version: textAt(one, 'version'),
      value: textAt(one, 'value'),
    }));
}
