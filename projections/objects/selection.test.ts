import { describe, expect, it } from 'vitest';

import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import { objectAt, stringAt } from '../../api/json/json.ts';
import type { StoredObject } from '../../streams/event.ts';
import { loggedEvent, selection } from '../given.fixture.ts';
import { storedObject } from './stored-object.ts';
import { isUnfiltered, selectsContent, selectsPath, type Selection } from './selection.ts';

const a = storedObject(loggedEvent(1, { path: 'ns/a', labels: { tier: 'web' }, data: 'x' }));

const selects = (one: Selection, object: StoredObject): boolean =>
  selectsPath(one, object.path) && selectsContent(one, object);

describe('a selection', () => {
  it.each<[Parameters<typeof selection>[0], boolean]>([
    [{}, true],
    [{ namespace: 'ns' }, true],
    [{ namespace: 'n' }, false],
    [{ namespace: 'ns/a' }, false],
    [{ name: 'a' }, true],
    [{ name: 'ns/a' }, false],
    [{ namespace: 'ns', name: 'b' }, false],
    [{ labels: 'tier' }, true],
    [{ labels: 'tier in (db,web)' }, true],
    [{ labels: 'tier!=web' }, false],
    [{ labels: '!tier' }, false],
    [{ labels: '!constructor,!toString' }, true],
    [{ fields: 'metadata.name=a,metadata.namespace=ns' }, true],
    [{ fields: 'metadata.name!=a' }, false],
    [{ fields: 'spec.nonesuch=' }, true],
    [{ fields: 'spec.nonesuch=x' }, false],
  ])('of %j: %s', (given, expected) => {
    expect(selects(selection(given), a)).toBe(expected);
  });

  it('of everything has nothing to look at', () => {
    expect(isUnfiltered(selection())).toBe(true);
    expect(isUnfiltered(selection({ namespace: 'ns' }))).toBe(true);
    expect(isUnfiltered(selection({ name: 'a' }))).toBe(false);
    expect(isUnfiltered(selection({ labels: 'x' }))).toBe(false);
    expect(isUnfiltered(selection({ fields: 'metadata.name=a' }))).toBe(false);
  });
});

describe('fields of a kind', () => {
  function byValue(text: string, reads: { count: number }): Selection {
    const parsed = parseFieldSelector(text);
    if (!parsed.ok) throw new Error(parsed.message);
    return {
      ...selection(),
      fields: parsed.selector,
      fieldsOf(object) {
        reads.count += 1;
        return { 'data.value': stringAt(objectAt(object, 'data'), 'value') };
      },
    };
  }

  it('are read as the kind says, beside those that all have', () => {
    const reads = { count: 0 };
    expect(selects(byValue('data.value=x,metadata.name=a', reads), a)).toBe(true);
    expect(selects(byValue('data.value=y', reads), a)).toBe(false);
  });

  it('are read once of each object, however many ask', () => {
    const reads = { count: 0 };
    const one = byValue('data.value=x', reads);
    for (let time = 0; time < 5; time += 1) selects(one, a);
    expect(reads.count).toBe(1);
  });
});
