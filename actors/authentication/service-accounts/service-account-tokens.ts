/**
 * Knows service accounts by the tokens that this control plane signed for them.
 *
 * A signature is checked once for each token, and remembered by the token's hash. What a token is
 * bound to is looked up on every request: it costs nothing, and so a token ends with its pod.
 *
 * In Kubernetes: jwtTokenAuthenticator and its validator, pkg/serviceaccount.
 */
import { createHash } from 'node:crypto';
import { BoundedMap } from '../../../api/meta/bounded-map.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { stringAt } from '../../../api/json/json.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { UserInfo } from '../../request/request.ts';
import {
  refused,
  UNKNOWN,
  type Audiences,
  type Authentication,
  type TokenAuthenticator,
} from '../authenticator.ts';
import type { TokenCacheMeters } from '../authentication-meters.ts';
import { type CompactToken, parseCompactToken } from '../jwt/compact-token.ts';
import type { KeyRing } from '../jwt/key-ring.ts';
import type { VerificationKey } from '../jwt/signature-key.ts';
import type { Boundable, BoundObjects } from './bound-objects.ts';
import { userOfClaims } from './service-account-user.ts';
import type { TokenCounts } from './token-counts.ts';
import {
  LEEWAY_SECONDS,
  readClaims,
  timeProblem,
  type ObjectClaim,
  type TokenClaims,
} from './token-claims.ts';

export interface ServiceAccountTokensParts {
  readonly keys: KeyRing;
  readonly issuers: readonly string[];
  /** Of this server. */
  readonly audiences: readonly string[];
  readonly bound: BoundObjects;
  readonly clock: Pick<Clock, 'now'>;
  readonly counts: TokenCounts;
  readonly meters?: Pick<TokenCacheMeters, 'hit' | 'missed' | 'fetching'> | undefined;
}

/** A token whose signature is good. */
interface Verified {
  readonly claims: TokenClaims;
  /** The same object each time, so that others may remember what they know of the user. */
  readonly user: UserInfo;
}

