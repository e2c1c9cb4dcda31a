import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../api/meta/json.ts';
import { readEncryption } from './encryption-configuration.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const AES = { aesgcm: { keys: [{ name: 'one', secret: SECRET }] } };

function read(resources: JsonValue) {
  const content = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources,
  };
  return readEncryption(Buffer.from(JSON.stringify(content)), 'file');
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
    ['a misspelt provider', provider({ aesgmc: {} }), 'unknown field "aesgmc"'],
    ['a provider that is not there', provider({ kms: { name: 'k' } }), 'kms is not supported'],
  ])('%s', (_, resources, message) => {
    expect(() => read(resources)).toThrow(message);
  });

  test('no message shows a secret', () => {
    const secret = Buffer.from('a secret that is too long to be a key of aes').toString('base64');
    expect(() => read(keys({ name: 'a', secret }))).toThrow(/^(?!.*YSBzZWNyZXQ)/);
  });
});
