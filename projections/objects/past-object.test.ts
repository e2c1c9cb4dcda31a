import { expect, it } from 'vitest';
import { LogTrimmedError } from '../../streams/event-log.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { givenEvent, selection } from '../given.fixture.ts';
import { ResourceObjects } from './object-view.ts';
import { UNREAD } from './label-index.ts';
import { PastObject } from './past-object.ts';
import { isMade, passingJson } from './stored-object.ts';
import { isSameState } from './served-bytes.ts';

const PLACE = { resource: 'core/configmaps', path: 'ns/a' };
const FIRST = resourceVersion(1);

async function given() {
  const log = new MemoryEventLog();
  const event = givenEvent({ labels: { app: 'web' } });
  await log.append([event]);
  return { log, event };
}

/** A log that counts how often it is read. */
async function counted() {
  const { log } = await given();
  let count = 0;
  const at: typeof log.at = (version) => {
    count += 1;
    return log.at(version);
  };
  return { at, reads: () => count };
}

it('an object of the past is read once, when it is first asked for', async () => {
  const { at, reads } = await counted();
  const object = new PastObject({ at }, PLACE, FIRST);
  expect(reads()).toBe(0);
  expect(object.labels).toEqual({ app: 'web' });
  expect(object.json.toString()).toContain('"resourceVersion":"1"');
  expect(reads()).toBe(1);
});

it('an object of the past that is shown with many is read for each list, and not kept', async () => {
  const { at, reads } = await counted();
  const object = new PastObject({ at }, PLACE, FIRST);
  const target = Buffer.alloc(4_096);
  for (const times of [1, 2]) {
    const json = passingJson(object, { target, mayKeep: false });
    expect(json.buffer).toBe(target.buffer);
    expect(json.toString()).toContain('"resourceVersion":"1"');
    expect([reads(), isMade(object), object.knownLabels]).toEqual([times, false, UNREAD]);
  }
  expect(passingJson(object, { target, mayKeep: true })).toBe(object.json);
  expect([reads(), isMade(object)]).toEqual([3, true]);
});

it.each([
  [undefined, true],
  [true, false],
] as const)(
  'one that is sealed as it was once (%j) is written again: %j',
  async (isStale, same) => {
    const { log, event } = await given();
    const at: typeof log.at = (version) => {
      const found = log.at(version);
      return found === undefined || isStale === undefined ? found : { ...found, isStale };
    };
    const object = new PastObject({ at }, PLACE, FIRST);
    expect(isSameState(object, event.json)).toBe(same);
  },
);

it('one that is not in the log any more is too old', async () => {
  const { log } = await given();
  const object = new PastObject(log, PLACE, resourceVersion(7));
  expect(() => object.json).toThrow(new LogTrimmedError('version 7 is not in the log any more'));
  expect(() => object.json).toThrow(LogTrimmedError);
});

it.each([10, 1_000])('none of %i is read when they are put beside each other', async (count) => {
  const { log } = await given();
  const reads: number[] = [];
  const at: typeof log.at = (version) => {
    reads.push(version);
    return log.at(FIRST);
  };
  const objects = new ResourceObjects();
  for (let nth = 1; nth <= count; nth += 1) {
    const version = resourceVersion(nth);
    objects.set(new PastObject({ at }, { ...PLACE, path: `ns/${String(nth)}` }, version), version);
  }
  expect([objects.size, reads.length]).toEqual([count, 0]);
  const labelled = (text: string): string[] => {
    const labels = selection({ labels: text }).labels;
    const paths: string[] = [];
    objects.visitSelected(labels, { namespace: 'ns', from: '' }, (object) => {
      if (object.labels?.['app'] === 'web') paths.push(object.path);
      return true;
    });
    return paths;
  };
  expect(labelled('app=web').length).toBe(count);
});
