/** What a webhook is taken to be by its configuration, also by one from an older version. */
import { expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { decodedAs } from '../../../api/kinds/kind.ts';
import { compileHooks } from './webhook-hook.ts';

const CONFIGURATION = 'io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration';

function hookOf(more: JsonObject) {
  const clientConfig = { url: 'https://hooks.example.com/a' };
  const webhooks = [{ name: 'a.example.com', clientConfig, ...more }];
  const configuration = decodedAs(CONFIGURATION, { metadata: { name: 'a' }, webhooks });
  return configuration && compileHooks(configuration)[0];
}

it.each([
  ['None', true],
  ['NoneOnDryRun', true],
  ['Some', false],
  ['Unknown', false],
])('with side effects %s may be asked about a dry run: %s', (sideEffects, takesDryRuns) => {
  expect(hookOf({ sideEffects })).toMatchObject({ takesDryRuns });
});

it('fails, takes equivalents, waits ten seconds and is asked once where nothing else is said', () => {
  expect(hookOf({})).toMatchObject({
    ...{ failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutMs: 10_000 },
    ...{ isReinvoked: false, takesDryRuns: false },
  });
});
