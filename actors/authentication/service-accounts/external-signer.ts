/**
 * Tokens of service accounts that a process of its own signs, and the keys with which they are
 * checked. The keys are asked for again when the signer said they should be, and when a token names
 * one that is not known here. While the signer is away the last keys count.
 *
 * In Kubernetes: Plugin and keyCache, pkg/serviceaccount/externaljwt/plugin; ExternalJWTSigner,
 * externaljwt/apis/v1.
 */
import { createPublicKey } from 'node:crypto';

import type { Clock } from '../../../api/meta/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import type { Logger } from '../../request/logger.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { KeyRing } from '../jwt/key-ring.ts';
import { VerificationKey } from '../jwt/signature-key.ts';
import { formatJson, parseJson } from '../../../api/json/json-text.ts';

/** Both parts as they stand in the token, in base64url. */
export interface SignedHeader {
  /** Of the signer's making, with its algorithm and the id of its key. */
  readonly header: string;
  /** Over the header and the claims. */
  readonly signature: string;
}

interface FetchedKey {
  readonly id: string;
  /** PKIX, DER. */
  readonly key: Buffer;
  /** Signs nothing new, and is not shown to others. */
  readonly isExcluded: boolean;
}

/** All keys of the signer; they replace those that were known. */
export interface FetchedKeys {
  /** Each with the id that tokens name it by. */
  readonly keys: readonly FetchedKey[];
  /** When the signer learnt of them, in seconds since 1970; undefined: it does not say. */
  readonly timestampSeconds: number | undefined;
  /** After so long they are asked for again. */
  readonly refreshSeconds: number;
}

/** All reject where the signer cannot be asked, or refuses: with a message that may be shown. */
export interface SignerService {
  /** @param claims as they stand in the token, in base64url. */
  sign(claims: string): Promise<SignedHeader>;
  /** Asks for the public keys. */
  fetchKeys(): Promise<FetchedKeys>;
  /** The longest that its tokens live. */
  maxTokenSeconds(): Promise<number>;
  /** Ends the connection. Safe to call twice. */
  close(): void;
}

/** Must not throw. */
export interface SignerMeters {
  /** @param error undefined: it went well. */
  fetched(error: unknown): void;
  /** @param seconds since 1970. */
  keysAreOf(seconds: number): void;
  /** @param error undefined: it went well. */
  signed(error: unknown): void;
}

interface ExternalSignerParts {
  readonly service: SignerService;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly meters: SignerMeters;
  readonly logger: Logger;
}

/** After keys could not be had. */
const RETRY_MS = 10_000;
const KEY_ID_CHARACTERS_MAX = 1_024;
const HEADER_FIELDS: readonly string[] = ['alg', 'kid', 'typ'];
const ALGORITHMS: readonly string[] = ['RS256', 'ES256', 'ES384', 'ES512'];

export class ExternalSigner {
  readonly #parts: ExternalSignerParts;
  #refreshAt = 0;
  #fetching: Promise<void> | undefined;
  #isClosed = false;
  #cancelTimer: () => void = () => undefined;

  constructor(parts: ExternalSignerParts) {
    this.#parts = parts;
  }

  /** Fills the ring of keys, and keeps it filled. @throws Error when the keys cannot be had. */
  async begin(): Promise<void> {
    await this.refresh();
    this.#schedule(this.#refreshAt - this.#parts.clock.now());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#parts.service.close();
  }

  /** For how long the keys may be remembered by others. */
  get cacheSeconds(): number {
    const ms = this.#refreshAt - this.#parts.clock.now();
    return Math.max(0, Math.floor(ms / 1_000));
  }

