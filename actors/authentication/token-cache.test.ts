import { describe, expect, it } from 'vitest';
import { testClock } from '../request/given.fixture.ts';
import {
  identified,
  refused,
  UNKNOWN,
  type Audiences,
  type Authentication,
} from './authenticator.ts';
import type { TokenCacheMeters } from './authentication-meters.ts';
import { TokenCache } from './token-cache.ts';

const JANE = identified({ name: 'jane', uid: '', groups: [], extra: {} });

function given(
  answer: (token: string) => Authentication | Promise<Authentication>,
  failureTtlMs = 1_000,
) {
  const clock = testClock();
  const asked: string[] = [];
  const behind = {
    authenticateToken(token: string, audiences?: Audiences) {
      asked.push([token, ...(audiences ?? [])].join(' '));
      return answer(token);
    },
  };
  const options = { clock, successTtlMs: 10_000, failureTtlMs, entriesMax: 3 };
  return { clock, asked, cache: new TokenCache(behind, options) };
}

function counting() {
  const clock = testClock();
  const counted: string[] = [];
  const answers: (Authentication | Promise<Authentication>)[] = [];
  const meters: TokenCacheMeters = {
    hit: () => counted.push('hit'),
    missed: (ms) => counted.push(`missed ${String(ms)}`),
    waiting: () => {
      counted.push('waits');
      return () => counted.push('waited');
    },
    fetching: () => (isGood) => counted.push(`fetched ${String(isGood)}`),
  };
  const behind = { authenticateToken: () => answers.shift() ?? UNKNOWN };
  const options = { clock, successTtlMs: 10_000, failureTtlMs: 0, meters };
  return { clock, counted, answers, cache: new TokenCache(behind, options) };
}

describe('TokenCache', () => {
  it('asks once in ten seconds for a token that is good, and once in one for a bad one', () => {
    const { cache, asked, clock } = given((token) => (token === 'good' ? JANE : UNKNOWN));
    for (const token of ['good', 'good', 'bad', 'bad']) void cache.authenticateToken(token);
    expect(asked).toEqual(['good', 'bad']);
    clock.advance(1_000);
    expect([cache.authenticateToken('good'), cache.authenticateToken('bad')]).toEqual([
      JANE,
      UNKNOWN,
    ]);
    expect(asked).toEqual(['good', 'bad', 'bad']);
    clock.advance(9_000);
    void cache.authenticateToken('good');
    expect(asked.at(-1)).toBe('good');
  });

  it('does not take an answer for other audiences', () => {
    const { cache, asked } = given(() => JANE);
    void cache.authenticateToken('t', ['a', 'b']);
    void cache.authenticateToken('t', ['ab']);
    void cache.authenticateToken('t');
    expect(asked).toEqual(['t a b', 't ab', 't']);
  });

  it('asks once for requests that come while it is asked', async () => {
    const { cache, asked } = given(() => Promise.resolve(JANE));
    const all = await Promise.all([cache.authenticateToken('t'), cache.authenticateToken('t')]);
    expect([all, asked]).toEqual([[JANE, JANE], ['t']]);
    expect(cache.authenticateToken('t')).toBe(JANE);
  });

  it('does not remember that the authenticator could not be asked', async () => {
    const { cache, asked } = given(() => Promise.reject(new Error('down')));
    expect(await cache.authenticateToken('t')).toEqual(refused('down'));
    await cache.authenticateToken('t');
    expect(asked).toHaveLength(2);
  });

  it('holds so many and no more, whatever is tried', () => {
    const { cache, asked } = given(() => UNKNOWN);
    for (const token of ['1', '2', '3', '4', '2', '1']) void cache.authenticateToken(token);
    expect(asked).toEqual(['1', '2', '3', '4', '1']);
  });

  it('remembers no failure where that is not wanted', () => {
    const { cache, asked } = given(() => UNKNOWN, 0);
    void cache.authenticateToken('t');
    void cache.authenticateToken('t');
    expect(asked).toHaveLength(2);
  });

  it('counts what it knew, what it had to ask for at once, and how long the rest took', async () => {
    const { cache, counted, clock, answers } = counting();
    answers.push(JANE, Promise.resolve(UNKNOWN), Promise.resolve(refused('no')));

    void cache.authenticateToken('one');
    void cache.authenticateToken('one');
    const waiting = cache.authenticateToken('two');
    clock.advance(30);
    await waiting;
    await cache.authenticateToken('three');

    expect(counted).toEqual([
      'fetched true',
      'missed 0',
      'hit',
      'waits',
      'fetched true',
      'waited',
      'missed 30',
      'waits',
      'fetched false',
      'waited',
      'missed 0',
    ]);
  });
});
