/**
 * The keys of service account tokens: RSA or ECDSA, read from PEM.
 *
 * The surprise: which algorithm a signature is checked with comes from the key and never from the
 * token, so a token cannot talk its way into another one (`none`, or a public key taken for a secret).
 *
 * In Kubernetes: pkg/serviceaccount/jwt.go, and client-go/util/keyutil.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import type { JsonObject } from '../../../api/json/json.ts';

interface Algorithm {
  /** As in a token's header. */
  readonly name: string;
  readonly digest: string;
}

const RSA: Algorithm = { name: 'RS256', digest: 'sha256' };
const BY_CURVE: ReadonlyMap<string, Algorithm> = new Map([
  ['prime256v1', { name: 'ES256', digest: 'sha256' }],
  ['secp384r1', { name: 'ES384', digest: 'sha384' }],
  ['secp521r1', { name: 'ES512', digest: 'sha512' }],
]);

/** What another than its holder says of a key. */
export interface KeyNotes {
  readonly id: string;
  /** Whether it is kept from clients that ask with which keys tokens are signed. */
  readonly isExcluded: boolean;
}

/** Checks signatures. */
export class VerificationKey {
  readonly id: string;
  readonly isExcluded: boolean;
  readonly algorithm: string;
  readonly #digest: string;
  readonly #key: KeyObject;

  /**
   * @param notes undefined: its id is its hash.
   * @throws Error when the key is neither RSA nor on a curve that is known.
   */
  constructor(key: KeyObject, notes?: KeyNotes) {
    this.#key = key.type === 'private' ? createPublicKey(key) : key;
    const { name, digest } = algorithmOf(this.#key);
    this.algorithm = name;
    this.#digest = digest;
    this.isExcluded = notes?.isExcluded ?? false;
    this.id = notes?.id ?? hashOfKey(this.#key);
  }

  verifies(data: Buffer, signature: Buffer): boolean {
    const key = { key: this.#key, dsaEncoding: 'ieee-p1363' } as const;
    return verify(this.#digest, data, key, signature);
  }

  /** As it stands in a JSON Web Key Set. */
  get publicJwk(): JsonObject {
    const { kty, n, e, crv, x, y } = this.#key.export({ format: 'jwk' });
    const own = kty === 'RSA' ? { n, e } : { crv, x, y };
    return { use: 'sig', kty, kid: this.id, alg: this.algorithm, ...own };
  }
}

function hashOfKey(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('base64url');
}

const PROBE = Buffer.from('probe');

/** Makes signatures. */
export class SigningKey {
  readonly verification: VerificationKey;
  readonly #digest: string;
  readonly #key: KeyObject;

  /**
   * @throws Error when the key is no private one, or not of a kind that is known, or of two halves
   *   that are none of one key: a file may say both, and no client could check what is signed with it.
   */
  constructor(key: KeyObject) {
    if (key.type !== 'private') throw new Error('a public key signs nothing');
    this.#key = key;
    this.#digest = algorithmOf(key).digest;
    this.verification = new VerificationKey(key);
    if (!this.verification.verifies(PROBE, this.sign(PROBE))) {
      throw new Error('the public half of the key is of another one');
    }
  }

  /** Of a token that is signed with it. */
  get header(): JsonObject {
    return { alg: this.verification.algorithm, kid: this.verification.id };
  }

  sign(data: Buffer): Buffer {
    return sign(this.#digest, data, { key: this.#key, dsaEncoding: 'ieee-p1363' });
  }
}

function algorithmOf(key: KeyObject): Algorithm {
  if (key.asymmetricKeyType === 'rsa') return RSA;
  const curve = key.asymmetricKeyDetails?.namedCurve ?? '';
  const algorithm = key.asymmetricKeyType === 'ec' ? BY_CURVE.get(curve) : undefined;
  if (algorithm !== undefined) return algorithm;
  throw new Error('unknown key, must be RSA or ECDSA on the curve 256, 384, or 521');
}

const BEGIN = '-----BEGIN ';
const BLOCK = /^([A-Z0-9 ]+)-----[^-]*-----END ([A-Z0-9 ]+)-----/;

/** All keys of a file, private ones as their public halves; none where there is nothing usable. */
export function verificationKeysIn(pem: string): readonly VerificationKey[] {
  return blocksOf(pem).flatMap((block) => made(() => new VerificationKey(createPublicKey(block))));
}

/** The first private key of a file. */
export function signingKeyIn(pem: string): SigningKey | undefined {
  return blocksOf(pem).flatMap((block) => made(() => new SigningKey(createPrivateKey(block))))[0];
}

function blocksOf(pem: string): readonly string[] {
  const parts = pem.split(BEGIN).slice(1);
  return parts.flatMap((part) => {
    const [block = '', begun, ended] = BLOCK.exec(part) ?? [];
    return begun !== undefined && begun === ended ? [BEGIN + block] : [];
  });
}

/** Files hold other things too, as the parameters of a curve. */
function made<Key>(make: () => Key): readonly Key[] {
  try {
    return [make()];
  } catch {
    return []; // OpenSSL says only by failing that a block is no key.
  }
}
