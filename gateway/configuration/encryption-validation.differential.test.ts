/** Configurations of every kind, judged by us and by kube-apiserver's own validation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { formatFieldError } from '../../api/field/field-errors.ts';
import { validateEncryption } from './encryption-validation.ts';

const oracle = await goOracle('encryption-configuration');

const NAMES = [
  ...['secrets', 'configmaps', 'pandas.bears.example', '*.', '*.*', '*.apps', '*', 'Secrets'],
  ...['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations', 'events'],
  ...['events.events.k8s.io', '*.events.k8s.io', 'deployments.extensions', '*.extensions'],
  ...['pods.*', 'secrets.*', 'deployments.apps', '', '.', 'a.b.c', 'secrets.', 'Ü'],
];
const SECRETS = [
  ...[16, 24, 32, 15, 33, 0].map((bytes) => Buffer.alloc(bytes, 7).toString('base64')),
  ...['no base64', 'YQ', 'YQ==', 'YQ===', '_-_-', `${Buffer.alloc(32).toString('base64')}\n`],
  ...['AAAA\r\nAAAAAAAAAAAAAAAAAA==', 'YR=='],
];
const ENDPOINTS = [
  ...['unix:///run/kms.sock', 'unix:///@abstract', 'unix://', 'unix:run', 'tcp://127.0.0.1:1'],
  ...['', '/run/kms.sock', 'http://a', 'unix:///%zz', '://x', 'unix://[::1', 'UNIX:///a', 'a b'],
  ...['unix:///a?b#c', '\u0001', 'unix://a:b/c', 'kms'],
];
const TIMEOUTS = ['3s', '0s', '-1s', '1ms', '1h', '0.5s', '-1.5h', '100ns'];

function seldom<T>(arbitrary: fc.Arbitrary<T>, freq = 1) {
  return fc.option(arbitrary, { nil: undefined, freq });
}

const keys = fc.record({
  keys: fc.array(
    fc.record({
      name: seldom(fc.constantFrom('one', 'two', ''), 4),
      secret: seldom(fc.constantFrom(...SECRETS), 6),
    }),
    { maxLength: 3 },
  ),
});
const kms = fc.record({
  apiVersion: seldom(fc.constantFrom('v1', 'v2', 'v2', 'v3', ''), 4),
  name: seldom(fc.constantFrom('vault', 'other', 'a:b', ''), 6),
  cachesize: seldom(fc.constantFrom(1, 0, -1, 1_000)),
  endpoint: seldom(fc.constantFrom(...ENDPOINTS), 8),
  timeout: seldom(fc.constantFrom(...TIMEOUTS), 2),
});
const one = (name: string, arbitrary: fc.Arbitrary<unknown>) =>
  fc.record({ [name]: arbitrary }) as fc.Arbitrary<object>;
const provider = fc.oneof(
  { weight: 4, arbitrary: one('kms', kms) },
  ...['aesgcm', 'aescbc', 'secretbox'].map((name) => ({ weight: 2, arbitrary: one(name, keys) })),
  { weight: 1, arbitrary: fc.constant({ identity: {} }) },
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({ kms: seldom(kms), aescbc: keys, identity: fc.constant({}) }),
  },
);
const configuration = fc.record({
  apiVersion: fc.constant('apiserver.config.k8s.io/v1'),
  kind: fc.constant('EncryptionConfiguration'),
  resources: fc.array(
    fc.record({
      resources: fc.array(fc.constantFrom(...NAMES), { maxLength: 4 }),
      providers: fc.array(provider, { maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
});

/** What Go shows of a provider has its secrets in it. */
function withoutValues(message: string): string {
  return message
    .replace(/(providers\[\d+\]: Invalid value: ).*(: provider does not)/s, '$1…$2')
    .replace(/(providers\[\d+\]: Invalid value: ).*(: more than one provider)/s, '$1…$2');
}

describe.skipIf(oracle === undefined)('an EncryptionConfiguration', () => {
  it('is refused for the same reasons, in the same words', () => {
    const configurations = fc
      .sample(configuration, { numRuns: 1_500, seed: 41 })
      .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
    const answers = oracle?.(configurations.map((asked) => ({ configuration: asked }))) ?? [];
    let refusals = 0;
    configurations.forEach((asked, index) => {
      const { errors, undecodable } = answers[index] as { errors: string[]; undecodable?: string };
      expect(undecodable).toBeUndefined();
      const ours = validateEncryption(asked).map(formatFieldError).map(withoutValues);
      expect(ours, JSON.stringify(asked)).toEqual(errors.map(withoutValues));
      refusals += ours.length;
    });
    expect(refusals).toBeGreaterThan(configurations.length);
    expect(answers.some((answer) => (answer as { errors: JsonValue[] }).errors.length === 0)).toBe(
      true,
    );
  });
});
