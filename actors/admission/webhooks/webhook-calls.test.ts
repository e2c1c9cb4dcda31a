import { expect, test } from 'vitest';

import { testClock } from '../../request/given.fixture.ts';
import type { WebhookAnswer } from '../../../api/kinds/custom/webhook-client.ts';
import { WebhookCalls } from './webhook-calls.ts';

const TARGET = { url: 'https://a.example.com/', caBundle: '', service: undefined };
const CALL = { timeoutMs: 1_000, credentials: undefined };

test('a webhook that swallows calls is not called for a while, and is said to be as it was', async () => {
  const clock = testClock();
  const silence: WebhookAnswer = { ok: false, message: 'deadline', failure: 'unanswered' };
  let asked = 0;
  const post = () => {
    asked += 1;
    return Promise.resolve(silence);
  };
  const calls = new WebhookCalls({ client: { post }, clock });
  const call = () => calls.post(TARGET, Buffer.of(), CALL);
  for (let time = 0; time < 5; time += 1) expect(await call()).toBe(silence);
  expect(await call()).toEqual({ ok: false, message: 'deadline' });
  expect(asked).toBe(5);
  clock.advance(500);
  expect(await call()).toBe(silence);
});
