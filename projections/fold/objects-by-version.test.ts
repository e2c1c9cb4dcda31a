import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { storedObject } from '../objects/stored-object.ts';
import { proposedEvent } from '../../streams/proposed-event.fixture.ts';
import { ObjectsByVersion } from './objects-by-version.ts';

const LAST = 200;

function objectOf(version: number): StoredObject {
  const path = `ns/${String(version)}`;
  return storedObject({
    ...proposedEvent(version, { path }),
    resourceVersion: resourceVersion(version),
  });
}

describe('objects by their versions', () => {
  it('are found as they are, and have no more places than there were objects at once', () => {
    const op = fc.constantFrom('put', 'put', 'move', 'move', 'remove', 'remove', 'removeOther');
    fc.assert(
      fc.property(fc.array(op, { maxLength: LAST + 40 }), fc.nat(), (ops, seed) => {
        const versions = new ObjectsByVersion(resourceVersion(1), resourceVersion(LAST));
        const known = new Map<number, StoredObject>();
        let most = 0;
        // Some versions lie behind those that there is room for.
        for (const [nth, done] of ops.entries()) {
          const version = resourceVersion(nth + 1);
          const all = [...known.keys()];
          const from = resourceVersion(all[(seed + nth) % Math.max(1, all.length)] ?? LAST + 50);
          const object = known.get(from);
          if (done === 'put' || object === undefined) {
            const made = objectOf(version);
            versions.put(version, made);
            if (version <= LAST) known.set(version, made);
          } else if (done === 'move') {
            versions.move(from, version, object);
            known.delete(from);
            if (version <= LAST) known.set(version, object);
          } else {
            versions.remove(done === 'remove' ? from : version);
            if (done === 'remove') known.delete(from);
          }
          most = Math.max(most, known.size);
          for (let one = 1; one <= ops.length; one += 1) {
            expect(versions.at(resourceVersion(one))).toBe(known.get(one));
          }
          expect(versions.places).toBe(most);
        }
      }),
    );
  });

  it('need one place for a fold that makes and removes one object behind the other', () => {
    const versions = new ObjectsByVersion(resourceVersion(1), resourceVersion(LAST));
    for (let version = 1; version < LAST; version += 2) {
      versions.put(resourceVersion(version), objectOf(version));
      versions.remove(resourceVersion(version));
    }
    expect(versions.places).toBe(1);
  });
});
