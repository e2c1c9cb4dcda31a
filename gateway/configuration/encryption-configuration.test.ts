import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../api/json/json.ts';
import { identity } from '../../streams/encryption/sealing-provider.ts';
import { readEncryption } from './encryption-configuration.ts';
import type { KmsSettings } from './kms-validation.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const AES = { aesgcm: { keys: [{ name: 'one', secret: SECRET }] } };

const KMS = { apiVersion: 'v2', name: 'vault', endpoint: 'unix:///run/kms.sock' };
const made: KmsSettings[] = [];

function read(resources: JsonValue) {
  const content = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources,
  };
  return readEncryption(Buffer.from(JSON.stringify(content)), 'file', (settings) => {
    made.push(settings);
    return { ...identity, prefix: `k8s:enc:kms:v2:${settings.name}:` };
  });
}

function prefixOf(resources: JsonValue, storage: string): string | undefined {
  const chain = read(resources)(storage);
  return chain?.seal(Buffer.from('x'), Buffer.from('y')).toString('latin1').slice(0, 12);
}

describe('which resources are encrypted', () => {
  const only = (...names: string[]): JsonValue => [{ resources: names, providers: [AES] }];

  test.each([
    ['secrets', 'core/secrets', true],
    ['secrets', 'core/configmaps', false],
    ['secrets', 'example.com/secrets', false],
    ['pandas.bears.example', 'bears.example/pandas', true],
    ['*.', 'core/pods', true],
    ['*.', 'apps/deployments', false],
    ['*.apps', 'apps/deployments', true],
    ['*.*', 'bears.example/pandas', true],
    ['*.*', 'dev.everwatch/snapshots', false],
  ])('%s and %s: %s', (name, storage, is) => {
    expect(read(only(name))(storage) !== undefined).toBe(is);
  });

  test('a name goes before its group, and a group before all', () => {
    const resources = [
      { resources: ['secrets'], providers: [AES] },
      { resources: ['*.'], providers: [{ identity: {} }] },
      {
        resources: ['*.*'],
        providers: [{ secretbox: { keys: [{ name: 'one', secret: SECRET }] } }],
      },
    ];
    expect(prefixOf(resources, 'core/secrets')).toBe('k8s:enc:aesg');
    expect(prefixOf(resources, 'core/pods')).toBe('x');
    expect(prefixOf(resources, 'apps/deployments')).toBe('k8s:enc:secr');
  });
});

describe('a kms', () => {
  test('is made from what the file says, with three seconds for each call', () => {
    made.length = 0;
    const own = { ...KMS, name: 'own', endpoint: 'unix:///@ab%20c', timeout: '1m' };
    const resources: JsonValue = [
      { resources: ['secrets'], providers: [{ kms: KMS }, { kms: own }, AES] },
    ];
    expect(prefixOf(resources, 'core/secrets')).toBe('k8s:enc:kms:');
    expect(made).toEqual([
      { apiVersion: 'v2', name: 'vault', path: '/run/kms.sock', timeoutMs: 3_000 },
      { apiVersion: 'v2', name: 'own', path: '@ab c', timeoutMs: 60_000 },
    ]);
  });
});

