import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { decodePatch } from '../matching/patched-object.ts';
import { webhookRefusal } from './webhook-refusal.ts';

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