const REMEMBERED_MAX = 10_000;
const GONE = 'service account token has been invalidated';

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #parts: ServiceAccountTokensParts;
  readonly #issuers: ReadonlySet<string>;
  #verified = new BoundedMap<string, Verified>(REMEMBERED_MAX);
  /** Of the keys with which all of these were checked. */
  #keysVersion = 0;

  constructor(parts: ServiceAccountTokensParts) {
    this.#parts = parts;
    this.#issuers = new Set(parts.issuers);
  }

  authenticateToken(token: string, audiences: Audiences): MaybePromise<Authentication> {
    this.#forgetOldKeys();
    const hash = createHash('sha256').update(token).digest('base64');
    const verified = this.#verified.get(hash);
    if (verified !== undefined) {
      this.#parts.meters?.hit();
      return this.#judge(verified, audiences);
    }
    const read = parseCompactToken(token);
    if (read === undefined || !this.#issuers.has(stringAt(read.payload, 'iss'))) return UNKNOWN;
    return andThen(this.#check(read), (checked) => {
      this.#count(typeof checked !== 'string');
      if (typeof checked === 'string') return refused(checked);
      this.#verified.set(hash, checked);
      return this.#judge(checked, audiences);
    });
  }

  #forgetOldKeys(): void {
    const { version } = this.#parts.keys;
    if (version === this.#keysVersion) return;
    this.#keysVersion = version;
    this.#verified = new BoundedMap(REMEMBERED_MAX);
  }

  /** A signature was checked, which takes less than the shortest time that is told apart. */
  #count(isGood: boolean): void {
    const { meters } = this.#parts;
    meters?.fetching()(isGood);
    meters?.missed(0);
  }

  #check(token: CompactToken): MaybePromise<Verified | string> {
    return andThen(signatureProblem(token, this.#parts.keys), (problem) => {
      if (problem !== undefined) return problem;
      const claims = readClaims(token.payload);
      if (claims === undefined) return 'service account token claims could not be read';
      return { claims, user: userOfClaims(claims) };
    });
  }

  #judge({ claims, user }: Verified, asked: Audiences): Authentication {
    const own = this.#parts.audiences;
    const meant = claims.audiences.length === 0 ? own : claims.audiences;
    const wanted = asked ?? own;
    const audiences = meant.filter((one) => wanted.includes(one));
    if (audiences.length === 0 && own.length > 0) {
      return refused(
        `token audiences ${quoted(meant)} is invalid for the target audiences ${quoted(wanted)}`,
      );
    }
    const now = this.#parts.clock.now();
    const problem = timeProblem(claims, now) ?? this.#bindingProblem(claims, now);
    if (problem !== undefined) return refused(problem);
    if (claims.warnAfter === undefined) return { verdict: 'identified', user, audiences };
    const stale = staleness(claims.subject, claims.warnAfter, now);
    if (stale === undefined) this.#parts.counts.valid += 1;
    else this.#parts.counts.stale += 1;
    return { verdict: 'identified', user, audiences, ...stale };
  }

  #bindingProblem(claims: TokenClaims, now: number): string | undefined {
    const { namespace, account, secret, pod, node } = claims;
    const found = this.#parts.bound.find('core/serviceaccounts', namespace, account.name);
    if (found === undefined) return `serviceaccounts ${goQuote(account.name)} not found`;
    if (found.uid !== account.uid) {
      return `service account UID (${found.uid}) does not match claim (${account.uid})`;
    }
    if (isGone(found.deletedAt, now)) {
      return `service account ${namespace}/${account.name} has been deleted`;
    }
    return (
      this.#objectProblem('core/secrets', namespace, secret, now) ??
      this.#objectProblem('core/pods', namespace, pod, now) ??
      // With a pod, the node only says where the pod runs.
      (pod === undefined ? this.#objectProblem('core/nodes', '', node, now) : undefined)
    );
  }

  #objectProblem(
    resource: Boundable,
    namespace: string,
    claim: ObjectClaim | undefined,
    now: number,
  ): string | undefined {
    if (claim === undefined) return undefined;
    const found = this.#parts.bound.find(resource, namespace, claim.name);
    if (found === undefined) return GONE;
    if (found.uid !== claim.uid) {
      const { title, word } = WORDS[resource];
      return `${title} UID (${found.uid}) does not match service account ${word} ref claim (${claim.uid})`;
    }
    return isGone(found.deletedAt, now) ? GONE : undefined;
  }
}

const WORDS: Readonly<Record<Boundable, { readonly title: string; readonly word: string }>> = {
  'core/serviceaccounts': { title: 'service account', word: 'account' },
  'core/secrets': { title: 'secret', word: 'secret' },
  'core/pods': { title: 'pod', word: 'pod' },
  'core/nodes': { title: 'node', word: 'node' },
};

/** Why it was not signed here; at once, unless an external signer has to be asked for its key. */
export function signatureProblem(
  token: CompactToken,
  keys: KeyRing,
): MaybePromise<string | undefined> {
  return andThen(keys.find(stringAt(token.header, 'kid')), (found) => problemWith(token, found));
}

function problemWith(
  { header, signed, signature }: CompactToken,
  candidates: readonly VerificationKey[],
): string | undefined {
  if (candidates.length === 0) return 'invalid signature, no keys found';
  const algorithm = stringAt(header, 'alg');
  const isGood = candidates.some((key) => {
    return key.algorithm === algorithm && key.verifies(signed, signature);
  });
  return isGood ? undefined : 'invalid signature';
}

function isGone(deletedAt: number | undefined, now: number): boolean {
  return deletedAt !== undefined && deletedAt < now - LEEWAY_SECONDS * 1_000;
}

/** A token that lives on only so that old clients do not fail at once. */
function staleness(subject: string, warnAfter: number, now: number) {
  if (now <= warnAfter * 1_000) return undefined;
  const seconds = Math.floor(now / 1_000) - Math.floor(warnAfter);
  const text = `subject: ${subject}, seconds after warning threshold: ${String(seconds)}`;
  return { annotations: { 'authentication.k8s.io/stale-token': text } };
}

/** As Go's `%q` writes a list. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => goQuote(text)).join(' ')}]`;
}
