/**
 * The search and the model of an object: histories that can be explained, and histories that
 * must not be.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { create, get, object, operation, patch, remove, update } from './given-history.fixture.ts';
import type { Operation } from './history.ts';
import { checkLinearizable, type Model, type Timed } from './linearizability.ts';
import { isJudged, objectModel } from './object-model.ts';

function judged(...operations: readonly Operation[]): string {
  const timed = operations.filter(isJudged).map((one) => {
    return { operation: one, invoked: one.invoked, returned: one.returned ?? Infinity };
  });
  return checkLinearizable(objectModel, timed).kind;
}

const made = operation([0, 1], create('a'), object(1, 'a'));

describe('an object’s history', () => {
  it.each<[string, readonly Operation[]]>([
    ['nothing', []],
    ['a create that is read', [made, operation([2, 3], get, object(1, 'a'))]],
    ['a read before there was anything', [operation([0, 1], get, 404)]],
    [
      'two updates at once, in either order',
      [
        made,
        operation([2, 6], update('b'), object(3, 'b')),
        operation([2, 6], update('c'), object(2, 'c')),
        operation([3, 5], get, object(2, 'c')),
        operation([7, 8], get, object(3, 'b')),
      ],
    ],
    [
      'a lost answer that took effect much later',
      [
        made,
        operation([2, null], update('b')),
        operation([3, 4], get, object(1, 'a')),
        operation([5, 6], get, object(7, 'b')),
      ],
    ],
    [
      'a lost answer that never took effect',
      [made, operation([2, null], update('b')), operation([3, 4], get, object(1, 'a'))],
    ],
    [
      'a lost delete that explains why it can be created again',
      [
        made,
        operation([2, null], remove()),
        operation([3, 4], create('b'), object(5, 'b', { uid: 'u2' })),
      ],
    ],
    [
      'a condition that a lost update broke',
      [made, operation([2, null], update('b')), operation([3, 4], update('c', 1), 409)],
    ],
    [
      'patches that keep each other’s fields',
      [
        made,
        operation([2, 5], patch({ p: '1' }), object(3, 'a', { data: { v: 'a', p: '1', q: '2' } })),
        operation([2, 5], patch({ q: '2' }), object(2, 'a', { data: { v: 'a', q: '2' } })),
      ],
    ],
    [
      'a delete that waits for the last finalizer',
      [
        operation(
          [0, 1],
          create('a', { content: { data: { v: 'a' }, finalizers: ['e/f'] } }),
          object(1, 'a', { finalizers: ['e/f'] }),
        ),
        operation([2, 3], remove(), object(2, 'a', { finalizers: ['e/f'], isDeleting: true })),
        operation([4, 5], get, object(2, 'a', { finalizers: ['e/f'], isDeleting: true })),
        operation(
          [6, 7],
          patch({}, { content: { data: {}, finalizers: [] } }),
          object(3, 'a', { isDeleting: true }),
        ),
        operation([8, 9], get, 404),
      ],
    ],
    [
      'an update that changes nothing',
      [
        made,
        operation([2, 3], update('a'), object(1, 'a')),
        operation([4, 5], get, object(1, 'a')),
      ],
    ],
  ])('may be: %s', (_, operations) => {
    expect(judged(...operations)).toBe('linearizable');
  });

  it.each<[string, readonly Operation[]]>([
    [
      'a stale read',
      [
        made,
        operation([2, 3], update('b'), object(2, 'b')),
        operation([4, 5], get, object(1, 'a')),
      ],
    ],
    ['an acknowledged create that is lost', [made, operation([2, 3], get, 404)]],
    ['a value from nowhere', [made, operation([2, 3], get, object(2, 'z'))]],
    ['a value under another version', [made, operation([2, 3], get, object(2, 'a'))]],
    [
      'a value of another incarnation',
      [made, operation([2, 3], get, object(1, 'a', { uid: 'u2' }))],
    ],
    [
      'two reads that go back in time while an update is under way',
      [
        made,
        operation([2, 9], update('b'), object(2, 'b')),
        operation([3, 4], get, object(2, 'b')),
        operation([5, 6], get, object(1, 'a')),
      ],
    ],
    [
      'two updates with the same condition that both succeed',
      [
        made,
        operation([2, 5], update('b', 1), object(2, 'b')),
        operation([2, 5], update('c', 1), object(3, 'c')),
      ],
    ],
    ['a create of what is there', [made, operation([2, 3], create('b'), object(2, 'b'))]],
    [
      'a refused create of what is gone',
      [made, operation([2, 3], remove()), operation([4, 5], create('b'), 409)],
    ],
    [
      'an update that finds nothing where something is',
      [made, operation([2, 3], update('b'), 404)],
    ],
    ['a condition that holds and is refused', [made, operation([2, 3], update('b', 1), 409)]],
    [
      'a patch that overwrites a field it does not name',
      [
        made,
        operation([2, 3], patch({ p: '1' }), object(2, 'a', { data: { v: 'a', p: '1' } })),
        operation([4, 5], patch({ q: '2' }), object(3, 'a', { data: { v: 'a', q: '2' } })),
      ],
    ],
    [
      'a lost update that takes effect twice',
      [
        made,
        operation([2, null], update('b')),
        operation([3, 4], get, object(2, 'b')),
        operation([5, 6], update('c'), object(3, 'c')),
        operation([7, 8], get, object(4, 'b')),
      ],
    ],
    [
      'a lost create that comes back after the delete',
      [
        operation([0, null], create('a')),
        operation([1, 2], get, object(1, 'a')),
        operation([3, 4], remove()),
        operation([5, 6], get, object(3, 'a')),
      ],
    ],
    [
      'a version that falls',
      [
        made,
        operation([2, 3], update('b'), object(5, 'b')),
        operation([4, 5], update('c'), object(4, 'c')),
      ],
    ],
    [
      'an object that goes while a finalizer holds it',
      [
        operation(
          [0, 1],
          create('a', { content: { data: { v: 'a' }, finalizers: ['e/f'] } }),
          object(1, 'a', { finalizers: ['e/f'] }),
        ),
        operation([2, 3], remove(), object(2, 'a', { finalizers: ['e/f'], isDeleting: true })),
        operation([4, 5], get, 404),
      ],
    ],
    [
      'a JSON patch refused for a test that holds',
      [
        made,
        operation(
          [2, 3],
          patch({ p: '1' }, { form: 'json', test: { field: 'v', value: 'a' } }),
          422,
        ),
      ],
    ],
    [
      'a write that had effect although it was refused with nothing written',
      [made, operation([2, 3], update('b'), 503), operation([4, 5], get, object(2, 'b'))],
    ],
  ])('must not be: %s', (_, operations) => {
    expect(judged(...operations)).toBe('violated');
  });
});

describe('the search', () => {
  interface Register {
    readonly write?: number;
    readonly read?: number;
  }
  const register: Model<number, Register> = {
    initial: 0,
    step: (state, { write, read }) => write ?? (read === state ? state : undefined),
    keyOf: String,
  };

  /** All orders tried, one after the other: slow, and plainly right. */
  function bruteForce(history: readonly Timed<Register>[], state = 0): boolean {
    const left = history.filter(({ returned }) => returned !== Infinity);
    if (left.length === 0) return true;
    const firstReturn = Math.min(...history.map(({ returned }) => returned));
    return history.some((one) => {
      if (one.invoked > firstReturn) return false;
      const next = register.step(state, one.operation);
      return (
        next !== undefined &&
        bruteForce(
          history.filter((other) => other !== one),
          next,
        )
      );
    });
  }

  const anyHistory = fc.array(
    fc.record({
      operation: fc.oneof(
        fc.record({ write: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ read: fc.integer({ min: 0, max: 3 }) }),
      ),
      invoked: fc.nat(20),
      takes: fc.oneof({ weight: 5, arbitrary: fc.nat(12) }, fc.constant(Infinity)),
    }),
    { maxLength: 6 },
  );

  it('agrees with trying all orders', () => {
    const found = { yes: 0, no: 0 };
    fc.assert(
      fc.property(anyHistory, (drawn) => {
        const history = drawn.map(({ operation: one, invoked, takes }) => {
          return { operation: one, invoked, returned: invoked + takes };
        });
        const expected = bruteForce(history);
        found[expected ? 'yes' : 'no'] += 1;
        expect(checkLinearizable(register, history).kind).toBe(
          expected ? 'linearizable' : 'violated',
        );
      }),
      { numRuns: 3_000, seed: 20_261_127 },
    );
    expect(Math.min(found.yes, found.no)).toBeGreaterThan(300);
  });

  it('says what could be explained and what could not', () => {
    const history = [
      { operation: { write: 1 }, invoked: 0, returned: 1 },
      { operation: { read: 1 }, invoked: 2, returned: 3 },
      { operation: { read: 7 }, invoked: 4, returned: 5 },
    ];
    expect(checkLinearizable(register, history)).toEqual({
      kind: 'violated',
      longest: [{ write: 1 }, { read: 1 }],
      stuck: [{ read: 7 }],
    });
  });

  it('judges a long history of many clients with lost answers in seconds', () => {
    const { history, spoiled } = longHistory(20_000);
    const began = performance.now();
    expect(judged(...history)).toBe('linearizable');
    expect(judged(...spoiled)).toBe('violated');
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});

/** What a correct server could have answered to eight clients, and the same with one stale read. */
function longHistory(length: number): { history: Operation[]; spoiled: Operation[] } {
  const history: Operation[] = [made];
  let version = 1;
  let value = 'a';
  for (let index = 0; index < length; index += 1) {
    const at = 10 + index;
    const span = [at - (index % 8), at + (index % 5)] as const;
    if (index % 3 === 0) {
      history.push(operation(span, get, object(version, value)));
      continue;
    }
    version += 1;
    value = `v${String(index)}`;
    const isLost = index % 2_000 === 1;
    history.push(operation(isLost ? [span[0], null] : span, update(value), object(version, value)));
  }
  const end = [length + 30, length + 31] as const;
  return { history, spoiled: [...history, operation(end, get, object(version - 9, 'v1'))] };
}
