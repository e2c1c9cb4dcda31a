/**
 * The checkers that know the log: every promise kept is passed, and every promise broken is
 * called by its name.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { checkDurability } from './durability-check.ts';
import { get, operation, PATH, remove, update } from './given-history.fixture.ts';
import {
  bookmark,
  givenLog,
  listOperation,
  records,
  seen,
  shown,
  watchOf,
} from './given-log.fixture.ts';
import {
  HistoryRecorder,
  type Operation,
  readHistory,
  type Request,
  type Watch,
} from './history.ts';
import { checkObjects, judge } from './judge.ts';
import { checkLists } from './list-check.ts';
import { LogTruth } from './log-truth.ts';
import { checkSerialOrder } from './serial-order.ts';
import { checkWatch } from './watch-check.ts';

const RED = { color: 'red' };
const log = givenLog(
  ['added', 'x', 'a'],
  ['added', 'y', 'b', { labels: RED }],
  ['modified', 'x', 'c', { labels: RED }],
  ['modified', 'y', 'd'],
  ['deleted', 'x', 'c', { labels: RED }],
  ['added', 'z', 'e'],
);
const A1 = seen(1, 'x', 'a');
const B2 = seen(2, 'y', 'b', RED);
const C3 = seen(3, 'x', 'c', RED);
const D4 = seen(4, 'y', 'd');
const X5 = seen(5, 'x', 'c', RED);
const E6 = seen(6, 'z', 'e');

const promises = (found: readonly { readonly promise: string }[]): string[] =>
  found.map(({ promise }) => promise);

describe('the log', () => {
  it('is folded as docs/event-format.md tells it', () => {
    const [first, ...rest] = records(
      ['added', 'x', '1'],
      ['modified', 'x', '2'],
      ['modified', 'x', '3', { previous: 1, writer: 'v' }],
      ['modified', 'x', '2', { previous: 1, sequence: 2 }],
      ['deleted', 'x', '4', { previous: 2 }],
      ['added', 'x', '1', { previous: 0, sequence: 1 }],
      ['added', 'x', '5', { previous: 0, writer: 'v' }],
      ['added', 'y', '6', { requires: [['core/configmaps', 'default/x', 2]] }],
    );
    if (first === undefined) throw new Error('there is a first record');
    const marker = { ...first, version: 9, sequence: 9, type: 'marker', resource: '', path: '' };
    const truth = LogTruth.of([first, ...rest, marker]);
    const expected = { records: 9, effective: 4, overtaken: 2, duplicates: 2, markers: 1 };
    expect(truth.counts).toEqual(expected);
    expect(truth.historyOf('configmaps', PATH).map(({ version }) => version)).toEqual([1, 2, 5, 7]);
    expect(() => {
      truth.add(first);
    }).toThrow('comes a second time');
  });
});

describe('watches', () => {
  const all = [
    shown('ADDED', A1),
    shown('ADDED', B2),
    shown('MODIFIED', C3),
    shown('MODIFIED', D4),
    shown('DELETED', X5),
    shown('ADDED', E6),
  ];
  const from = (version: number) => ({ kind: 'after', version }) as const;
  const initial = { kind: 'initial', moment: '' } as const;
  const end = { isInitialEnd: true };

  it.each<[string, Watch]>([
    ['everything', watchOf(from(0), all, { mustReach: 6 })],
    ['the rest', watchOf(from(3), all.slice(3), { mustReach: 6 })],
    ['what came before the connection broke', watchOf(from(0), all.slice(0, 2))],
    ['nothing new, with a bookmark', watchOf(from(6), [bookmark(9)], { mustReach: 6 })],
    [
      'what its selector lets it see',
      watchOf(
        from(0),
        [
          shown('ADDED', B2),
          shown('ADDED', C3),
          shown('DELETED', { ...B2, version: 4 }),
          shown('DELETED', X5),
        ],
        { selector: 'color=red', mustReach: 6 },
      ),
    ],
    [
      'the state, and what follows',
      watchOf(
        initial,
        [shown('ADDED', C3), shown('ADDED', B2), bookmark(3, end), ...all.slice(3), bookmark(6)],
        { mustReach: 6 },
      ),
    ],
    ['nothing of another namespace', watchOf(from(0), [], { namespace: 'other', mustReach: 6 })],
  ])('may show %s', (_, watch) => {
    expect(checkWatch(watch, log)).toEqual([]);
  });

  it.each<[string, string, Watch]>([
    [
      'an event that is left out',
      'Reliable',
      watchOf(from(0), [...all.slice(0, 2), ...all.slice(3)]),
    ],
    ['an end that never comes', 'Reliable', watchOf(from(0), all.slice(0, 5), { mustReach: 6 })],
    ['an event twice', 'Unique', watchOf(from(0), [...all.slice(0, 2), ...all.slice(1, 2)])],
    ['going back in time', 'Ordered', watchOf(from(4), [...all.slice(4), ...all.slice(3, 4)])],
    ['what was seen before the watch began', 'Resumable', watchOf(from(2), all.slice(1, 3))],
    ['the old events to a watch on the future', 'Resumable', watchOf(from(20), all.slice(5))],
    [
      'a bookmark before what it promises',
      'Bookmarkable',
      watchOf(from(0), [...all.slice(0, 1), bookmark(2), ...all.slice(2)]),
    ],
    ['a bookmark that goes back', 'Ordered', watchOf(from(4), [...all.slice(4), bookmark(4)])],
    [
      'what its selector hides',
      'Filter',
      watchOf(from(0), all.slice(0, 1), { selector: 'color=red' }),
    ],
    ['what never took effect', 'Filter', watchOf(from(6), [shown('ADDED', { ...E6, version: 7 })])],
    [
      'ADDED for what it has seen before',
      'Event type',
      watchOf(from(0), [...all.slice(0, 2), shown('ADDED', C3)]),
    ],
    [
      'the new object where it leaves its sight',
      'Event object',
      watchOf(from(3), [shown('DELETED', D4)], { selector: 'color=red' }),
    ],
    [
      'another object at a version',
      'Atomic',
      watchOf(from(0), [shown('ADDED', { ...B2, version: 1 })]),
    ],
    [
      'a state that is none',
      'Initial state',
      watchOf(initial, [shown('ADDED', A1), shown('ADDED', B2), bookmark(3, end)]),
    ],
    [
      'the changes while the state is still being shown',
      'Initial state',
      watchOf(initial, [shown('ADDED', B2), shown('DELETED', X5)]),
    ],
    [
      'an error',
      'Resumable',
      watchOf(from(1), [bookmark(0, { type: 'ERROR', message: '410 Expired' })], { mustReach: 6 }),
    ],
  ])('must not show %s', (_, promise, watch) => {
    expect(promises(checkWatch(watch, log))).toContain(promise);
  });
});

describe('lists', () => {
  it.each<[string, Operation]>([
    ['the state at a version', listOperation([0, 1], [4], [C3, D4])],
    ['the past', listOperation([0, 1], [2], [A1, B2], { moment: '2', match: 'Exact' })],
    ['pages of one moment', listOperation([0, 1], [2, 2], [A1, B2])],
    ['what is selected', listOperation([0, 1], [4], [C3], { selector: 'color=red' })],
  ])('may show %s', (_, list) => {
    expect(checkLists([list], log)).toEqual([]);
  });

  it.each<[string, Operation]>([
    ['less', listOperation([0, 1], [4], [C3])],
    ['what came later', listOperation([0, 1], [5], [D4, E6])],
    ['what is gone', listOperation([0, 1], [5], [X5, D4])],
    ['an older object', listOperation([0, 1], [4], [A1, D4])],
    ['an object at another version', listOperation([0, 1], [4], [{ ...C3, version: 1 }, D4])],
    ['pages of two moments', listOperation([0, 1], [3, 4], [C3, D4])],
    [
      'another version than was asked for',
      listOperation([0, 1], [4], [C3, D4], { moment: '3', match: 'Exact' }),
    ],
    ['an older state than was asked for', listOperation([0, 1], [4], [C3, D4], { moment: '5' })],
    ['disorder', listOperation([0, 1], [4], [D4, C3])],
    ['an object twice', listOperation([0, 1], [4], [C3, C3, D4])],
  ])('must not show %s', (_, list) => {
    expect(promises(checkLists([list], log))).toContain('Consistent list');
  });
});

describe('one order for everything', () => {
  const write = (
    version: number,
    span: readonly [number, number | null],
    request: Request,
    object = A1,
  ) => operation(span, request, object, { id: `op-${String(version)}` });
  const x = { resource: 'configmaps', path: PATH } as const;
  const checked = (operations: readonly Operation[], watches: readonly Watch[] = []) =>
    promises(checkSerialOrder({ operations: [...operations], watches: [...watches] }, log));
  const reads = (span: readonly [number, number], answer: typeof A1 | number) =>
    operation(span, { kind: 'get', ...x, moment: '' }, answer);

  it.each<[string, readonly Operation[]]>([
    ['reads one after the other', [reads([0, 1], A1), reads([2, 3], C3), reads([4, 5], 404)]],
    [
      'a read that is true of a moment while it was under way',
      [reads([0, 9], A1), reads([1, 2], C3)],
    ],
    ['a refusal that was right', [operation([0, 1], update('q', 3), 409), reads([2, 3], C3)]],
    [
      'a list behind a write',
      [write(4, [0, 1], update('d'), D4), listOperation([2, 3], [5], [D4])],
    ],
    [
      'a lost write that came late',
      [write(3, [0, null], update('c')), reads([1, 2], A1), reads([3, 4], C3)],
    ],
  ])('is there: %s', (_, operations) => {
    expect(checked(operations)).toEqual([]);
  });

  it.each<[string, readonly Operation[]]>([
    ['a read of the past', [reads([0, 1], C3), reads([2, 3], A1)]],
    ['a read older than a write elsewhere', [write(4, [0, 1], update('d'), D4), reads([2, 3], A1)]],
    [
      'a list older than a write',
      [write(4, [0, 1], update('d'), D4), listOperation([2, 3], [3], [C3, B2])],
    ],
    [
      'a read of what was only then written',
      [reads([0, 1], C3), write(3, [2, 3], update('c'), C3)],
    ],
    [
      'a write that stands before one that was answered',
      [write(4, [0, 1], update('d'), D4), write(3, [2, 3], update('c'), C3)],
    ],
    [
      'a 404 behind what is there',
      [
        reads([0, 1], C3),
        listOperation([2, 3], [4], []),
        operation(
          [4, 5],
          { kind: 'get', resource: 'configmaps', path: 'default/y', moment: '' },
          404,
        ),
      ],
    ],
    ['a refusal that was right once', [reads([0, 1], C3), operation([2, 3], update('q', 3), 409)]],
    [
      'a create that is refused for what is gone',
      [
        write(6, [0, 1], update('e'), E6),
        operation([2, 3], { kind: 'create', ...x, content: { data: {} } }, 409),
      ],
    ],
  ])('is not there: %s', (_, operations) => {
    expect(checked(operations)).toEqual(['Strictly serializable']);
  });

  it('blames the read that is wrong, and none after it', () => {
    const operations = [
      operation([0, 1], update('b'), C3, { id: 'op-3' }),
      reads([2, 3], 404), // It was not there before 1, and is not from 5 on.
      operation([4, 5], remove(), undefined, { id: 'op-5' }),
      reads([6, 7], 404),
      listOperation([8, 9], [5], [D4]),
    ];
    const history = { operations, watches: [] };
    const [violation, ...others] = checkSerialOrder(history, log);
    expect([violation?.what.includes('2.000–3.000'), others]).toEqual([true, []]);
  });

  it('hears of what a watch has shown', () => {
    const watch = watchOf({ kind: 'after', version: 2 }, [shown('MODIFIED', C3, 5)]);
    expect(checked([reads([4, 6], A1)], [watch])).toEqual([]);
    expect(checked([reads([6, 7], A1)], [watch])).toEqual(['Strictly serializable']);
  });

  it('counts the state a watch begins with', () => {
    const state = [shown('ADDED', A1), bookmark(1, { isInitialEnd: true, at: 9 })];
    const watch = watchOf({ kind: 'initial', moment: '' }, state, { opened: 6 });
    expect(checked([reads([0, 1], A1)], [watch])).toEqual([]);
    expect(checked([reads([4, 5], C3)], [watch])).toEqual(['Strictly serializable']);
  });
});

describe('answers against the log', () => {
  const checked = (...operations: Operation[]): string[] =>
    promises(checkDurability(operations, log, 'none'));

  it('passes what agrees', () => {
    const asked = (version: number, request: Request, answer: typeof A1 | number | undefined) =>
      operation([0, 1], request, answer, { id: `op-${String(version)}` });
    expect(checked(asked(3, update('c'), C3), asked(5, remove(), undefined))).toEqual([]);
    expect(checked(asked(90, get, A1), asked(91, update('d'), 409), asked(92, get, 404))).toEqual(
      [],
    );
    expect(checked(operation([0, null], update('zzz')))).toEqual([]);
  });

  it.each<[string, Operation]>([
    ['a write that is lost', operation([0, 1], update('q'), { ...A1, version: 9 })],
    ['a delete that is lost', operation([0, 1], remove())],
    ['another version', operation([0, 1], update('c'), A1, { id: 'op-3' })],
    ['other bytes', operation([0, 1], get, { ...C3, digest: 'other' })],
    ['effect without acknowledgement', operation([0, 1], update('c'), 503, { id: 'op-3' })],
    ['a write that was answered and never written', operation([0, 1], update('other'), C3)],
    ['an older object than asked for', operation([0, 1], { ...get, moment: '5' } as Request, C3)],
  ])('finds %s', (_, found) => {
    expect(checked(found)).toEqual(['Durable']);
  });

  it('finds an internal error, unless the disk is full', () => {
    const failed = (message: string) =>
      operation([0, null], get, undefined, { status: 500, message });
    expect(promises(checkDurability([failed('oh')], log, 'none'))).toEqual(['Answered']);
    expect(checkDurability([failed('File too large: …')], log, 'none')).toEqual([]);
  });

  it('finds what took effect twice, what no client asked for, and a uid given twice', () => {
    const truth = givenLog(
      ['added', 'x', '1', { auditID: 'mine-1' }],
      ['deleted', 'x', '1', { auditID: 'mine-2' }],
      ['added', 'x', '1', { auditID: 'mine-1' }],
    );
    const create = operation([0, null], update('1'), undefined, { id: 'mine-1' });
    expect(promises(checkDurability([create], truth, 'mine-'))).toEqual([
      'Once',
      'Caused',
      'Unique uid',
    ]);
  });
});

describe('a run as a whole', () => {
  it('is judged from its file as from memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'everwatch-history-'));
    const recorder = new HistoryRecorder(join(folder, 'history.jsonl'));
    recorder.operation(operation([0, 1], get, A1));
    recorder.operation(listOperation([2, 3], [3], [C3, D4]));
    const { shown: _shown, ...opened } = watchOf({ kind: 'after', version: 0 }, []);
    const watch = recorder.opened(opened);
    recorder.shown(watch, shown('ADDED', B2));
    recorder.mustReach(watch, 6);
    await recorder.close();
    const read = await readHistory(join(folder, 'history.jsonl'));
    rmSync(folder, { recursive: true });
    expect(read).toEqual(recorder.history);
    const { violations, counts } = judge(read, log, 'none');
    expect(new Set(promises(violations))).toEqual(
      // No client wrote what the read shows, as far as this history tells.
      new Set(['Linearizable', 'Consistent list', 'Reliable']),
    );
    expect(counts).toMatchObject({ objects: 1, lists: 1, watches: 1, watchEvents: 1 });
  });

  it('asks the log only where lost answers are too many to try', () => {
    const lost = Array.from({ length: 30 }, (_, index) =>
      operation([index, null], {
        kind: 'patch',
        form: 'merge',
        resource: 'configmaps',
        path: PATH,
        content: { data: { [`f${String(index)}`]: '1' } },
      }),
    );
    const create = operation(
      [0, 1],
      { kind: 'create', resource: 'configmaps', path: PATH, content: { data: { v: 'a' } } },
      A1,
      { id: 'op-1' },
    );
    const { violations, withTheLog } = checkObjects(
      [create, ...lost, operation([50, 51], get, A1), operation([52, 53], get, 404)],
      log,
    );
    expect([promises(violations), withTheLog]).toEqual([['Linearizable'], 1]);
  });
});
