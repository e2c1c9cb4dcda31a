import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { StringMap } from '../../api/meta/object-meta.ts';
import { parseLabelSelector, type LabelSelector } from '../../api/selectors/label-selector.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { loggedEvent } from '../given.fixture.ts';
import { ResourceObjects } from './object-view.ts';
import { coolingObject, isCooling } from './stored-object.ts';

const OBJECTS = 300;
const nameOf = (nth: number): string => `ns/${String(nth).padStart(3, '0')}`;

function selectorOf(text: string): LabelSelector {
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.selector;
}

interface Change {
  readonly nth: number;
  readonly labels: StringMap | undefined;
  readonly isTold: boolean;
  readonly isGone: boolean;
  /** Memory has no bytes of what it was any more. */
  readonly isCold: boolean;
}

/** Objects of one resource beside their labels, in a log that can be read or not. */
class Given {
  readonly objects = new ResourceObjects();
  readonly there = new Map<string, StringMap | undefined>();
  readonly #events: LoggedEvent[] = [];
  isReadable = true;
  /** How often an index has told what is selected, with nothing looked at. */
  exact = 0;
  readonly #source = {
    hasRoom: false,
    warmed: () => undefined,
    recordAt: (version: number) => {
      const event = this.#events[version - 1];
      if (!this.isReadable || event === undefined) throw new Error('the log cannot be read');
      return event;
    },
  };

  constructor() {
    for (let nth = 0; nth < OBJECTS; nth += 1) this.set(nth, { a: 'x' });
  }

  /** @param isTold whether the event has its labels beside it, as one that was proposed here. */
  set(nth: number, now: StringMap | undefined, isTold = false): void {
    const path = nameOf(nth);
    const event = loggedEvent(this.#events.length + 1, { path, ...(now && { labels: now }) });
    this.#events.push(event);
    const object = coolingObject(isTold ? { ...event, labels: now ?? {} } : event, this.#source);
    this.objects.set(object, event.resourceVersion);
    this.there.set(path, now);
  }

  change({ nth, labels: now, isTold, isGone, isCold }: Change): void {
    if (isCold) this.cool(nth);
    if (!isGone) this.set(nth, now, isTold);
    else {
      this.objects.delete(nameOf(nth), this.objects.changedAt);
      this.there.delete(nameOf(nth));
    }
  }

  /** It comes once more. */
  again(nth: number): void {
    const object = this.objects.get(nameOf(nth));
    if (object !== undefined) this.objects.set(object, this.objects.changedAt);
  }

  /** Memory has no bytes of the object any more. */
  cool(nth: number): void {
    const object = this.objects.get(nameOf(nth));
    if (object !== undefined && isCooling(object)) object.letGo();
  }

  /** What a list finds, and how many objects it looked at. */
  async list(text: string): Promise<{ readonly paths: string[]; readonly looked: number }> {
    await this.objects.labelled();
    const selector = selectorOf(text);
    const paths: string[] = [];
    const exact = this.objects.selected(selector, { namespace: '', from: '' }, OBJECTS * 2);
    if (exact !== undefined) {
      this.exact += 1;
      expect(exact.map(({ path }) => path)).toEqual(this.scanned(text));
    }
    let looked = 0;
    this.objects.visitSelected(selector, { namespace: '', from: '' }, (object) => {
      looked += 1;
      if (selector.matches(object.labels)) paths.push(object.path);
      return true;
    });
    return { paths, looked };
  }

  /** What a look at all of them finds. */
  scanned(text: string): string[] {
    const selector = selectorOf(text);
    return [...this.there].flatMap(([path, has]) => (selector.matches(has) ? [path] : [])).sort();
  }
}

const labels = fc.constantFrom(undefined, { a: 'x' }, { a: 'y' });
const change: fc.Arbitrary<Change> = fc.record({
  nth: fc.integer({ min: 0, max: OBJECTS + 20 }),
  labels,
  isTold: fc.boolean(),
  isGone: fc.boolean(),
  isCold: fc.boolean(),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(change, { minLength: 1, maxLength: 8 }) },
  // By others, more than wait unread, and more than there are objects.
  { weight: 1, arbitrary: fc.record({ burst: fc.constantFrom(200, 500, 900), labels }) },
  { weight: 2, arbitrary: fc.constantFrom('a=x', 'a in (x,y)', '!a', 'a=y', 'a!=y,a') },
);

describe('objects that a label selects', () => {
  it('are those that a look at all of them finds, for any history of reads, of others and of lists', async () => {
    let [kept, made, exact] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const given = new Given();
        for (const one of steps) {
          if (typeof one === 'string') {
            if (given.objects.labelled() === undefined) kept += 1;
            else made += 1;
            // While it is made.
            given.set(5, { a: 'y' });
            expect((await given.list(one)).paths, one).toEqual(given.scanned(one));
          } else if ('burst' in one) {
            for (let i = 0; i < one.burst; i += 1) given.set((i * 7) % OBJECTS, one.labels);
          } else {
            for (const changed of one) given.change(changed);
          }
        }
        expect((await given.list('a=x')).paths).toEqual(given.scanned('a=x'));
        exact += given.exact;
      }),
      { numRuns: 60 },
    );
    expect(Math.min(kept, made, exact)).toBeGreaterThan(10);
  });

  it('are found without a look at others behind as many changes by others as there are objects', async () => {
    const given = new Given();
    await given.list('a=y');
    for (let nth = 0; nth < OBJECTS; nth += 1) given.set(nth, { a: nth === 7 ? 'y' : 'z' });
    expect(given.objects.labelled()).toBeUndefined();
    expect(await given.list('a=y')).toEqual({ paths: [nameOf(7)], looked: 1 });
  });

  it('are looked for again where no list has asked for long', async () => {
    const given = new Given();
    await given.list('a=y');
    for (let nth = 0; nth < OBJECTS; nth += 1) given.set(nth, { a: 'z' });
    for (let nth = 0; nth < OBJECTS; nth += 1) given.set(nth, { a: 'y' });
    expect(given.objects.labelled()).toBeInstanceOf(Promise);
    expect((await given.list('a=y')).paths).toHaveLength(OBJECTS);
  });

  it('may be changed while labels cannot be read, of which the next list says so', async () => {
    const given = new Given();
    await given.list('a=y');
    given.isReadable = false;
    given.set(3, { a: 'y' });
    given.cool(3);
    given.again(3);
    await expect(given.list('a=y')).rejects.toThrow('cannot be read');
    given.isReadable = true;
    expect((await given.list('a=y')).paths).toEqual([nameOf(3)]);
  });
});