describe('what is refused', () => {
  const provider = (one: JsonValue): JsonValue => [{ resources: ['secrets'], providers: [one] }];
  const keys = (key: JsonValue): JsonValue => provider({ aescbc: { keys: [key] } });
  const names = (...resources: string[]): JsonValue => [{ resources, providers: [AES] }];

  test.each<[string, JsonValue, string]>([
    ['nothing', [], 'resources: Required value: at least one resources is required'],
    [
      'no providers',
      [{ resources: ['secrets'], providers: [] }],
      'resources[0].providers: Required value: at least one resources[0].providers is required',
    ],
    [
      'two in one',
      provider({ ...AES, identity: {} }),
      'more than one provider specified in a single element, should split into different list elements',
    ],
    ['none in one', provider({}), 'provider does not contain any of the expected providers'],
    [
      'no keys',
      provider({ aesgcm: { keys: [] } }),
      'keys: Required value: at least one keys is required',
    ],
    [
      'a key without a name',
      keys({ secret: SECRET }),
      'keys[0].name: Required value: name is a mandatory field for a key',
    ],
    [
      'no base64',
      keys({ name: 'a', secret: 'ooo!' }),
      'keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
    ],
    [
      'a short key',
      keys({ name: 'a', secret: 'c2hvcnQ=' }),
      'secret is not of the expected length, got 5, expected one of [16 24 32]',
    ],
    ['capitals', names('Secrets'), 'resource name should not contain capital letters'],
    ['a star', names('*'), "use '*.' to encrypt all the resources from core API group"],
    [
      'one resource of all groups',
      names('pods.*'),
      'encrypting the same resource across groups is not supported',
    ],
    ['twice', names('pods', 'pods'), 'the same resource cannot be specified multiple times'],
    ['overlapping', names('pods', '*.'), 'using overlapping resources such as'],
    [
      'a later rule that can never be met',
      [...(names('*.') as JsonValue[]), ...(names('pods') as JsonValue[])],
      'resource "pods" is masked by earlier rule "*."',
    ],
    [
      'a resource that is no text',
      [{ resources: ['pods', { toString: null }], providers: [{ identity: {} }] }],
      'resources: resources cannot have {"toString":null} in it',
    ],
    ['a misspelt provider', provider({ aesgmc: {} }), 'unknown field "aesgmc"'],
    [
      'a kms without anything',
      provider({ kms: {} }),
      '[resources[0].providers[0].kms.name: Required value: name is a mandatory field for a provider, ' +
        'resources[0].providers[0].kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms]',
    ],
    [
      'a kms of version 1, which is what is meant where nothing is said',
      provider({ kms: { name: 'k', endpoint: 'unix:///a' } }),
      'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.',
    ],
    [
      'a kms of version 3',
      provider({ kms: { ...KMS, apiVersion: 'v3' } }),
      'kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
    ],
    [
      'a kms with a colon',
      provider({ kms: { ...KMS, name: 'a:b' } }),
      `kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':'`,
    ],
    [
      'two kms of one name',
      [
        { resources: ['secrets'], providers: [{ kms: KMS }, { identity: {} }] },
        { resources: ['pods'], providers: [{ kms: KMS }] },
      ],
      'resources[1].providers[0].kms.name: Invalid value: "vault": duplicate KMS provider name vault, names must be unique',
    ],
    [
      'a kms that has no time',
      provider({ kms: { ...KMS, timeout: '-90s' } }),
      'kms.timeout: Invalid value: "-1m30s": timeout should be a positive value',
    ],
    [
      'a kms somewhere in the network',
      provider({ kms: { ...KMS, endpoint: 'tcp://127.0.0.1:1' } }),
      'kms.endpoint: Invalid value: "tcp://127.0.0.1:1": unsupported scheme "tcp" for KMS provider, only unix is supported',
    ],
    [
      'a kms nowhere',
      provider({ kms: { ...KMS, endpoint: 'unix:///%zz' } }),
      'invalid endpoint for kms provider, error: parse "unix:///%zz": invalid URL escape "%zz"',
    ],
    [
      'a kms of version 2 with a cache',
      provider({ kms: { ...KMS, cachesize: 10 } }),
      'kms.cachesize: Invalid value: 10: cachesize is not supported in v2',
    ],
    ['a misspelt field of a kms', provider({ kms: { ...KMS, endPoint: '' } }), 'unknown field'],
    ['a time that is none', provider({ kms: { ...KMS, timeout: 3 } }), 'timeout cannot be 3'],
  ])('%s', (_, resources, message) => {
    expect(() => read(resources)).toThrow(message);
  });

  test('no message shows a secret', () => {
    const secret = Buffer.from('a secret that is too long to be a key of aes').toString('base64');
    expect(() => read(keys({ name: 'a', secret }))).toThrow(/^(?!.*YSBzZWNyZXQ)/);
  });
});
