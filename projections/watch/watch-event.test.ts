import { describe, expect, it } from 'vitest';

import type { StringMap } from '../../api/meta/object-meta.ts';
import type { CommittedEvent, EventType, StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { loggedEvent, selection } from '../given.fixture.ts';
import { selectsContent, type Selection } from '../objects/selection.ts';
import { parsedObject, storedObject } from '../objects/stored-object.ts';
import { changeSeen, changeWanted } from './watch-event.ts';

const WEB = { tier: 'web' };
const DB = { tier: 'db' };

function object(version: number, labels: StringMap, path = 'ns/a'): StoredObject {
  return storedObject(loggedEvent(version, { path, labels }));
}

function change(type: EventType, was: StringMap | undefined, is: StringMap): CommittedEvent {
  const version = resourceVersion(9);
  const now = object(9, is);
  const previous = was === undefined ? undefined : object(3, was);
  return {
    resourceVersion: version,
    type,
    resource: now.resource,
    path: now.path,
    object: now,
    previous,
  };
}

const seen = (selected: Selection, event: CommittedEvent): string | undefined =>
  changeSeen(selected, event)?.type;

describe('what a watcher is shown of a change', () => {
  const web = selection({ labels: 'tier=web' });

  it.each<[string, CommittedEvent, string | undefined]>([
    ['comes in sight', change('added', undefined, WEB), 'ADDED'],
    ['is made out of sight', change('added', undefined, DB), undefined],
    ['changes in sight', change('modified', WEB, { ...WEB, x: 'y' }), 'MODIFIED'],
    ['changes out of sight', change('modified', DB, {}), undefined],
    ['comes into sight by a change', change('modified', DB, WEB), 'ADDED'],
    ['goes out of sight by a change', change('modified', WEB, DB), 'DELETED'],
    ['goes away in sight', change('deleted', WEB, WEB), 'DELETED'],
    ['goes away in sight, with other last words', change('deleted', WEB, DB), 'DELETED'],
    ['goes away out of sight', change('deleted', DB, DB), undefined],
    ['goes away out of sight, with last words in sight', change('deleted', DB, WEB), undefined],
  ])('that %s', (_what, event, expected) => {
    expect(seen(web, event)).toBe(expected);
  });

  it('without a selector is the change itself', () => {
    for (const [type, expected] of [
      ['added', 'ADDED'],
      ['modified', 'MODIFIED'],
      ['deleted', 'DELETED'],
    ] as const) {
      expect(seen(selection(), change(type, type === 'added' ? undefined : DB, DB))).toBe(expected);
    }
  });

  it('is nothing of other namespaces and names', () => {
    const event = change('added', undefined, WEB);
    expect(seen(selection({ namespace: 'ns' }), event)).toBe('ADDED');
    expect(seen(selection({ namespace: 'n' }), event)).toBeUndefined();
    expect(seen(selection({ namespace: 'other' }), event)).toBeUndefined();
    expect(seen(selection({ name: 'a' }), event)).toBe('ADDED');
    expect(seen(selection({ name: 'b' }), event)).toBeUndefined();
  });

  it('is what it looked like before it went out of sight, at the version of the change', () => {
    const event = changeSeen(web, change('modified', WEB, DB));
    expect(event?.resourceVersion).toBe(9);
    expect(event === undefined ? undefined : parsedObject(event.object)['metadata']).toMatchObject({
      resourceVersion: '9',
      labels: WEB,
    });
  });

  it('is the same where a wider selection has let it through first', () => {
    const wide: Selection = { ...selection(), isWide: true };
    const isWanted = (one: StoredObject): boolean => selectsContent(web, one);
    for (const [type, was, is] of EVERY) {
      const event = change(type, was, is);
      const through = changeSeen(wide, event);
      const wanted = through && changeWanted(through, isWanted);
      expect(wanted, `${type} ${JSON.stringify([was, is])}`).toEqual(changeSeen(web, event));
    }
  });
});

const LABELS = [WEB, DB, {}, { ...WEB, x: 'y' }];
const EVERY: readonly [EventType, StringMap | undefined, StringMap][] = LABELS.flatMap((is) => [
  ['added', undefined, is] as const,
  ...LABELS.flatMap((was) => [['modified', was, is] as const, ['deleted', was, is] as const]),
]).map(([type, was, is]) => [type, was, is]);
