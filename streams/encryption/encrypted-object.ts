/**
 * What a KMS provider leaves behind: bytes that are sealed under a seed, and the seed as the service
 * has encrypted it. Laid out as kube-apiserver lays it out.
 *
 * In Kubernetes: EncryptedObject and ValidateEncryptedObject,
 * apiserver/pkg/storage/value/encrypt/envelope/kmsv2.
 */
import { createHash } from 'node:crypto';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../api/meta/names.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { encodeWireMessage, WireMessage } from '../../api/protobuf/wire-message.ts';
import type { KmsSealed } from './kms-service.ts';

const CIPHERTEXT_BYTES_MAX = 1024;
const KEY_ID_BYTES_MAX = 1024;
const ANNOTATIONS_BYTES_MAX = 32 * 1024;
/** HKDF_SHA256_XNONCE_AES_GCM_SEED, the one way in which seeds are used here. */
const SEED = 1;

export interface EncryptedObject {
  readonly data: Uint8Array;
  readonly seed: KmsSealed;
}

/** The protobuf message that `k8s:enc:kms:v2:` stands before, as kube-apiserver writes it. */
export function encodeEncryptedObject({ data, seed }: EncryptedObject): Buffer {
  const { ciphertext, keyId, annotations } = seed;
  return encodeWireMessage({ 1: data, 2: keyId, 3: ciphertext, 4: annotations, 5: SEED });
}

/** @throws what says why it is none. */
export function decodeEncryptedObject(bytes: Uint8Array): EncryptedObject {
  const message = new WireMessage(bytes);
  const seed = {
    keyId: message.text(2),
    ciphertext: message.bytes(3),
    annotations: message.map(4),
  };
  const kind = message.number(5);
  if (kind !== SEED) throw new Error(`unknown encryptedDEKSourceType: ${String(kind)}`);
  const data = message.bytes(1);
  if (data.length === 0) throw new Error('encrypted data is empty');
  const problem = sealedSeedProblem(seed);
  if (problem !== undefined) throw new Error(problem);
  return { data, seed };
}

/** What is wrong with what a service has answered. */
export function sealedSeedProblem(seed: KmsSealed): string | undefined {
  const source = ciphertextProblem(seed.ciphertext.length);
  if (source !== undefined) return `failed to validate encrypted DEK source: ${source}`;
  const key = keyIdProblem(seed.keyId);
  if (key !== undefined) return `failed to validate key id: ${key.message}`;
  const annotations = annotationsProblem(seed.annotations);
  return annotations === undefined ? undefined : `failed to validate annotations: ${annotations}`;
}

export function keyIdProblem(
  keyId: string,
): { readonly code: 'empty' | 'too_long'; readonly message: string } | undefined {
  const size = Buffer.byteLength(keyId);
  if (size === 0) return { code: 'empty', message: 'keyID is empty' };
  if (size <= KEY_ID_BYTES_MAX) return undefined;
  const message = `keyID is ${String(size)} bytes, which exceeds the max size of ${String(KEY_ID_BYTES_MAX)}`;
  return { code: 'too_long', message };
}

function ciphertextProblem(size: number): string | undefined {
  if (size === 0) return 'encrypted DEK source is empty';
  if (size <= CIPHERTEXT_BYTES_MAX) return undefined;
  return `encrypted DEK source is ${String(size)} bytes, which exceeds the max size of ${String(CIPHERTEXT_BYTES_MAX)}`;
}

function annotationsProblem(annotations: KmsSealed['annotations']): string | undefined {
  const problems: string[] = [];
  let size = 0;
  for (const [key, value] of annotations) {
    size += Buffer.byteLength(key) + value.length;
    const problem = domainProblem(key);
    if (problem !== undefined) problems.push(`annotations: ${problem}`);
  }
  if (size > ANNOTATIONS_BYTES_MAX) {
    problems.push(
      `total size of annotations is ${String(size)}, which exceeds the max size of ${String(ANNOTATIONS_BYTES_MAX)}`,
    );
  }
  return aggregated(problems);
}

/** In Kubernetes: IsFullyQualifiedDomainName, apimachinery/pkg/util/validation. */
function domainProblem(key: string): string | undefined {
  if (key === '') return 'Required value';
  const name = key.endsWith('.') ? key.slice(0, -1) : key;
  const invalid = (value: string, why: string): string =>
    `Invalid value: ${goQuote(value)}: ${why}`;
  const problems = dns1123SubdomainProblems(name);
  if (problems.length > 0) return invalid(name, problems.join(','));
  const labels = name.split('.');
  if (labels.length < 2) {
    return invalid(name, 'should be a domain with at least two segments separated by dots');
  }
  const bad = labels.find((label) => dns1123LabelProblems(label).length > 0);
  return bad === undefined ? undefined : invalid(bad, dns1123LabelProblems(bad).join(','));
}

/** Several errors as Go joins them: each text once. */
export function aggregated(problems: readonly string[]): string | undefined {
  const texts = [...new Set(problems)];
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts[0];
}

/** Tells seeds apart. */
export function seedKeyOf({ ciphertext, keyId, annotations }: KmsSealed): string {
  const sorted = new Map([...annotations].sort(([a], [b]) => (a < b ? -1 : 1)));
  const bytes = encodeWireMessage({ 2: keyId, 3: ciphertext, 4: sorted });
  return createHash('sha256').update(bytes).digest('base64');
}
