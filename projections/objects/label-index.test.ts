import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { StringMap } from '../../api/meta/object-meta.ts';
import { parseLabelSelector, type LabelSelector } from '../../api/selectors/label-selector.ts';
import { LabelIndex, UNREAD } from './label-index.ts';

function selectorOf(text: string): LabelSelector {
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.selector;
}

/** What is shown of a range, until one is refused behind so many; undefined: the index does not know. */
function shown(
  index: LabelIndex,
  selector: string,
  range: readonly [string, string] = ['', '\uffff'],
  max = Number.POSITIVE_INFINITY,
): string[] | undefined {
  const paths: string[] = [];
  const isKnown = index.visit(selectorOf(selector), range, (path) => {
    if (paths.length === max) return false;
    paths.push(path);
    return true;
  });
  return isKnown ? paths : undefined;
}

const SELECTORS = ['a=x', 'a=', 'a in (x,y)', 'a==y,b=x', 'b in (y),a!=x', '!b,a=x', 'b=nothing'];
const label = fc.option(fc.constantFrom('x', 'y', ''), { nil: undefined });
const step = fc.record({
  name: fc.integer({ min: 0, max: 30 }),
  labels: fc.option(fc.record({ a: label, b: label }), { nil: undefined }),
  isGone: fc.boolean(),
  isUnread: fc.boolean(),
  isForgotten: fc.boolean(),
});

function plain(labels: { readonly a?: string | undefined; readonly b?: string | undefined }) {
  const entries = Object.entries(labels).filter((entry) => entry[1] !== undefined);
  return Object.fromEntries(entries) as StringMap;
}

describe('an index of labels', () => {
  it('names every object that is selected, in order and once, whatever is known of what was before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const index = new LabelIndex();
        const there = new Map<string, StringMap | undefined>();
        let isExact = true;
        for (const { name, labels, isGone, isUnread, isForgotten } of steps) {
          const path = `ns/${String(name).padStart(2, '0')}`;
          const isForgottenNow = isForgotten && there.has(path);
          if (isForgottenNow) isExact = false;
          const before = isForgottenNow ? UNREAD : there.get(path);
          const now = isGone || labels === undefined ? undefined : plain(labels);
          index.set(path, before, isUnread && !isGone ? UNREAD : now);
          if (isGone) there.delete(path);
          else there.set(path, now);
        }
        index.read((path) => there.get(path));
        const range = ['ns/05', 'ns/25'] as const;
        for (const text of SELECTORS) {
          const selector = selectorOf(text);
          const selected = [...there]
            .filter(
              ([path, labels]) => path >= range[0] && path < range[1] && selector.matches(labels),
            )
            .map(([path]) => path)
            .sort();
          const found = shown(index, text, range) ?? [];
          expect(found).toEqual([...new Set(found)].sort());
          const asked = found.filter(
            (path) => there.has(path) && selector.matches(there.get(path)),
          );
          expect(asked, text).toEqual(selected);
          if (isExact && text === 'a=x') expect(found).toEqual(selected);
          const exact = index.selected(selectorOf(text), range, 3);
          if (isExact && text === 'a=x') expect(exact).toBeDefined();
          if (exact !== undefined) expect(exact, text).toEqual(selected.slice(0, 3));
          expect(shown(index, text, range, 2)).toEqual(found.slice(0, 2));
        }
      }),
    );
  });

  it('says when it does not know', () => {
    const index = new LabelIndex();
    index.set('ns/a', undefined, { a: 'x' });
    for (const text of ['a', '!a', 'a!=x', 'a notin (x)', 'a>3', '']) {
      expect(shown(index, text), text).toBeUndefined();
    }
    const many = Array.from({ length: 9 }, (_, i) => `v${String(i)}`).join(',');
    expect(shown(index, `a in (${many})`)).toBeUndefined();
    expect(shown(index, 'a=y')).toEqual([]);
  });

  it('may name one too many, and then does not say that it names no others', () => {
    const index = new LabelIndex();
    const all = ['', '\uffff'] as const;
    index.set('ns/a', undefined, { a: 'x', b: 'x' });
    expect(index.selected(selectorOf('a=x'), all, 10)).toEqual(['ns/a']);
    for (const text of ['a', 'a!=x', 'a=x,b=x', 'a in (x,y)', '']) {
      expect(index.selected(selectorOf(text), all, 10), text).toBeUndefined();
    }
    index.set('ns/b', undefined, UNREAD);
    expect(index.selected(selectorOf('a=x'), all, 10)).toBeUndefined();
    index.read(() => ({ a: 'x' }));
    expect(index.selected(selectorOf('a=x'), all, 10)).toEqual(['ns/a', 'ns/b']);
    index.mayBeLeft();
    expect(index.selected(selectorOf('a=x'), all, 10)).toBeUndefined();
  });

  it('takes the requirement that the fewest objects meet', () => {
    const index = new LabelIndex();
    for (let i = 0; i < 100; i += 1) {
      index.set(`ns/${String(i)}`, undefined, { all: 'yes', one: String(i) });
    }
    expect(shown(index, 'all=yes,one=7')).toEqual(['ns/7']);
  });

  it('is of no use where too much has to be read, or lies where it does not belong', () => {
    const unread = new LabelIndex();
    for (let i = 0; i < 1_000; i += 1) unread.set(`ns/${String(i)}`, undefined, UNREAD);
    expect(unread.isOfUse(1_000)).toBe(false);
    unread.read(() => ({ a: 'x' }));
    expect(unread.isOfUse(1_000)).toBe(true);
    expect(shown(unread, 'a=x')).toHaveLength(1_000);

    const left = new LabelIndex();
    for (let i = 0; i < 1_100; i += 1) left.set('ns/a', UNREAD, { a: String(i) });
    expect(left.isOfUse(10)).toBe(false);
    expect(left.isOfUse(10_000)).toBe(true);
  });
});
