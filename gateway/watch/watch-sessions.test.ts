import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../api/json/json.ts';
import { givenViews } from '../../projections/given.fixture.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { asking, FakeExchange } from '../given-exchange.fixture.ts';
import { plannedWatch } from './given-session.fixture.ts';
import { WatchSessions, type WatchAnswer } from './watch-sessions.ts';

const MINUTE_MS = 60_000;

function fail(error: unknown): never {
  throw error;
}

async function given() {
  const resourceViews = await givenViews();
  const { clock } = resourceViews;
  const sessions = new WatchSessions({ clock, failed: fail });
  const answerFor = (timeoutMs: number): WatchAnswer => ({
    kind: 'Watch',
    served: configMaps,
    plan: plannedWatch(resourceViews, { bookmarks: true, timeoutMs }),
  });
  const watch = (accept = '', timeoutMs = 10 * MINUTE_MS) => {
    const exchange = new FakeExchange();
    const asked = asking({ accept });
    const answer = answerFor(timeoutMs);
    asked.request.responseHeaders['Audit-Id'] = 'x';
    asked.request.warn('old');
    sessions.overHttp(exchange, asked.request, answer);
    return { exchange, ...asked };
  };
  return { ...resourceViews, sessions, watch, answerFor };
}

const typesOf = ({ text }: FakeExchange): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as JsonObject)['type']);

it('one that is followed ends at the first look at all of them behind its time, and has no timer', async () => {
  const { sessions, clock, answerFor } = await given();
  const ends: number[] = [];
  const wire = {
    write: () => true,
    end: () => ends.push(clock.now()),
    listen: () => undefined,
  };
  const follower = { stateShown: () => undefined, caughtUp: () => undefined, failed: fail };
  const [began, timers] = [clock.now(), clock.waiting];
  sessions.overLive(wire, asking({}).request, answerFor(1.5 * MINUTE_MS), follower);
  expect(clock.waiting).toBe(timers);
  clock.advance(MINUTE_MS);
  expect(ends).toEqual([]);
  clock.advance(MINUTE_MS);
  expect(ends).toEqual([began + 2 * MINUTE_MS]);
});

describe('watches over HTTP', () => {
  it.each([
    ['', 'application/json'],
    ['application/yaml', 'application/json'],
    ['application/vnd.kubernetes.protobuf', 'application/vnd.kubernetes.protobuf;stream=watch'],
  ])('for %j begin at once as %s', async (accept, contentType) => {
    const { watch } = await given();
    const { exchange, outcomes } = watch(accept);
    expect(exchange.code).toBe(200);
    expect(exchange.headers).toEqual({
      'Audit-Id': 'x',
      Warning: ['299 - "old"'],
      'content-type': contentType,
    });
    expect(outcomes).toEqual([]);
  });

  it('are counted while they are open, and end their request once', async () => {
    const { watch, sessions, append, clock } = await given();
    const short = watch('', MINUTE_MS / 2);
    const gone = watch();
    const long = watch();
    expect(sessions.openCount).toBe(3);
    await append({ path: 'ns/a' });
    clock.advance(MINUTE_MS / 2);
    expect(short.exchange.ended).toBe(true);
    gone.exchange.close();
    expect(sessions.openCount).toBe(1);
    expect([short, gone, long].map(({ outcomes }) => outcomes.length)).toEqual([1, 1, 0]);
    expect(typesOf(short.exchange)).toEqual(['ADDED', 'BOOKMARK']);
  });

  it('are told every minute how far they have come', async () => {
    const { watch, append, clock } = await given();
    const { exchange } = watch();
    clock.advance(MINUTE_MS);
    await append({ resource: 'core/secrets', path: 'ns/s' });
    clock.advance(MINUTE_MS);
    expect(exchange.text).toContain('"resourceVersion":"1"');
    expect(typesOf(exchange)).toEqual(['BOOKMARK', 'BOOKMARK']);
  });

  it('of one shape get the very same bytes', async () => {
    const { watch, append } = await given();
    const [one, two] = [watch(), watch()];
    await append({ path: 'ns/a' });
    expect(one.exchange.text).toBe(two.exchange.text);
    expect(typesOf(one.exchange)).toEqual(['ADDED']);
  });

  it('all end with the server, each with one last bookmark', async () => {
    const { watch, sessions, clock } = await given();
    const all = Array.from({ length: 20 }, () => watch());
    sessions.endAll();
    expect(sessions.openCount).toBe(0);
    for (const { exchange, outcomes } of all) {
      expect([exchange.ended, outcomes.length]).toEqual([true, 1]);
      expect(typesOf(exchange)).toEqual(['BOOKMARK']);
    }
    clock.advance(10 * MINUTE_MS);
    expect(typesOf(all[0]?.exchange ?? new FakeExchange())).toEqual(['BOOKMARK']);
  });

  it('whose client is gone are not opened', async () => {
    const { sessions, resourceViews, applied } = await given();
    const exchange = new FakeExchange();
    exchange.close();
    const { request, outcomes } = asking();
    const plan = plannedWatch({ resourceViews, applied });
    sessions.overHttp(exchange, request, { kind: 'Watch', served: configMaps, plan });
    expect([sessions.openCount, outcomes.length, exchange.chunks.length]).toEqual([0, 1, 0]);
  });
});
