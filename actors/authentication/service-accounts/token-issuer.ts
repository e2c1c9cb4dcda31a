/**
 * Signs the tokens of service accounts.
 *
 * In Kubernetes: jwtTokenGenerator and Claims, pkg/serviceaccount.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import type { Random } from '../../../api/meta/clock.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { formatCompactToken } from '../jwt/compact-token.ts';
import type { KeyRing } from '../jwt/key-ring.ts';
import { serviceAccountUsername } from '../service-account-names.ts';
import type { ObjectClaim } from './token-claims.ts';

export interface TokenWish {
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly audiences: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly lifetimeSeconds: number;
  readonly pod?: ObjectClaim | undefined;
  readonly secret?: ObjectClaim | undefined;
  readonly node?: ObjectClaim | undefined;
  /** After which use of the token is noted; undefined: never. */
  readonly warnAfterSeconds?: number | undefined;
}

/** A signed token; it is stored nowhere. */
export interface IssuedToken {
  /** The three parts in base64url, with dots between them. */
  readonly token: string;
  /** Its `jti`: what audits know it by. */
  readonly id: string;
}

/** What `--service-account-…` flags say of the tokens that are made. */
export interface TokenIssuerOptions {
  /** The claim `iss`: the first --service-account-issuer. */
  readonly issuer: string;
  /** Those that a token is for whose request names none. */
  readonly audiences: readonly string[];
  /** 0: as long as is asked for. */
  readonly lifetimeSecondsMax: number;
  /** Whether tokens that pods get live on for a year, so that old clients do not fail. */
  readonly extendsLifetime: boolean;
  /** How long these live; a year, unless said. */
  readonly extendedSeconds?: number;
}

export class TokenIssuer {
  readonly options: TokenIssuerOptions;
  readonly #keys: KeyRing;
  readonly #random: Random;

  constructor(options: TokenIssuerOptions, keys: KeyRing, random: Random) {
    this.options = options;
    this.#keys = keys;
    this.#random = random;
  }

  /**
   * undefined: there is no key to sign with. At once, unless an external signer signs.
   *
   * @throws Error (rejects) when he does not, with a message that may be shown.
   */
  issue(wish: TokenWish): MaybePromise<IssuedToken | undefined> {
    const id = this.#random.uuid();
    const claims = this.#claimsOf(wish, id);
    const { signer } = this.#keys;
    const token = signer === undefined ? this.sign(claims) : signer.sign(claims);
    return andThen(token, (made) => (made === undefined ? undefined : { token: made, id }));
  }

  /** Any claims; undefined: there is no key here to sign with. */
  sign(claims: JsonObject): string | undefined {
    const key = this.#keys.signing;
    if (key === undefined) return undefined;
    return formatCompactToken(key.header, claims, (data) => key.sign(data));
  }

  #claimsOf(wish: TokenWish, id: string): JsonObject {
    const now = Math.floor(wish.now / 1_000);
    return {
      aud: [...wish.audiences],
      exp: now + wish.lifetimeSeconds,
      iat: now,
      iss: this.options.issuer,
      jti: id,
      'kubernetes.io': privateClaims(wish, now),
      nbf: now,
      sub: serviceAccountUsername({ namespace: wish.namespace, name: wish.account.name }),
    };
  }
}

function privateClaims(wish: TokenWish, now: number): JsonObject {
  const { namespace, account, pod, secret, node, warnAfterSeconds } = wish;
  return {
    namespace,
    ...(node === undefined ? {} : { node: claim(node) }),
    ...(pod === undefined ? {} : { pod: claim(pod) }),
    ...(secret === undefined ? {} : { secret: claim(secret) }),
    serviceaccount: claim(account),
    ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
  };
}

function claim({ name, uid }: ObjectClaim): JsonObject {
  return { name, ...(uid === '' ? {} : { uid }) };
}
