import { describe, expect, it } from 'vitest';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { loggedEvent } from '../given.fixture.ts';
import { PastReads } from './past-reads.ts';
import { storedObject } from './stored-object.ts';

describe('reads of many versions', () => {
  const sizes = [0, 10, 1_000, 15_000, 17_000, 100_000, 3_000, 20, 9_000];
  const events = Array.from({ length: 60 }, (_, nth) =>
    loggedEvent(nth + 1, { data: 'x'.repeat(sizes[nth % sizes.length] ?? 0) }),
  );
  const at = (version: ResourceVersion) => events[version - 1];
  /** One place for all, as the log has it. */
  const lent = Buffer.alloc(200_000);
  const jsonAt = (version: ResourceVersion) => {
    const json = at(version)?.json;
    if (json === undefined) return undefined;
    lent.fill(0);
    lent.set(json);
    return lent.subarray(0, json.length);
  };

  it.each([
    ['lends bytes', { at, jsonAt }],
    ['gives records alone', { at }],
  ])('of a log that %s are the objects, each with bytes that stay', (_, log) => {
    const reads = new PastReads(log);
    const read = events.map((event) => reads.read(event, event.resourceVersion));
    for (const [nth, event] of events.entries()) {
      const expected = storedObject(event);
      expect(read[nth]?.json.toString()).toBe(expected.json.toString());
      expect(read[nth]?.labels).toEqual(expected.labels);
      expect(read[nth]?.path).toBe(event.path);
    }
    expect(reads.read({ resource: 'core/configmaps', path: 'ns/a' }, resourceVersion(99))).toBe(
      undefined,
    );
  });
});
