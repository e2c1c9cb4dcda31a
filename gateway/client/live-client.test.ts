import { describe, expect, it } from 'vitest';
import { Subject } from 'rxjs';
import type { LiveWindow, ServerMessage } from '../../api/live/live-messages.ts';
import { caughtUp, pod, PODS, state, told } from './given-messages.fixture.ts';
import { givenClient, WELCOME } from './given-socket.fixture.ts';

function next(id: string, revision: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string) {
  const events = [{ type, object: pod(name, 'b') }];
  return { type: 'next', id, revision, events } as const satisfies ServerMessage;
}

describe('the socket', () => {
  it('offers the protocol, and the token as browsers must: in base64url, never in the address', () => {
    const { newest } = givenClient('a?b>');
    expect(newest().request).toEqual({
      url: 'wss://host:6443/everwatch/v1/live',
      protocols: ['everwatch.watch.v1', 'base64url.bearer.authorization.k8s.io.YT9iPg'],
    });
  });

  it('is asked whether it is there when it is silent, and given up when it stays so', () => {
    const { newest, sockets, pass } = givenClient();
    const first = newest();
    first.say(WELCOME);
    pass(15_000);
    expect(first.sent).toEqual([{ type: 'ping' }]);
    first.say({ type: 'pong' });
    pass(29_999);
    expect(first.isClosed()).toBe(false);
    pass(1);
    expect(first.isClosed()).toBe(true);
    pass(200);
    expect(sockets.length).toBe(2);
  });

  it('is opened again at once, and then ever later, but not where the credentials do not hold', () => {
    const { client, newest, sockets, pass } = givenClient();
    const states: string[] = [];
    client.connection.state$.subscribe(({ kind }) => states.push(kind));
    for (let failure = 1; failure <= 12; failure += 1) {
      newest().lose();
      const state = client.connection.state$.value;
      const waitsMs = state.kind === 'waiting' ? state.waitsMs : -1;
      const longest = Math.min(5_000, 100 * 2 ** (failure - 1));
      expect(waitsMs).toBeGreaterThanOrEqual(longest / 2);
      expect(waitsMs).toBeLessThanOrEqual(longest);
      pass(waitsMs);
      expect(sockets.length).toBe(failure + 1);
    }
    newest().lose(4_401);
    pass(60_000);
    expect(sockets.length).toBe(13);
    expect(states.at(-1)).toBe('closed');
  });

  it('waits as long as a server says that refuses the handshake for now, and ends where it refuses for good', () => {
    const { client, newest, sockets, pass } = givenClient();
    newest().refuse({ code: 503, retryAfterSeconds: 7 });
    pass(6_999);
    expect(sockets.length).toBe(1);
    pass(1);
    expect(sockets.length).toBe(2);
    newest().refuse({ code: 403, retryAfterSeconds: 0 });
    pass(60_000);
    expect(sockets.length).toBe(2);
    expect(client.connection.state$.value).toMatchObject({ kind: 'closed', error: { code: 403 } });
  });
});

describe('lines', () => {
  const line = (id: string, ...versions: number[]): ServerMessage => ({
    type: 'next',
    id,
    revision: String(versions.at(-1)),
    events: versions.map((resourceVersion) => ({ type: 'LINE', object: { resourceVersion } })),
  });

  it('of the log and of changes go on behind the last one, each once', () => {
    const { client, newest, pass } = givenClient();
    const heard: unknown[] = [];
    client
      .lines$('/forks/f/everwatch/v1/changes?user=u&from=3&follow=true')
      .subscribe(({ resourceVersion }) => heard.push(resourceVersion));
    newest().say(WELCOME, line('s1', 4, 6));
    newest().lose();
    pass(100);
    newest().say(WELCOME);
    const [again] = newest().sent;
    expect(again).toMatchObject({ path: '/forks/f/everwatch/v1/changes' });
    expect(again).toHaveProperty('query', 'user=u&from=7&follow=true');
    expect(again).not.toHaveProperty('from');
    newest().say(line('s1', 9));
    expect(heard).toEqual([4, 6, 9]);
  });

  it('of figures begin anew', () => {
    const { client, newest, pass } = givenClient();
    client.lines$('/everwatch/v1/figures?every=1').subscribe();
    newest().say(WELCOME, line('s1', 4));
    newest().lose();
    pass(100);
    newest().say(WELCOME);
    expect(newest().sent[0]).toMatchObject({ query: 'every=1' });
    expect(newest().sent[0]).not.toHaveProperty('from');
  });

  it('end with the last that was asked for, whether its end is heard or not', () => {
    const { client, newest, pass } = givenClient();
    let hasEnded = false;
    client.lines$('/everwatch/v1/changes?limit=3').subscribe({ complete: () => (hasEnded = true) });
    newest().say(WELCOME, line('s1', 4));
    newest().lose();
    pass(100);
    newest().say(WELCOME);
    expect(newest().sent[0]).toMatchObject({ query: 'limit=2&from=5' });
    newest().say(line('s1', 5, 6));
    expect(hasEnded).toBe(true);
  });
});

