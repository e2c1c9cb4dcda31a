import { describe, expect, it } from 'vitest';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { CONFIG_MAPS, type GivenEvent, givenEvent } from '../given.fixture.ts';
import { foldedStore, foldedVerdicts, hashOfState } from './folded-log.ts';
import { IndexedLogSource } from './indexed-log-source.ts';
import type { LogSource } from './log-source.ts';

const never = new AbortController().signal;
const v = resourceVersion;

/** Ten objects, appended together, and so read in one batch. */
async function givenLog(bytesEach = 1): Promise<MemoryEventLog> {
  const log = new MemoryEventLog();
  const names = Array.from({ length: 10 }, (_, n) => `ns/${String(n)}`);
  const data = 'x'.repeat(bytesEach);
  await log.append(
    names.map((path, n) => ({ ...givenEvent({ path, sequence: n, data }), time: n * 1_000 })),
  );
  return log;
}

it.each([0, 1, 4, 10])('knows what there was at %i, and nothing behind it', async (upTo) => {
  const store = await foldedStore(await givenLog(), v(upTo), never);
  const everything = { prefix: '', from: '' };
  const paths = [...store.pathsAt(CONFIG_MAPS, everything, v(10))].map(({ path }) => path);
  expect(paths).toEqual(Array.from({ length: upTo }, (_, n) => `ns/${String(n)}`));
  expect(store.appliedVersion).toBe(upTo);
  if (upTo > 0) expect(store.writers().get('writer')).toBe(upTo - 1);
});

it('finds the version of a time up to which it was folded', async () => {
  const log = await givenLog();
  const store = await foldedStore(log, v(4), never);
  expect([0, 1_500, 2_000, 9_000].map((time) => store.versionAtTime(time, log))).toEqual([
    1, 2, 3, 4,
  ]);
});

it('gives a state in slices, by events and by bytes', async () => {
  const sizes = async (bytesEach: number): Promise<number[]> => {
    const log = await givenLog(bytesEach);
    const store = await foldedStore(log, v(10), never);
    const source = new IndexedLogSource({
      ...{ name: 'a log', log, store, grows: true },
      close: () => Promise.resolve(),
    });
    const found: number[] = [];
    for await (const slice of source.stateAt(v(10), never)) found.push(slice.length);
    return found;
  };
  expect(await sizes(1)).toEqual([10]);
  expect(await sizes(400_000)).toEqual([3, 3, 3, 1]);
});

describe('verdicts that a source tells', () => {
  /** Objects whose order is not that of the log, one of which goes, and one that comes too late. */
  async function givenSource(): Promise<IndexedLogSource> {
    const log = new MemoryEventLog();
    const event = (given: GivenEvent, sequence: number) => givenEvent({ ...given, sequence });
    await log.append(
      [
        { resource: 'core/secrets', path: 'ns/a' },
        { path: 'ns/c' },
        { path: 'ns/b' },
        { path: 'ns/b', data: 'too late' },
        { path: 'ns/a' },
        { path: 'ns/c', previous: 2, type: 'deleted' as const },
      ].map(event),
    );
    const store = await foldedStore(log, v(6), never);
    const close = () => Promise.resolve();
    return new IndexedLogSource({ name: 'a log', log, store, grows: true, close });
  }
  const range = { upTo: v(6), cut: 0, signal: never };

  it('are those of the fold, and so is the state that comes of them', async () => {
    const source = await givenSource();
    const folded = await foldedVerdicts(source, range);
    expect(folded).toMatchObject({ events: 6, effective: 5, objects: 3, differences: [] });
    expect(folded.hash).toBe((await hashOfState(source.stateAt(v(6), never))).hash);
  });

  it('are named where the fold finds others', async () => {
    const source = await givenSource();
    const liar: Pick<LogSource, 'events'> = {
      async *events(query, signal) {
        for await (const batch of source.events(query, signal))
          yield batch.map((one) => ({ ...one, verdict: 'effective' as const }));
      },
    };
    const { differences } = await foldedVerdicts(liar as LogSource, range); // It asks for events only.
    expect(differences).toEqual(['the event at 4 is overtaken, and there it is effective']);
  });
});
