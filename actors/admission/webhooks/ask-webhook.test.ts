/** Which answers make a webhook's credentials be thrown away. */
import { describe, expect, it } from 'vitest';

import type { WebhookAnswer } from '../../../api/kinds/custom/webhook-client.ts';
import { testClock, testRandom } from '../../request/given.fixture.ts';
import { givenAttributes } from '../given-attributes.fixture.ts';
import { placeIn } from '../matching/resource-rules.ts';
import { askWebhook, webhookRefusal } from './ask-webhook.ts';
import { WebhookCalls } from './webhook-calls.ts';
import { compileHooks } from './webhook-hook.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { decodePatch } from '../matching/patched-object.ts';

const [HOOK] = compileHooks({
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'a' },
  webhooks: [
    { name: 'a.example.com', admissionReviewVersions: ['v1'], clientConfig: {}, sideEffects: null },
  ],
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

const DENIED = 'admission webhook "w" denied the request';

describe('a webhook’s no', () => {
  it.each([
    [undefined, { code: 400, status: 'Failure', message: `${DENIED} without explanation` }],
    [{ reason: 'Odd' }, { code: 400, reason: 'Odd', message: `${DENIED}: Odd` }],
    [
      { reason: 'Odd', message: 'no' },
      { reason: 'Odd', message: `${DENIED}: no` },
    ],
    [{ code: 399 }, { code: 400 }],
    [{ code: 400 }, { code: 400 }],
    [{ code: 418 }, { code: 418 }],
    [{ code: 418.5 }, { code: 400 }],
    [{ code: 'x' }, { code: 400 }],
    [{ status: 'Success' }, { status: 'Failure' }],
    [{ status: 'Other' }, { status: 'Other' }],
    [{ metadata: { a: 1 } }, { metadata: { a: 1 } }],
    [{ metadata: 'x' }, { metadata: {} }],
    [{ details: { kind: 'k' } }, { details: { kind: 'k' } }],
  ] as [JsonObject | undefined, JsonObject][])('%j becomes %j', (result, status) => {
    const refusal = webhookRefusal('w', result);
    expect(refusal).toMatchObject({ kind: 'Status', apiVersion: 'v1', ...status });
    expect('reason' in refusal).toBe(result?.['reason'] !== undefined);
    expect('details' in refusal).toBe(result?.['details'] !== undefined);
  });
});

describe('a webhook’s patch', () => {
  it.each([
    ['null', []],
    ['[]', []],
    ['[{"op":"remove","path":"/a"}]', [{ op: 'remove', path: '/a' }]],
  ])('%s has the operations %j', (text, operations) => {
    expect(decodePatch(Buffer.from(text))).toEqual({ ok: true, operations });
  });

  it.each([
    ['{}', 'json: cannot unmarshal value into Go value of type jsonpatch.Patch'],
    ['"text"', 'json: cannot unmarshal value into Go value of type jsonpatch.Patch'],
    ['[{}, 1]', 'json: cannot unmarshal value into Go value of type jsonpatch.Operation'],
  ])('%s is none', (text, message) => {
    expect(decodePatch(Buffer.from(text))).toEqual({ ok: false, message });
  });

  it('is none where it is no JSON', () => {
    expect(decodePatch(Buffer.from('[')).ok).toBe(false);
  });
});