describe('a watch', () => {
  it('gives the state, and then what happens, and acknowledges each frame', () => {
    const { client, newest } = givenClient();
    const changes: string[] = [];
    client
      .watch(PODS, { labelSelector: 'app=web' })
      .subscribe((change) => changes.push(told(change)));
    newest().say(WELCOME);
    expect(newest().sent).toEqual([
      { type: 'subscribe', id: 's1', path: PODS, credit: 1_000, query: 'labelSelector=app%3Dweb' },
    ]);
    newest().say(state('s1', '5', 'a', 'b'), caughtUp('s1', '5'), next('s1', '7', 'DELETED', 'a'));
    expect(changes).toEqual(['RESET', 'ADDED 5', 'ADDED 5', 'CAUGHT_UP', 'DELETED 7']);
    expect(newest().sent.slice(1)).toEqual([
      { type: 'ack', id: 's1', revision: '5' },
      { type: 'ack', id: 's1', revision: '7' },
    ]);
  });

  it('goes on behind the last revision that was seen, once it was caught up', () => {
    const { client, newest, pass } = givenClient();
    const changes: string[] = [];
    client.watch(PODS).subscribe((change) => changes.push(told(change)));
    newest().say(WELCOME, state('s1', '5', 'a'));
    newest().lose();
    pass(100);
    newest().say(WELCOME);
    // The state was not whole.
    expect(newest().sent[0]).not.toHaveProperty('from');
    newest().say(state('s1', '6', 'a'), caughtUp('s1', '6'), next('s1', '9', 'MODIFIED', 'a'));
    newest().lose();
    pass(100);
    newest().say(WELCOME);
    expect(newest().sent[0]).toMatchObject({ type: 'subscribe', id: 's1', from: '9' });
    newest().say(next('s1', '10', 'MODIFIED', 'a'));
    expect(changes.slice(-3)).toEqual(['CAUGHT_UP', 'MODIFIED 9', 'MODIFIED 10']);
  });

  it('is told the state anew where its place was cut from the log, and ends with 410 where it began at a place', () => {
    const { client, newest, pass } = givenClient();
    const changes: string[] = [];
    const errors: unknown[] = [];
    client.watch(PODS).subscribe((change) => changes.push(told(change)));
    client.watch(PODS, { from: '3' }).subscribe({ error: (error: unknown) => errors.push(error) });
    newest().say(WELCOME, state('s1', '5', 'a'), caughtUp('s1', '5'), caughtUp('s2', '5'));
    newest().lose();
    pass(100);
    const status = { code: 410, reason: 'Expired', message: 'too old' };
    newest().say(WELCOME);
    newest().say({ type: 'error', id: 's1', status }, { type: 'error', id: 's2', status });
    expect(errors).toMatchObject([{ code: 410 }]);
    const asked = newest().sent.at(-1);
    expect(asked).toMatchObject({ type: 'subscribe', id: 's3', path: PODS });
    expect(asked).not.toHaveProperty('from');
    newest().say(state('s3', '90', 'b'), caughtUp('s3', '90'));
    expect(changes.slice(-3)).toEqual(['RESET', 'ADDED 90', 'CAUGHT_UP']);
    expect(newest().sent.at(-1)).toEqual({ type: 'ack', id: 's3', revision: '90' });
  });

  it('ends with the Status of the server, and is not asked for again', () => {
    const { client, newest, pass } = givenClient();
    const errors: unknown[] = [];
    client.watch(PODS).subscribe({ error: (error: unknown) => errors.push(error) });
    newest().say(WELCOME);
    const status = { code: 403, reason: 'Forbidden', message: 'pods is forbidden' };
    newest().say({ type: 'error', id: 's1', status });
    newest().lose();
    pass(100);
    newest().say(WELCOME);
    expect(newest().sent).toEqual([]);
    expect(errors).toMatchObject([{ name: 'LiveError', code: 403, reason: 'Forbidden' }]);
  });

  it('is unsubscribed with its Observable', () => {
    const { client, newest } = givenClient();
    const subscription = client.watch(PODS).subscribe();
    newest().say(WELCOME);
    subscription.unsubscribe();
    expect(newest().sent.at(-1)).toEqual({ type: 'unsubscribe', id: 's1' });
  });
});

