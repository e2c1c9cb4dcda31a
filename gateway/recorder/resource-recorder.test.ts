import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isChange, type LoggedEvent } from '../../streams/event.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { systemClock, systemRandom } from '../process/system-clock.ts';
import { BackOff } from './back-off.ts';
import type { ClusterResource } from '../remote-cluster/cluster-resources.ts';
import { GivenCluster } from '../remote-cluster/given-cluster.fixture.ts';
import { openBook, type RecordBook } from './record-book.ts';
import { RecordPlace, type RecordGap } from './record-place.ts';
import { ResourceRecorder } from './resource-recorder.ts';

const CONFIG_MAPS: ClusterResource = {
  storage: 'core/configmaps',
  apiVersion: 'v1',
  name: 'configmaps',
  group: '',
  kind: 'ConfigMap',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  verbs: ['list', 'watch'],
  subresources: [],
  typeId: 'io.k8s.api.core.v1.ConfigMap',
};
const { storage } = CONFIG_MAPS;
const QUICK = {
  ...systemClock,
  after: (_ms: number, run: () => void) => systemClock.after(1, run),
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Recording {
  readonly book: RecordBook;
  readonly place: RecordPlace;
  /** The recorder of another resource asks which cluster answers. */
  askWhoAnswers(): void;
  stop(): Promise<void>;
}

interface Given {
  readonly cluster: GivenCluster;
  readonly log: MemoryEventLog;
  readonly folder: string;
  /** Starts a recorder, as a new process would, on the same log. */
  record(options?: { readonly savesState?: boolean }): Promise<Recording>;
  events(): LoggedEvent[];
  gaps(): RecordGap[];
}

function given(): Given {
  const cluster = new GivenCluster();
  const log = new MemoryEventLog();
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-record-'));
  folders.push(folder);
  const events = (): LoggedEvent[] => {
    const found: LoggedEvent[] = [];
    for (let version = 1; ; version += 1) {
      const event = log.at(resourceVersion(version));
      if (event === undefined) return found;
      found.push(event);
    }
  };
  return {
    cluster,
    log,
    folder,
    events,
    async record({ savesState = true } = {}) {
      const place = new RecordPlace(folder);
      const book = await openBook({ log, clock: systemClock, random: systemRandom });
      if (!savesState) place.save = () => Promise.resolve();
      const stop = new AbortController();
      let uid = place.cluster?.uid ?? cluster.uid;
      let leaving = new AbortController();
      let number = 0;
      place.setCluster({ server: cluster.server, uid, since: 0 });
      const again = new RecordPlace(folder);
      const saved = again.of(storage);
      if (saved !== undefined) place.move(storage, saved);
      const askWhoAnswers = () => {
        if (uid !== cluster.uid) {
          uid = cluster.uid;
          number += 1;
          leaving.abort();
          leaving = new AbortController();
        }
        return Promise.resolve({ number, over: leaving.signal });
      };
      const recorder = new ResourceRecorder({
        resource: CONFIG_MAPS,
        client: cluster,
        book,
        place,
        backOff: new BackOff({ clock: QUICK, random: systemRandom }),
        timeText: () => '2026-11-20T10:00:00Z',
        clusterEpoch: askWhoAnswers,
        watchSeconds: () => 300,
        report: { listed: nothing, written: nothing, gap: nothing, trouble: nothing },
      });
      const running = recorder.run(stop.signal);
      return {
        book,
        place,
        askWhoAnswers: () => void askWhoAnswers(),
        async stop() {
          stop.abort();
          await running;
          if (savesState) await place.save();
        },
      };
    },
    gaps() {
      try {
        const lines = readFileSync(join(folder, 'record-gaps.jsonl'), 'utf8').trimEnd().split('\n');
        return lines.map((line) => JSON.parse(line) as RecordGap);
      } catch {
        return [];
      }
    },
  };
}

function nothing(): void {
  // Nothing reads it.
}

/** `added a=1 (create)` */
function said(events: readonly LoggedEvent[]): string[] {
  return events.filter(isChange).map(({ type, path, json, verb }) => {
    const object = JSON.parse(Buffer.from(json).toString()) as { data: { value: string } };
    return `${type} ${path.slice(3)}=${object.data.value} (${verb})`;
  });
}

async function until(fits: () => boolean): Promise<void> {
  await vi.waitFor(
    () => {
      expect(fits()).toBe(true);
    },
    { timeout: 120_000, interval: 2 },
  );
}

describe('a recorder of a resource', () => {
  it('records what is there, and then what happens', async () => {
    const { cluster, record, events, gaps } = given();
    cluster.put('a', '1');
    cluster.put('b', '1');
    const recording = await record();
    await until(() => events().length === 2);
    cluster.put('a', '2');
    cluster.delete('b');
    cluster.put('b', '2');
    await until(() => events().length === 5);
    await recording.stop();

    expect(said(events())).toEqual([
      'added a=1 (list)',
      'added b=1 (list)',
      'modified a=2 (update)',
      'deleted b=1 (delete)',
      'added b=2 (create)',
    ]);
    expect(events().map((event) => event.previousResourceVersion)).toEqual([0, 0, 1, 2, 0]);
    expect(events()[2]).toMatchObject({
      fieldManager: 'kubectl',
      user: '',
      uid: 'uid-1',
      auditID: 'resourceVersion:103',
      resource: storage,
    });
    expect(gaps()).toEqual([]);
  });

  it('stores objects as this server would, without resourceVersion', async () => {
    const { cluster, record, events } = given();
    cluster.put('a', '1');
    const recording = await record();
    await until(() => events().length === 1);
    await recording.stop();

    const json = Buffer.from(events()[0]?.json ?? []).toString();
    expect(json.startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"')).toBe(
      true,
    );
    expect(json).not.toContain('resourceVersion');
  });

  it('pages through long lists', async () => {
    const { cluster, record, events } = given();
    cluster.pageSize = 3;
    for (let index = 0; index < 10; index += 1) cluster.put(`o${String(index)}`, '1');
    const recording = await record();
    await until(() => events().length === 10);
    await recording.stop();

    expect(cluster.lists).toBe(4);
  });

  it('goes on after a stop without a gap and without a double', async () => {
    const { cluster, record, events, gaps } = given();
    cluster.put('a', '1');
    const first = await record();
    await until(() => events().length === 1);
    await first.stop();
    cluster.put('a', '2');
    cluster.put('a', '3');
    const second = await record();
    await until(() => events().length === 3);
    await second.stop();

    expect(cluster.lists).toBe(1);
    expect(said(events()).slice(1)).toEqual(['modified a=2 (update)', 'modified a=3 (update)']);
    expect(gaps()).toEqual([]);
  });

  it('goes on from its log when the state is behind, as after kill -9', async () => {
    const { cluster, record, events, gaps } = given();
    cluster.put('a', '1');
    const first = await record();
    await until(() => events().length === 1);
    await first.stop();
    const second = await record({ savesState: false });
    cluster.put('a', '2');
    cluster.put('a', '1');
    cluster.put('b', '1');
    await until(() => events().length === 4);
    await second.stop();
    const third = await record();
    cluster.put('b', '2');
    await until(() => events().length === 5);
    await third.stop();

    expect(said(events())).toEqual([
      'added a=1 (list)',
      'modified a=2 (update)',
      'modified a=1 (update)',
      'added b=1 (create)',
      'modified b=2 (update)',
    ]);
    expect(gaps()).toEqual([]);
  });

  it('goes on when a watch breaks and when the cluster is away', async () => {
    const { cluster, record, events, gaps } = given();
    const recording = await record();
    await until(() => cluster.lists === 1);
    cluster.isReachable = false;
    cluster.breakWatches();
    cluster.put('a', '1');
    cluster.put('a', '2');
    cluster.isReachable = true;
    await until(() => events().length === 2);
    await recording.stop();

    expect(cluster.lists).toBe(1);
    expect(gaps()).toEqual([]);
  });

  it('lists again after a 410, records the differences and notes the gap', async () => {
    const { cluster, record, events, gaps } = given();
    for (const name of ['a', 'b', 'c', 'd']) cluster.put(name, '1');
    const first = await record();
    await until(() => events().length === 4);
    await first.stop();
    cluster.put('a', '2');
    cluster.put('a', '3');
    cluster.delete('b');
    cluster.delete('c');
    cluster.put('c', '1');
    cluster.put('e', '1');
    cluster.forgotten = 110;
    const second = await record();
    await until(() => gaps().length === 1);
    cluster.put('a', '4');
    await until(() => events().length === 10);
    await second.stop();

    expect(said(events()).slice(4)).toEqual([
      'modified a=3 (relist)',
      'deleted c=1 (relist)',
      'added c=1 (relist)',
      'added e=1 (relist)',
      'deleted b=1 (relist)',
      'modified a=4 (update)',
    ]);
    expect(gaps()).toEqual([
      {
        time: '2026-11-20T10:00:00Z',
        resource: storage,
        reason: expect.stringContaining('410') as string,
        knownTo: '104',
        knownFrom: '110',
        version: 9,
        added: 2,
        modified: 1,
        deleted: 2,
      },
    ]);
  });

  it('notes a gap of which nothing could be found too', async () => {
    const { cluster, record, events, gaps } = given();
    cluster.put('a', '1');
    const first = await record();
    await until(() => events().length === 1);
    await first.stop();
    cluster.put('a', '2');
    cluster.put('a', '1');
    cluster.forgotten = 103;
    const second = await record();
    await until(() => gaps().length === 1);
    await second.stop();

    expect(events()).toHaveLength(1);
    expect(gaps()[0]).toMatchObject({ added: 0, modified: 0, deleted: 0 });
  });

  it('lists again when another cluster answers at the address', async () => {
    const { cluster, record, events, gaps } = given();
    cluster.put('a', '1');
    cluster.put('b', '1');
    const recording = await record();
    await until(() => cluster.watches === 1);
    cluster.replace('cluster-2');
    cluster.put('b', '2');
    await until(() => gaps().length === 1);
    await recording.stop();

    expect(gaps()[0]?.reason).toContain('another cluster');
    expect(said(events()).slice(2).sort()).toEqual(
      ['added b=2 (relist)', 'deleted a=1 (relist)', 'deleted b=1 (relist)'].sort(),
    );
  });

  it('says why it listed again, also when the first listing was refused', async () => {
    const { cluster, record, gaps } = given();
    cluster.put('a', '1');
    const recording = await record();
    await until(() => cluster.watches === 1);
    cluster.listsToRefuse = 2;
    cluster.replace('cluster-2');
    await until(() => gaps().length === 1);
    await recording.stop();

    expect(gaps()[0]?.reason).toContain('another cluster');
  });

  it('leaves its watch when the recorder of another resource has met another cluster', async () => {
    const { cluster, record, gaps } = given();
    cluster.put('a', '1');
    const recording = await record();
    await until(() => cluster.watches === 1);
    cluster.replaceInSilence('cluster-2');
    recording.askWhoAnswers();
    await until(() => gaps().length === 1);
    await recording.stop();

    expect(gaps()[0]?.reason).toContain('another cluster');
  });
});
