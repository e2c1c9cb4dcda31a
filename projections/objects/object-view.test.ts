import { describe, expect, it } from 'vitest';

import type { CommittedEvent, EventType, StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { CONFIG_MAPS, loggedEvent } from '../given.fixture.ts';
import { ObjectView, ResourceObjects } from './object-view.ts';
import type { HeldPaths } from './sorted-paths.ts';
import { coldObject, storedObject } from './stored-object.ts';

const MANY = 150_000;
const EMPTY = Buffer.from('{}');

function committed(version: number, path: string, type: EventType = 'added'): CommittedEvent {
  const event = loggedEvent(version, { path, type });
  const { resource } = event;
  const object = storedObject(event);
  return {
    resourceVersion: resourceVersion(version),
    type,
    resource,
    path,
    object,
    previous: undefined,
  };
}

function partsOf(
  held: StoredObject[] | HeldPaths<StoredObject>,
): readonly (readonly StoredObject[])[] {
  if (Array.isArray(held)) throw new Error('they were copied');
  return held.parts;
}

function given(...events: CommittedEvent[]): ObjectView {
  const view = new ObjectView();
  for (const event of events) view.apply(event);
  return view;
}

const paths = (view: ObjectView, namespace: string, from = ''): string[] =>
  [...view.of(CONFIG_MAPS).inOrder(namespace, from)].map(({ path }) => path);

describe('the objects as they are now', () => {
  it('are what events made of them', () => {
    const view = given(
      committed(1, 'ns/a'),
      committed(2, 'ns/b'),
      committed(3, 'ns/a', 'modified'),
      committed(4, 'ns/b', 'deleted'),
    );
    expect(view.versionOf(CONFIG_MAPS, 'ns/a')).toBe(3);
    expect(view.versionOf(CONFIG_MAPS, 'ns/b')).toBe(0);
    expect(view.get(CONFIG_MAPS, 'ns/b')).toBeUndefined();
    expect(view.get('core/nonesuch', 'ns/a')).toBeUndefined();
    expect(view.versionOf('core/nonesuch', 'ns/a')).toBe(0);
    expect(view.of(CONFIG_MAPS).size).toBe(1);
    expect(view.of(CONFIG_MAPS).changedAt).toBe(4);
  });

  it('stand in order, in one namespace or in all', () => {
    // The characters around the slash, in names that begin with each other.
    const all = ['a-b/x', 'a/x', 'a/y', 'a.b/x', 'a0/x', 'ab/x'];
    const view = given(...all.map((path, index) => committed(index + 1, path)));
    expect(paths(view, 'a')).toEqual(['a/x', 'a/y']);
    expect(paths(view, 'a0')).toEqual(['a0/x']);
    expect(paths(view, '')).toEqual([...all].sort());
    expect(paths(view, 'b')).toEqual([]);
  });

  it('are not copied where there are many, and are as they were whatever changes', () => {
    const objects = new ResourceObjects();
    const nameOf = (nth: number): string => `ns/${String(nth).padStart(6, '0')}`;
    const put = (path: string, version: number): void => {
      const [resource, at] = [CONFIG_MAPS, resourceVersion(version)];
      const object = { resource, path, resourceVersion: at, labels: undefined, json: EMPTY };
      objects.set(object, at);
    };
    for (let nth = 0; nth < MANY; nth += 1) put(nameOf(nth), nth + 1);
    expect(objects.all('ns', nameOf(MANY - 16_384))).toBeInstanceOf(Array);
    const before = objects.range('', '');
    const [all, again] = [objects.all(''), objects.all('')];
    // The very same chunks: nothing was made of as many as there are objects.
    const [parts, others] = [partsOf(all), partsOf(again)];
    expect(parts.length).toBeLessThan(MANY / 100);
    expect(parts.slice(0, -1).every((part, nth) => part === others[nth])).toBe(true);
    for (let nth = 0; nth < MANY; nth += 1_000) {
      put(nameOf(nth), MANY + nth + 1);
      objects.delete(nameOf(nth + 1), resourceVersion(MANY + nth + 1));
    }
    expect(all.length).toBe(MANY);
    expect([...all].every((object, nth) => object === before[nth])).toBe(true);
    expect(all.at(MANY - 1)).toBe(before.at(-1));
    expect(objects.size).toBe(MANY - MANY / 1_000);
  });

  it('can be had from a path on, and counted behind one', () => {
    const view = given(
      ...['a/x', 'b/x', 'b/y', 'b/z', 'c/x'].map((path, i) => committed(i + 1, path)),
    );
    expect(paths(view, 'b', 'b/y')).toEqual(['b/y', 'b/z']);
    expect(paths(view, 'b', 'a/x')).toEqual(['b/x', 'b/y', 'b/z']);
    expect(paths(view, 'b', 'c/x')).toEqual([]);
    const objects = view.of(CONFIG_MAPS);
    expect(objects.countAfter('b', 'b/x')).toBe(2);
    expect(objects.countAfter('', 'b/x')).toBe(3);
    expect(objects.countAfter('b', 'b/z')).toBe(0);
    // Of the beginning of the range.
    expect(objects.countAfter('b', '')).toBe(3);
    expect(objects.countAfter('bb', '')).toBe(0);
  });

  it('of no namespace stand there alone', () => {
    const view = given(committed(1, '/node'), committed(2, '/other'));
    expect(paths(view, '')).toEqual(['/node', '/other']);
  });

  it('may be named as what every object has', () => {
    const view = given(committed(1, 'ns/constructor'), committed(2, 'ns/__proto__'));
    expect(view.versionOf(CONFIG_MAPS, 'ns/constructor')).toBe(1);
    expect(view.versionOf(CONFIG_MAPS, 'ns/__proto__')).toBe(2);
    expect(view.versionOf(CONFIG_MAPS, 'ns/toString')).toBe(0);
    expect(view.of('__proto__').size).toBe(0);
  });

  it('may have changed in any way before the view began', () => {
    const view = new ObjectView();
    view.beginAt(resourceVersion(7));
    expect(view.of(CONFIG_MAPS).changedAt).toBe(7);
    view.apply(committed(9, 'ns/a'));
    expect(view.of(CONFIG_MAPS).changedAt).toBe(9);
    expect(view.of('core/secrets').changedAt).toBe(7);
  });
});

describe('labels that have to be read', () => {
  it('are asked for again where that failed', async () => {
    let fails = true;
    const events = Array.from({ length: 300 }, (_, i) =>
      loggedEvent(i + 1, { path: `ns/${String(i)}`, labels: { a: 'x' } }),
    );
    const source = {
      hasRoom: false,
      warmed: () => undefined,
      recordAt: (version: number) => {
        const event = events[version - 1];
        if (fails || event === undefined) throw new Error('the log cannot be read');
        return event;
      },
    };
    const objects = new ResourceObjects();
    for (const event of events) {
      objects.set(coldObject(event, event.resourceVersion, source), event.resourceVersion);
    }
    await expect(objects.labelled()).rejects.toThrow('cannot be read');
    fails = false;
    await objects.labelled();
    expect(objects.labelled()).toBeUndefined();
  });
});