describe('a list', () => {
  it('is in order, comes when it is whole, and keeps what has not changed', () => {
    const { client, newest } = givenClient();
    const lists: (readonly { readonly metadata: { readonly name?: string } }[])[] = [];
    client.list$(PODS).subscribe((list) => lists.push(list));
    newest().say(WELCOME, state('s1', '5', 'b', 'a'));
    expect(lists).toEqual([]);
    newest().say(
      caughtUp('s1', '5'),
      next('s1', '6', 'MODIFIED', 'b'),
      next('s1', '7', 'ADDED', 'aa'),
    );
    const names = lists.map((list) => list.map(({ metadata }) => metadata.name));
    expect(names).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'aa', 'b'],
    ]);
    expect(lists[1]?.[0]).toBe(lists[0]?.[0]);
    expect(lists[1]?.[1]).not.toBe(lists[0]?.[1]);
    expect(lists[1]?.[1]?.metadata).toBe(lists[0]?.[1]?.metadata);
    newest().say(state('s1', '3', 'c'));
    expect(lists.length).toBe(3);
    newest().say(caughtUp('s1', '3'));
    expect(lists[3]?.map(({ metadata }) => metadata.name)).toEqual(['c']);
  });
});

describe('a window', () => {
  const columns = [
    { name: 'Name', type: 'string', format: 'name', priority: 0 },
    { name: 'Status', type: 'string', format: '', priority: 0 },
  ];

  it('is put together from what has changed', () => {
    const { client, newest } = givenClient();
    const shown: string[] = [];
    const windows = new Subject<LiveWindow>();
    client.rows$(PODS, { window: windows }).subscribe(({ rows, matched }) => {
      shown.push(
        `${String(matched)}: ${rows
          .map(({ cells }) =>
            cells
              .map((cell) => JSON.stringify(cell))
              .join(' ')
              .replaceAll('"', ''),
          )
          .join(', ')}`,
      );
    });
    newest().say(WELCOME);
    expect(newest().sent).toEqual([]);
    windows.next({ offset: 0, limit: 2 });
    expect(newest().sent).toEqual([
      { type: 'subscribe', id: 's1', path: PODS, window: { offset: 0, limit: 2 } },
    ]);
    const frame = {
      type: 'rows',
      id: 's1',
      revision: '5',
      total: 3,
      matched: 3,
      offset: 0,
    } as const;
    const rows = [
      { key: 'shop/a', cells: ['a', 'Pending'] },
      { key: 'shop/b', cells: ['b', 'Running'] },
    ];
    newest().say({ ...frame, columns, order: ['shop/a', 'shop/b'], rows });
    newest().say({ ...frame, cells: [{ key: 'shop/a', column: 1, cell: 'Running' }] });
    windows.next({ offset: 1, limit: 2 });
    expect(newest().sent.at(-1)).toEqual({
      type: 'window',
      id: 's1',
      window: { offset: 1, limit: 2 },
    });
    newest().say({
      ...frame,
      offset: 1,
      order: ['shop/b', 'shop/c'],
      rows: [{ key: 'shop/c', cells: ['c', 'Failed'] }],
    });
    expect(shown).toEqual([
      '3: a Pending, b Running',
      '3: a Running, b Running',
      '3: b Running, c Failed',
    ]);
  });

  it('is asked for anew, as it is now, behind a lost connection', () => {
    const { client, newest, pass } = givenClient();
    const windows = new Subject<LiveWindow>();
    client.rows$(PODS, { window: windows }).subscribe();
    newest().say(WELCOME);
    windows.next({ offset: 0, limit: 2 });
    windows.next({ offset: 4, limit: 2 });
    newest().lose();
    pass(100);
    newest().say(WELCOME);
    expect(newest().sent).toMatchObject([{ type: 'subscribe', window: { offset: 4, limit: 2 } }]);
  });
});

