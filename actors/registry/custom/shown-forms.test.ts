import { describe, expect, it } from 'vitest';
import type { CustomServing } from '../../../api/kinds/custom-serving.ts';
import { loggedEvent } from '../../../projections/given.fixture.ts';
import { storedObject } from '../../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { ShownForms } from './shown-forms.ts';

const ROOM = 20_000;
/** Of which nothing is asked here. */
const custom = {} as CustomServing;

const object = (version: number, data = 'x'.repeat(700)): StoredObject =>
  storedObject(loggedEvent(version, { path: `ns/${String(version)}`, data }));

/** A thousand live objects, and what is shown of each. */
function given() {
  const forms = new ShownForms(ROOM);
  const stored = Array.from({ length: 1_000 }, (_, at) => object(at + 1));
  const shown = stored.map(({ resourceVersion }) => object(resourceVersion, 'y'.repeat(700)));
  const keep = (at: number): void => {
    const [one, form] = [stored[at], shown[at]];
    if (one === undefined || form === undefined) throw new Error('there are a thousand');
    forms.keep(custom, one, form);
  };
  const isKept = (at: number): boolean => {
    const one = stored[at];
    const form = one && forms.of(custom, one);
    expect([undefined, shown[at]]).toContain(form);
    return form !== undefined;
  };
  return { forms, stored, keep, isKept };
}

describe('forms of objects that all live', () => {
  it('take no more memory than there is room for', () => {
    const { forms, stored, keep, isKept } = given();
    for (const at of stored.keys()) {
      keep(at);
      expect(forms.bytes).toBeLessThanOrEqual(ROOM);
    }
    const kept = [...stored.keys()].filter(isKept);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept[0]).toBeGreaterThan(900);
  });

  it('stay while they are asked for', () => {
    const { stored, keep, isKept } = given();
    for (const at of stored.keys()) {
      keep(at);
      expect(isKept(0)).toBe(true);
    }
  });

  it('that are kept again and again count once', () => {
    const { forms, keep, isKept } = given();
    keep(0);
    const { bytes } = forms;
    for (let times = 0; times < 3_000; times += 1) keep(0);
    expect([forms.bytes, isKept(0)]).toEqual([bytes, true]);
  });

  it('are known where nothing was to be done, which takes no room', () => {
    const { forms, stored, keep } = given();
    for (const one of stored.slice(0, 500)) forms.keep(custom, one, one);
    expect(forms.bytes).toBe(0);
    for (let at = 500; at < 1_000; at += 1) keep(at);
    for (const one of stored.slice(0, 500)) expect(forms.of(custom, one)).toBe(one);
  });

  it('are those of one version of a resource', () => {
    const { forms, stored, keep } = given();
    keep(7);
    const [, , , , , , , seventh] = stored;
    expect(seventh && forms.of({} as CustomServing, seventh)).toBeUndefined();
  });
});
