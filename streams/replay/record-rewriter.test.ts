import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loggedAt } from '../event-codec.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import type { EventType, LoggedEvent } from '../event.ts';
import { resourceVersion } from '../resource-version.ts';
import { RecordRewriter } from './record-rewriter.ts';

function eventAt(version: number, type: EventType, path = 'ns/a', previous = 0): LoggedEvent {
  const event = proposedEvent(version, {
    type,
    path,
    previousResourceVersion: resourceVersion(previous),
    requires: [{ resource: 'core/namespaces', path: '/ns', resourceVersion: resourceVersion(1) }],
  });
  return loggedAt(event, resourceVersion(version));
}

/** Which version each object has, as the rule of the log says; a record that does not hold throws. */
function fold(records: Iterable<ReturnType<RecordRewriter['change']>>): Map<string, number> {
  const versions = new Map<string, number>();
  let position = 0;
  for (const { type, path, previousResourceVersion: previous, requires } of records) {
    position += 1;
    expect(requires).toEqual([]);
    if (type === 'marker') continue;
    expect(previous).toBe(versions.get(path) ?? 0);
    expect(type === 'added').toBe(previous === 0);
    if (type === 'deleted') versions.delete(path);
    else versions.set(path, position);
  }
  return versions;
}

describe('a rewriter', () => {
  it('gives every object its own version when nothing is left out', () => {
    const rewriter = new RecordRewriter('player');
    const records = [
      rewriter.change(eventAt(1, 'added')),
      rewriter.change(eventAt(2, 'added', 'ns/b')),
      rewriter.marker(3),
      rewriter.change(eventAt(4, 'modified', 'ns/a', 1)),
      rewriter.change(eventAt(5, 'deleted', 'ns/b', 2)),
    ];

    expect(fold(records)).toEqual(new Map([['ns/a', 4]]));
    expect(records.map(({ sequence, writer }) => [sequence, writer])).toEqual(
      [1, 2, 3, 4, 5].map((sequence) => [sequence, 'player']),
    );
    expect(records[3]).toMatchObject({ user: 'jane', uid: 'uid-4', type: 'modified' });
  });

  it('makes of a state its creation, and goes on from there', () => {
    const rewriter = new RecordRewriter('player');
    const state = rewriter.change(eventAt(700, 'modified', 'ns/a', 650));
    const next = rewriter.change(eventAt(900, 'modified', 'ns/a', 700));

    expect(state).toMatchObject({ type: 'added', previousResourceVersion: 0 });
    expect(next).toMatchObject({ type: 'modified', previousResourceVersion: 1 });
    expect(rewriter.next).toBe(3);
  });

  it('keeps the place of a deletion of what is not there', () => {
    expect(new RecordRewriter('player').change(eventAt(5, 'deleted')).type).toBe('marker');
  });

  it('gives records that all take effect, whatever it is given', () => {
    const anyStep = fc.tuple(
      fc.constantFrom<EventType>('added', 'modified', 'deleted'),
      fc.constantFrom('ns/a', 'ns/b', 'ns/c'),
    );
    fc.assert(
      fc.property(fc.array(anyStep), (steps) => {
        const rewriter = new RecordRewriter('player');
        const records = steps.map(([type, path], index) =>
          rewriter.change(eventAt(index + 1, type, path)),
        );
        const exist = new Set<string>();
        for (const [type, path] of steps) {
          if (type === 'deleted') exist.delete(path);
          else exist.add(path);
        }
        expect(new Set(fold(records).keys())).toEqual(exist);
      }),
    );
  });
});
