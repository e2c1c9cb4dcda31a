import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from '../event-codec.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { APPEND_BYTES_MAX, AppendOutcomeUnknownError, LogUnavailableError } from '../event-log.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import { FrameGroups, type RecordStore } from './frame-groups.ts';
import { GroupCommit } from './group-commit.ts';

interface Write {
  readonly first: number;
  readonly sequences: readonly number[];
  finish(): void;
  fail(error: Error): void;
}

/** A disk that does nothing by itself: the test finishes or fails every write. */
class ObedientStore implements RecordStore {
  readonly writes: Write[] = [];

  write(first: ResourceVersion, frames: readonly Buffer[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const sequences = frames.map((frame) => decodeRecord(frame, first).sequence);
      this.writes.push({ first, sequences, finish: resolve, fail: reject });
    });
  }

  get last(): Write {
    const write = this.writes.at(-1);
    if (write === undefined) throw new Error('nothing was written');
    return write;
  }
}

interface Scene {
  readonly store: ObedientStore;
  readonly commits: GroupCommit;
  readonly published: (readonly LoggedEvent[])[];
}

function given(newest = 0, order: string[] = []): Scene {
  const store = new ObedientStore();
  const published: (readonly LoggedEvent[])[] = [];
  const commits = new GroupCommit(store, resourceVersion(newest), (events) => {
    published.push(events);
    order.push('published');
  });
  return { store, commits, published };
}

function events(...sequences: number[]): ProposedEvent[] {
  return sequences.map((sequence) => proposedEvent(sequence));
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('GroupCommit', () => {
  it('writes the appends of one turn together', async () => {
    const { store, commits } = given(10);
    const appends = [commits.append(events(1)), commits.append(events(2, 3))];
    await turn();

    expect(store.writes.map(({ first, sequences }) => ({ first, sequences }))).toEqual([
      { first: 11, sequences: [1, 2, 3] },
    ]);
    store.last.finish();
    expect(await Promise.all(appends)).toEqual([11, 12]);
    expect(commits.newest).toBe(13);
  });

  it('gathers what arrives while a write is under way, and writes one group at a time', async () => {
    const { store, commits } = given();
    const first = commits.append(events(1));
    await turn();
    const later = [commits.append(events(2)), commits.append(events(3))];
    await turn();
    expect(store.writes).toHaveLength(1);
    expect(commits.newest).toBe(0);

    store.last.finish();
    expect(await first).toBe(1);
    await turn();
    expect(store.last.sequences).toEqual([2, 3]);
    store.last.finish();
    expect(await Promise.all(later)).toEqual([2, 3]);
  });

  it('publishes a group before it answers', async () => {
    const order: string[] = [];
    const { store, commits, published } = given(0, order);
    const appended = commits.append(events(1, 2)).then(() => order.push('answered'));
    await turn();
    expect(published).toEqual([]);

    store.last.finish();
    await turn();
    await appended;
    expect(order).toEqual(['published', 'answered']);
    expect(published.flat().map((event) => [event.resourceVersion, event.sequence])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('does not let a group grow beyond what one append may have', async () => {
    const { store, commits } = given();
    const json = Buffer.alloc(APPEND_BYTES_MAX / 2);
    const appends = [1, 2, 3].map((n) => commits.append([proposedEvent(n, { json })]));
    for (let group = 1; group <= 3; group += 1) {
      await turn();
      expect(store.writes).toHaveLength(group);
      store.last.finish();
    }
    expect(await Promise.all(appends)).toEqual([1, 2, 3]);
  });

  it('fills a group to the last byte that one append may have', async () => {
    const { store, commits } = given();
    const overhead = encodeRecord(proposedEvent(1, { json: Buffer.alloc(0) })).length;
    const half = Buffer.alloc(APPEND_BYTES_MAX / 2 - overhead);
    const more = Buffer.alloc(half.length + 1);
    const appends = [half, half, half, more].map((json, index) =>
      commits.append([proposedEvent(index, { json })]),
    );
    await turn();
    expect(store.last.sequences).toEqual([0, 1]);
    store.last.finish();
    await turn();
    expect(store.last.sequences).toEqual([2]);
    store.last.finish();
    await turn();
    store.last.finish();
    expect(await Promise.all(appends)).toEqual([1, 2, 3, 4]);
  });

  it('refuses what waits behind a refused append of its chain, and nothing else', async () => {
    const store = new ObedientStore();
    const groups = new FrameGroups<string>(store, resourceVersion(0), () => undefined);
    const [one, other] = [{}, {}];
    const told: string[] = [];
    const append = (sequence: number, chain?: object): void => {
      groups.append([encodeRecord(proposedEvent(sequence))], '', chain).then(
        (at) => told.push(`${String(sequence)} at ${String(at)}`),
        (error: unknown) => told.push(`${String(sequence)} ${String(error)}`),
      );
    };
    append(1, one);
    append(2);
    await turn();
    append(3, one);
    append(4, other);
    append(5);
    append(6, one);
    store.last.fail(new LogUnavailableError('full'));
    await turn();
    expect(store.last).toMatchObject({ first: 1, sequences: [4, 5] });
    append(7, one);
    store.last.finish();
    await turn();
    store.last.finish();
    await turn();
    const refused = [1, 2, 3, 6].map((sequence) => `${String(sequence)} LogUnavailableError: full`);
    expect(told).toEqual([...refused, '4 at 1', '5 at 2', '7 at 3']);
  });

  it('leaves no gap after a write that did not happen, and goes on', async () => {
    const { store, commits, published } = given();
    const failing = commits.append(events(1));
    await turn();
    const later = commits.append(events(2));
    const failure = new LogUnavailableError('disk full');
    store.last.fail(failure);

    await expect(failing).rejects.toBe(failure);
    await turn();
    expect(store.last).toMatchObject({ first: 1, sequences: [2] });
    store.last.finish();
    expect(await later).toBe(1);
    expect(published.flat().map((event) => event.sequence)).toEqual([2]);
  });

  it('takes nothing more once it is unknown what was written', async () => {
    const { store, commits, published } = given();
    const unknown = commits.append(events(1));
    await turn();
    const waiting = commits.append(events(2));
    const failure = new AppendOutcomeUnknownError('the disk is gone');
    store.last.fail(failure);

    await expect(unknown).rejects.toThrow(AppendOutcomeUnknownError);
    const refused = await waiting.catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LogUnavailableError);
    expect(refused).toHaveProperty('cause', failure);
    expect(refused).toHaveProperty('needsRestart', true);
    await expect(commits.append(events(3))).rejects.toThrow(/start again/);
    expect(store.writes).toHaveLength(1);
    expect(published).toEqual([]);
    await commits.close();
  });

  it('answers what is under way before it is closed, and refuses the rest', async () => {
    const { store, commits } = given();
    const first = commits.append(events(1));
    await turn();
    const second = commits.append(events(2));
    let isClosed = false;
    const closed = commits.close().then(() => (isClosed = true));
    await expect(commits.append(events(3))).rejects.toThrow(LogUnavailableError);

    store.last.finish();
    await turn();
    expect(isClosed).toBe(false);
    store.last.finish();
    await closed;
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });
});