  /** Asks for the keys, once for all that want it meanwhile. @throws Error */
  refresh(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  /** @throws Error when it is not signed, or not in a way that is known. */
  async sign(claims: JsonObject): Promise<string> {
    const { meters, service } = this.#parts;
    const payload = Buffer.from(formatJson(claims)).toString('base64url');
    try {
      const { header, signature } = await service.sign(payload).catch((cause: unknown) => {
        throw new Error(`while signing jwt: ${messageOf(cause)}`, { cause });
      });
      const problem = await this.#headerProblem(header);
      if (problem !== undefined) throw new Error(`while validating header: ${problem}`);
      if (signature === '') throw new Error('empty signature returned');
      meters.signed(undefined);
      return `${header}.${payload}.${signature}`;
    } catch (error) {
      meters.signed(error);
      throw error;
    }
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#parts.clock.after(Math.max(0, delayMs), () => {
      this.refresh().then(
        () => {
          this.#schedule(this.#refreshAt - this.#parts.clock.now());
        },
        (error: unknown) => {
          this.#parts.logger.error(
            { err: error },
            'the keys of the signer of tokens are the old ones',
          );
          this.#schedule(RETRY_MS);
        },
      );
    });
  }

  async #fetch(): Promise<void> {
    const { service, keys, clock, meters } = this.#parts;
    try {
      const fetched = await service.fetchKeys().catch((cause: unknown) => {
        const what = 'while getting externally supported jwt signing keys';
        throw new Error(`${what}: ${messageOf(cause)}`, { cause });
      });
      const { verification, timestampSeconds } = checked(fetched);
      keys.fill(undefined, verification);
      this.#refreshAt = clock.now() + fetched.refreshSeconds * 1_000;
      meters.fetched(undefined);
      meters.keysAreOf(timestampSeconds);
    } catch (error) {
      meters.fetched(error);
      throw new Error(`while fetching token verification keys: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** In Kubernetes: validateJWTHeader. */
  async #headerProblem(encoded: string): Promise<string | undefined> {
    const header = headerIn(encoded);
    if (typeof header === 'string') return header;
    const { typ: type, kid: id, alg: algorithm } = header;
    if (type !== 'JWT') return 'bad type';
    if (typeof id !== 'string' || id === '') return 'key id missing';
    if (id.length > KEY_ID_CHARACTERS_MAX) return 'key id longer than 1 kb';
    if (typeof algorithm !== 'string' || !ALGORITHMS.includes(algorithm)) {
      const name = typeof algorithm === 'string' ? algorithm : '';
      return `bad signing algorithm ${goQuote(name)}`;
    }
    const found = await this.#parts.keys.find(id);
    if (!found.some((key) => key.isExcluded)) return undefined;
    return `key used for signing JWT (kid: ${id}) is excluded from OIDC discovery docs`;
  }
}

function headerIn(encoded: string): JsonObject | string {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded)) return 'while unwrapping header: illegal base64 data';
  let header: JsonValue;
  try {
    header = parseJson(Buffer.from(encoded, 'base64url').toString());
  } catch (error) {
    return `while parsing header JSON: ${messageOf(error)}`;
  }
  if (!isJsonObject(header)) return 'while parsing header JSON: not an object';
  const unknown = Object.keys(header).find((field) => !HEADER_FIELDS.includes(field));
  if (unknown === undefined) return header;
  return `while parsing header JSON: json: unknown field ${goQuote(unknown)}`;
}

/** In Kubernetes: getTokenVerificationKeys. @throws Error */
function checked({ keys, refreshSeconds, timestampSeconds }: FetchedKeys) {
  if (refreshSeconds <= 0) {
    throw new Error(`found invalid refresh hint (${String(refreshSeconds)}s)`);
  }
  if (keys.length === 0) throw new Error('found no keys');
  if (timestampSeconds === undefined) {
    throw new Error('invalid data timestamp: proto: invalid nil Timestamp');
  }
  return { verification: keys.map(verificationKey), timestampSeconds };
}

function verificationKey({ id, key, isExcluded }: FetchedKey): VerificationKey {
  if (id === '' || Buffer.byteLength(id) > KEY_ID_CHARACTERS_MAX) {
    throw new Error(`found invalid public key id ${goQuote(id)}`);
  }
  if (key.length === 0) throw new Error('found empty public key');
  try {
    const read = createPublicKey({ key, format: 'der', type: 'spki' });
    return new VerificationKey(read, { id, isExcluded });
  } catch (cause) {
    throw new Error(`while parsing external public keys: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
