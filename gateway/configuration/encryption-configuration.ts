/**
 * The file of --encryption-provider-config: which resources are encrypted at rest, and how.
 *
 * In Kubernetes: LoadEncryptionConfig, apiserver/pkg/server/options/encryptionconfig.
 */
import { isJsonObject, listAt, objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { formatFieldErrors } from '../../api/field/field-errors.ts';
import { aesCbc, aesGcm, secretbox, type NamedKey } from '../../streams/encryption/ciphers.ts';
import type { ProvidersOf } from '../../streams/encryption/object-keys.ts';
import {
  identity,
  keyedProvider,
  ProviderChain,
  type NamedCipher,
  type SealingMeters,
  type SealingProvider,
} from '../../streams/encryption/sealing-provider.ts';
import { parseYaml } from '../negotiation/yaml-codec.ts';
import { StartupError } from '../process/startup-error.ts';
import {
  decodedSecret,
  maskedProblem,
  namesIn,
  objectsIn,
  PROVIDERS,
  validateEncryption,
} from './encryption-validation.ts';
import { kmsFormProblem, kmsSettingsOf, type KmsSettings } from './kms-validation.ts';

const API_VERSION = 'apiserver.config.k8s.io/v1';
const KIND = 'EncryptionConfiguration';
/** What servers tell one another lies beside the objects of clients, and has to be read first. */
const OWN_RECORDS = 'dev.everwatch/';

const CIPHERS: Readonly<Record<string, (key: NamedKey) => NamedCipher>> = {
  aesgcm: aesGcm,
  aescbc: aesCbc,
  secretbox,
};

/** Gives a provider that asks a KMS plugin. */
export type MakeKms = (settings: KmsSettings) => SealingProvider;

const KMS_V1_REFUSED =
  'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.';

/**
 * @param makeKms is asked when nothing is wrong in the file, once for each that stands there.
 * @throws StartupError that says what is wrong in the file, and shows none of its secrets.
 */
export function readEncryption(
  bytes: Uint8Array,
  file: string,
  makeKms: MakeKms,
  meters?: SealingMeters,
): ProvidersOf {
  const configuration = contentOf(bytes, file);
  const errors = validateEncryption(configuration);
  if (errors.length > 0) throw new StartupError(`${file}: ${formatFieldErrors(errors)}`);
  const providers = new Map<string, SealingProvider[]>();
  for (const entry of objectsIn(configuration, 'resources')) {
    const own = objectsIn(entry, 'providers').map((one) => providerOf(one, { file, makeKms }));
    const before = new Set(providers.keys());
    for (const name of namesIn(entry)) {
      const masked = maskedProblem(before, name);
      if (masked !== undefined) throw new StartupError(`${file}: ${masked}`);
      providers.set(name, [...(providers.get(name) ?? []), ...own]);
    }
  }
  const chains = [...providers].map(([name, own]) => [name, new ProviderChain(own)] as const);
  return chainsOf(new Map(chains), meters);
}

/** By name first, then by group, then all. */
function chainsOf(
  chains: ReadonlyMap<string, ProviderChain>,
  meters: SealingMeters | undefined,
): ProvidersOf {
  const byStorage = new Map<string, ProviderChain | undefined>();
  const find = (storage: string): ProviderChain | undefined => {
    if (storage.startsWith(OWN_RECORDS)) return undefined;
    const [group = '', resource = ''] = storage.split('/');
    const suffix = group === 'core' ? '' : group;
    const name = suffix === '' ? resource : `${resource}.${suffix}`;
    const chain = chains.get(name) ?? chains.get(`*.${suffix}`) ?? chains.get('*.*');
    return meters === undefined ? chain : chain?.measuredFor(name, meters);
  };
  return (storage) => {
    if (!byStorage.has(storage)) byStorage.set(storage, find(storage));
    return byStorage.get(storage);
  };
}

function contentOf(bytes: Uint8Array, file: string): JsonObject {
  let content;
  try {
    content = parseYaml(bytes);
  } catch (error) {
    throw new StartupError(`${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if (!isJsonObject(content)) throw new StartupError(`${file}: must be a YAML mapping`);
  const [apiVersion, kind] = [stringAt(content, 'apiVersion'), stringAt(content, 'kind')];
  if (apiVersion !== API_VERSION || kind !== KIND) {
    throw new StartupError(`${file}: must be ${API_VERSION}, ${KIND}, not ${apiVersion}, ${kind}`);
  }
  expectKeys(content, ['apiVersion', 'kind', 'resources'], file);
  for (const entry of objectsIn(content, 'resources')) {
    expectKeys(entry, ['resources', 'providers'], `${file}: resources`);
    expectTexts(listAt(entry, 'resources'), `${file}: resources`);
    for (const provider of objectsIn(entry, 'providers')) {
      expectKeys(provider, PROVIDERS, `${file}: providers`);
      const problem = kmsFormProblem(objectAt(provider, 'kms') ?? {});
      if (problem !== undefined) throw new StartupError(`${file}: kms: ${problem}`);
    }
  }
  return content;
}

/** In Kubernetes the decoder is strict here: a misspelt provider would leave Secrets plain. */
function expectKeys(object: JsonObject, known: readonly string[], where: string): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new StartupError(`${where}: unknown field ${JSON.stringify(unknown)}`);
  }
}

function expectTexts(list: readonly unknown[], where: string): void {
  const other = list.find((one) => typeof one !== 'string' && one !== null);
  if (other === undefined) return;
  throw new StartupError(`${where}: resources cannot have ${JSON.stringify(other)} in it`);
}

function providerOf(
  provider: JsonObject,
  { file, makeKms }: { readonly file: string; readonly makeKms: MakeKms },
): SealingProvider {
  const name = PROVIDERS.find((one) => isJsonObject(provider[one])) ?? '';
  if (name === 'identity') return identity;
  const cipher = CIPHERS[name];
  if (cipher === undefined) {
    const settings = kmsSettingsOf(objectAt(provider, 'kms') ?? {});
    if (settings.apiVersion === 'v1') throw new StartupError(`${file}: ${KMS_V1_REFUSED}`);
    return makeKms(settings);
  }
  const keys = objectsIn(objectAt(provider, name) ?? {}, 'keys');
  const ciphers = keys.map((key) =>
    cipher({
      name: stringAt(key, 'name'),
      secret: decodedSecret(stringAt(key, 'secret')) ?? Buffer.alloc(0),
    }),
  );
  return keyedProvider(`k8s:enc:${name}:v1:`, ciphers);
}
