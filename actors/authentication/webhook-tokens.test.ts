import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { testClock, testRandom } from '../request/given.fixture.ts';
import type { ReviewAnswer, ReviewVersion } from '../request/webhook-review.ts';
import { refused, UNKNOWN } from './authenticator.ts';
import { TokenCache } from './token-cache.ts';
import { webhookTokens } from './webhook-tokens.ts';

const JANE = {
  username: 'jane',
  uid: '7',
  groups: ['dev'],
  extra: { 'example.org/team': ['a', 'b'] },
};

/** A webhook that answers each review with the next of these, and then with the last. */
function given(answers: readonly (JsonObject | ReviewAnswer)[], version: ReviewVersion = 'v1') {
  const audiences = ['us', 'home'];
  const asked: JsonObject[] = [];
  const clock = testClock();
  const client = {
    post(body: Buffer) {
      asked.push(JSON.parse(body.toString()) as JsonObject);
      const answer = answers[Math.min(asked.length, answers.length) - 1] ?? {};
      if ('ok' in answer) return Promise.resolve(answer as ReviewAnswer);
      const review = { kind: 'TokenReview', status: answer };
      return Promise.resolve({ ok: true as const, body: Buffer.from(JSON.stringify(review)) });
    },
  };
  const parts = { client, clock, random: testRandom() };
  const tokens = webhookTokens(parts, { version, audiences, timeoutMs: 1_000 });
  return { tokens, asked, clock };
}

describe('webhookTokens', () => {
  it('asks with our audiences, and takes the user as he is described', async () => {
    const { tokens, asked } = given([{ authenticated: true, user: JANE }]);
    expect(await tokens.authenticateToken('secret')).toEqual({
      verdict: 'identified',
      user: { name: 'jane', uid: '7', groups: ['dev'], extra: { 'example.org/team': ['a', 'b'] } },
      audiences: ['us', 'home'],
    });
    expect(asked).toEqual([
      {
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: {},
        spec: { token: 'secret', audiences: ['us', 'home'] },
        status: { user: {} },
      },
    ]);
    const older = given([{}], 'v1beta1');
    await older.tokens.authenticateToken('secret');
    expect(older.asked[0]?.['apiVersion']).toBe('authentication.k8s.io/v1beta1');
  });

  it('takes a token for those audiences only that the webhook names, of those asked for', async () => {
    const named = given([{ authenticated: true, user: JANE, audiences: ['others', 'home'] }]);
    expect(await named.tokens.authenticateToken('t')).toMatchObject({ audiences: ['home'] });
    expect(await named.tokens.authenticateToken('t', ['us'])).toBe(UNKNOWN);
    const silent = given([{ authenticated: true, user: JANE }]);
    expect(await silent.tokens.authenticateToken('t', ['elsewhere'])).toBe(UNKNOWN);
    expect(await silent.tokens.authenticateToken('t', ['us', 'x'])).toMatchObject({
      audiences: ['us'],
    });
  });

  it('does not know whom the webhook does not know, and passes on why', async () => {
    const { tokens } = given([{}, { error: 'locked' }, { authenticated: 'yes', user: JANE }]);
    expect(await tokens.authenticateToken('t')).toBe(UNKNOWN);
    expect(await tokens.authenticateToken('t')).toEqual(refused('locked'));
    expect(await tokens.authenticateToken('t')).toBe(UNKNOWN);
  });

  it('asks five times where the webhook may only be busy, and once where not', async () => {
    const busy = given([{ ok: false, message: 'busy', mayRetry: true }]);
    const answer = busy.tokens.authenticateToken('t');
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await Promise.resolve();
      await Promise.resolve();
      expect(busy.asked).toHaveLength(attempt);
      busy.clock.advance(3_000);
    }
    expect(await answer).toEqual(refused('busy'));
    expect(busy.asked).toHaveLength(5);
    const gone = given([{ ok: false, message: 'gone', mayRetry: false }]);
    expect(await gone.tokens.authenticateToken('t')).toEqual(refused('gone'));
    expect(gone.asked).toHaveLength(1);
    const odd = given([{ ok: true, body: Buffer.from('{"kind":"Pod"}') }]);
    expect(await odd.tokens.authenticateToken('t')).toEqual(
      refused('the webhook answered what is no TokenReview'),
    );
  });

  it('is asked anew after it could not be asked, and not after it said no', async () => {
    const { tokens, asked, clock } = given([
      { ok: false, message: 'down', mayRetry: false },
      { error: 'broken' },
      {},
    ]);
    const cache = new TokenCache(tokens, { clock, successTtlMs: 1_000, failureTtlMs: 1_000 });
    expect(await cache.authenticateToken('t')).toEqual(refused('down'));
    expect(await cache.authenticateToken('t')).toEqual(refused('broken'));
    expect(await cache.authenticateToken('t')).toBe(UNKNOWN);
    expect(await cache.authenticateToken('t')).toBe(UNKNOWN);
    expect(asked).toHaveLength(3);
  });
});