describe('a move through time', () => {
  it('hands on what belongs to the moment when all of it is there', () => {
    const { client, newest } = givenClient();
    const changes: string[] = [];
    const moved: unknown[] = [];
    client.watch(PODS).subscribe((change) => changes.push(told(change)));
    client.connection.moved$.subscribe((message) => moved.push(message.revision));
    newest().say(WELCOME, state('s1', '9', 'a'), caughtUp('s1', '9'));
    changes.length = 0;
    client.seek({ at: '4' });
    newest().say(state('s1', '4', 'b'), caughtUp('s1', '4'));
    expect([changes, moved]).toEqual([[], []]);
    newest().say({ type: 'moved', at: '4', revision: '4', time: '2026-11-20T10:00:00.000Z' });
    expect([changes, moved]).toEqual([['RESET', 'ADDED 4', 'CAUGHT_UP'], ['4']]);
  });

  it('that is overtaken by others shows the last of them only', () => {
    const { client, newest } = givenClient();
    const changes: string[] = [];
    client.watch(PODS).subscribe((change) => changes.push(told(change)));
    newest().say(WELCOME);
    for (const at of ['4', '5', '6']) client.seek({ at });
    const seeks = () => newest().sent.filter(({ type }) => type === 'seek');
    expect(seeks()).toEqual([{ type: 'seek', at: '4' }]);
    newest().say(state('s1', '4', 'b'), { type: 'moved', at: '4', revision: '4' });
    expect(seeks().at(-1)).toEqual({ type: 'seek', at: '6' });
    newest().say(state('s1', '6', 'c'), { type: 'moved', at: '6', revision: '6' });
    expect(changes).toEqual(['RESET', 'ADDED 6']);
  });

  it('holds behind a lost connection, where nothing goes on from what was seen', () => {
    const { client, newest, pass } = givenClient();
    client.watch(PODS).subscribe();
    newest().say(WELCOME, state('s1', '9', 'a'), caughtUp('s1', '9'));
    client.seek({ at: '4' });
    newest().say(state('s1', '4', 'b'), caughtUp('s1', '4'), {
      type: 'moved',
      at: '4',
      revision: '4',
    });
    newest().lose();
    pass(100);
    newest().say(WELCOME);
    expect(newest().sent[0]).toEqual({ type: 'seek', at: '4' });
    expect(newest().sent[1]).not.toHaveProperty('from');
  });

  it('to a moment that is none is told, and holds nothing back', () => {
    const { client, newest } = givenClient();
    const changes: string[] = [];
    const problems: string[] = [];
    client.watch(PODS).subscribe((change) => changes.push(told(change)));
    client.connection.problem$.subscribe(({ message }) => problems.push(message));
    newest().say(WELCOME);
    client.seek({ at: 'noon' });
    newest().say(state('s1', '9', 'a'));
    newest().say({ type: 'error', status: { code: 400, message: 'at must be a moment' } });
    expect([changes, problems]).toEqual([['RESET', 'ADDED 9'], ['at must be a moment']]);
  });
});
