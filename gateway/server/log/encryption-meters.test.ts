import { expect, it } from 'vitest';
import type {
  ObjectKeyEntry,
  ObjectKeyStore,
} from '../../../streams/encryption/object-key-store.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { ObjectKeys } from '../../../streams/encryption/object-keys.ts';
import { readEncryption } from '../../configuration/encryption-configuration.ts';
import { EncryptionMeters } from './encryption-meters.ts';

/** Keys in memory. */
function givenStore(): ObjectKeyStore {
  const entries = new Map<string, ObjectKeyEntry>();
  return {
    get: (id) => entries.get(id),
    ofObject: (uid) => [...entries.values()].find((one) => one.uid === uid),
    put(more) {
      for (const one of more) entries.set(one.id, one);
      return Promise.resolve();
    },
    destroy: () => Promise.resolve(),
    all: () => entries.values(),
    whenGone: () => undefined,
    close: () => Promise.resolve(),
  };
}

function configuration(...providers: object[]): Buffer {
  const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' };
  const resources = ['secrets', '*.bears.example'];
  return Buffer.from(JSON.stringify({ ...kind, resources: [{ resources, providers }] }));
}

function aesgcm(byte: number): object {
  const secret = Buffer.alloc(32, byte).toString('base64');
  return { aesgcm: { keys: [{ name: 'one', secret }] } };
}

const NO_KMS = () => {
  throw new Error('there is no kms');
};

it('counts keys of objects that are made, sealed and opened, by resource and provider', async () => {
  const meters = new EncryptionMeters(new ManualClock(), 'apiserver-one');
  const store = givenStore();
  const read = (...providers: object[]) =>
    readEncryption(configuration(...providers), 'file', NO_KMS, meters);
  const keys = new ObjectKeys(store, read(aesgcm(1)), undefined, meters);
  await keys.forWriting([
    { uid: 'a', resource: 'core/secrets', path: 'shop/db' },
    { uid: 'b', resource: 'bears.example/pandas', path: 'zoo/p' },
  ]);
  const again = new ObjectKeys(store, read({ identity: {} }, aesgcm(1)), undefined, meters);
  const [first] = [...store.all()];
  expect(again.keyOf(first?.id ?? '')).toHaveLength(32);
  const other = new ObjectKeys(store, read(aesgcm(2)), undefined, meters);
  expect(() => other.keyOf(first?.id ?? '')).toThrow('no key of the configuration opens');
  const plain = new ObjectKeys(store, read({ identity: {} }), undefined, meters);
  expect(() => plain.keyOf(first?.id ?? '')).toThrow('no provider of the configuration made it');
  const shown = meters.format();
  const family = 'apiserver_storage_transformation_operations_total';
  const of = (resource: string, type: string, prefix: string, status = 'OK') =>
    `${family}{resource="${resource}",status="${status}",` +
    `transformation_type="${type}",transformer_prefix="${prefix}"} 1`;
  const prefix = 'k8s:enc:aesgcm:v1:';
  expect(shown.split('\n').filter((line) => line.startsWith(family))).toEqual([
    of('secrets', 'to_storage', prefix),
    of('pandas.bears.example', 'to_storage', prefix),
    of('secrets', 'from_storage', prefix),
    of('secrets', 'from_storage', prefix, 'unknown-non-grpc'),
    of('secrets', 'from_storage', 'unknown', 'unknown-non-grpc'),
  ]);
  expect(shown).toContain('apiserver_storage_data_key_generation_duration_seconds_count 2\n');
  expect(shown).toMatch(
    /transformation_duration_seconds_bucket\{[^}]*"to_storage"[^}]*le="83.88608"\} 2/,
  );
});
