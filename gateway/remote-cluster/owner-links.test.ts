import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { loggedEvent } from '../../projections/given.fixture.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { OwnerLinks } from './owner-links.ts';

const owner = (uid: string): JsonObject => ({ metadata: { name: 'web', uid } });
const owned = (...uids: string[]): JsonObject => ({
  metadata: {
    name: 'a',
    ownerReferences: uids.map((uid) => ({ kind: 'ReplicaSet', name: `of-${uid}`, uid })),
  },
});

function event(object: JsonObject, type: LoggedEvent['type'] = 'added'): LoggedEvent {
  const json = Buffer.from(JSON.stringify(object));
  return { ...loggedEvent(1, { path: 'ns/a' }), type, json, resourceVersion: resourceVersion(1) };
}

function uidsIn(links: OwnerLinks, object: JsonObject): unknown[] {
  return links.referencesOf(object).map(({ uid }) => uid);
}

describe('references to owners', () => {
  it('name the owner that is there, and are left out while there is none', () => {
    const links = new OwnerLinks();
    expect(uidsIn(links, owned('1', '2'))).toEqual([]);
    links.madeBy(owner('1'), owner('new-1'));
    expect(uidsIn(links, owned('1', '2'))).toEqual(['new-1']);
  });

  it('are put in when the owner comes, and put right when it is made anew', () => {
    const links = new OwnerLinks();
    const dependent = event(owned('1'));
    links.note(dependent, owned('1'));
    expect([...links.left()]).toEqual([`${dependent.resource} ns/a is owned by ReplicaSet of-1`]);
    expect(links.madeBy(owner('1'), owner('new-1'))).toEqual([dependent]);
    expect([...links.left()]).toEqual([]);
    expect(links.madeBy(owner('1'), owner('new-1'))).toEqual([]);
    expect(links.madeBy(owner('1'), owner('newer-1'))).toEqual([dependent]);
  });

  it('are those of the latest change of an object', () => {
    const links = new OwnerLinks();
    links.note(event(owned('1')), owned('1'));
    const later = event(owned('2'), 'modified');
    links.note(later, owned('2'));
    expect(links.madeBy(owner('1'), owner('new-1'))).toEqual([]);
    expect(links.madeBy(owner('2'), owner('new-2'))).toEqual([later]);
    links.note(event(owned('2'), 'deleted'), owned('2'));
    expect(links.madeBy(owner('2'), owner('newer-2'))).toEqual([]);
  });

  it('lead nowhere once the owner is deleted', () => {
    const links = new OwnerLinks();
    links.madeBy(owner('1'), owner('new-1'));
    links.note(event(owner('1'), 'deleted'), owner('1'));
    expect(uidsIn(links, owned('1'))).toEqual([]);
  });
});
