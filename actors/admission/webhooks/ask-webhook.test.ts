/** Which answers make a webhook's credentials be thrown away. */
import { expect, it } from 'vitest';

import type { WebhookAnswer } from '../../../api/kinds/custom/webhook-client.ts';
import { testClock, testRandom } from '../../request/given.fixture.ts';
import { givenAttributes } from '../given-attributes.fixture.ts';
import { placeIn } from '../matching/equivalent-places.ts';
import { askWebhook } from './ask-webhook.ts';
import { WebhookCalls } from './webhook-calls.ts';
import { compileHooks } from './webhook-hook.ts';

const [HOOK] = compileHooks({
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'a' },
  webhooks: [{ name: 'a.example.com', admissionReviewVersions: ['v1'], clientConfig: {} }],
});

async function refusals(answer: WebhookAnswer): Promise<number> {
  if (HOOK === undefined) throw new Error('there is one webhook');
  const clock = testClock();
  let count = 0;
  const credentials = { headers: {}, refused: () => void (count += 1) };
  const askers = {
    ...{ clock, random: testRandom() },
    users: { credentialsFor: () => Promise.resolve({ ok: true, credentials } as const) },
    calls: new WebhookCalls({ client: { post: () => Promise.resolve(answer) }, clock }),
  };
  const attributes = await givenAttributes();
  const target = placeIn(attributes.served, '');
  const versioned = { target, object: undefined, oldObject: undefined };
  await askWebhook(askers, { ...HOOK, index: 0 }, attributes, { versioned, isMutating: false });
  return count;
}

it.each<[number, string, WebhookAnswer]>([
  [1, '401', { ok: false, message: 'no', code: 401 }],
  [0, '500', { ok: false, message: 'no', code: 500 }],
  [0, 'nothing', { ok: false, message: 'no' }],
  [0, 'a review', { ok: true, body: Buffer.from('{}') }],
])(
  'credentials are refused %i times by a webhook that answers with %s',
  async (times, _, answer) => {
    expect(await refusals(answer)).toBe(times);
  },
);
