import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { MutationNotes } from './mutation-notes.ts';
import type { WebhookHook } from './webhook-hook.ts';

const PATCH = [{ op: 'add', path: '/data/password', value: 'hunter2' }];

/** Keys and values of what was left for the record of audit. */
function notesWhere(
  keepsRequests: boolean | undefined,
  patch: readonly JsonObject[] = PATCH,
): Map<string, string> {
  const left = new Map<string, string>();
  const request = {
    record: keepsRequests === undefined ? undefined : { keepsRequests },
    annotate: (key: string, value: string) => left.set(key, value),
  };
  // The notes look at no more than this.
  const attributes = { request, reinvocation: { isSecond: false } } as unknown;
  const hook = { configuration: 'c', name: 'w.example.com', index: 2 } as WebhookHook;
  const notes = new MutationNotes(attributes as AdmissionAttributes, hook);
  notes.mutated(true);
  notes.patched(patch);
  return left;
}

test.each([undefined, false])('contents stay out of a record of metadata (%s)', (keeps) => {
  const left = notesWhere(keeps);
  expect([...left.keys()]).toEqual(['mutation.webhook.admission.k8s.io/round_0_index_2']);
  expect([...left.values()].join('')).not.toContain('hunter2');
});

test('a record that shows requests shows what became of them', () => {
  expect(notesWhere(true).get('patch.webhook.admission.k8s.io/round_0_index_2')).toBe(
    '{"configuration":"c","webhook":"w.example.com",' +
      '"patch":[{"op":"add","path":"/data/password","value":"hunter2"}],"patchType":"JSONPatch"}',
  );
});

test('a record names the parts of a patch in one order, however the webhook wrote them', () => {
  const patch = [{ value: 1, path: '/a', op: 'add' }];
  expect(notesWhere(true, patch).get('patch.webhook.admission.k8s.io/round_0_index_2')).toContain(
    '[{"op":"add","path":"/a","value":1}]',
  );
});
