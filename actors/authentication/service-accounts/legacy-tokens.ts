/**
 * Knows service accounts by tokens that lie in secrets of type kubernetes.io/service-account-token.
 * They never run out: such a token is good as long as its secret is there and has it.
 *
 * Its signature is checked once and remembered by the token's hash; the secret and the account are
 * looked up for each request, and read once as long as they stay what they are. The day of the latest
 * use becomes a label of the secret, written once a day behind the back of the request, which does not
 * wait for it: by it operators learn which of these tokens are not needed any more.
 *
 * In Kubernetes: legacyValidator and patchSecretWithLastUsedDate, kubernetes/pkg/serviceaccount.
 */
import { createHash } from 'node:crypto';

import { BoundedMap } from '../../../api/meta/bounded-map.ts';
import { type JsonObject, stringAt } from '../../../api/json/json.ts';
import type { Secret, ServiceAccount } from '../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import type { KubeObject, ObjectMeta, ObjectOf } from '../../../api/meta/object-meta.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { UserInfo } from '../../request/request.ts';
import {
  type Audiences,
  type Authentication,
  refused,
  type TokenAuthenticator,
  UNKNOWN,
} from '../authenticator.ts';
import { parseCompactToken } from '../jwt/compact-token.ts';
import type { KeyRing } from '../jwt/key-ring.ts';
import { serviceAccountGroups, serviceAccountUsername } from '../service-account-names.ts';
import { signatureProblem } from './service-account-tokens.ts';
import type { TokenCounts } from './token-counts.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import type { Faults } from '../../request/faults.ts';
import type { Loopback } from '../../loopback/loopback.ts';

const LEGACY_ISSUER = 'kubernetes/serviceaccount';
export const INVALID_SINCE_LABEL = 'kubernetes.io/legacy-token-invalid-since';

/** How the claims of such a token begin. */
const OURS = 'kubernetes.io/serviceaccount/';
const REMEMBERED_MAX = 10_000;
const GONE = refused('Token has been invalidated');
const AUTOMATIC =
  'Use tokens from the TokenRequest API or manually created secret-based tokens ' +
  'instead of auto-generated secret-based tokens.';

interface LegacyTokensParts {
  readonly keys: KeyRing;
  /** Of this server. */
  readonly audiences: readonly string[];
  readonly objects: Pick<ObjectView, 'get'>;
  readonly uses: Pick<LegacyTokenUses, 'note'>;
  readonly counts: TokenCounts;
  /** Whether the secret and the account have to be there. */
  readonly looksUp: boolean;
}

interface Claims {
  readonly namespace: string;
  readonly account: string;
  readonly accountUid: string;
  readonly secret: string;
}

interface Verified {
  readonly claims: Claims;
  readonly user: UserInfo;
  readonly tokenHash: string;
}

/** What of a secret counts. */
interface TokenSecret {
  readonly uid: string;
  readonly isDeleted: boolean;
  readonly tokenHash: string;
  readonly lastUsed: string;
  readonly invalidSince: string;
}

interface Account {
  readonly uid: string;
  readonly isDeleted: boolean;
  /** Names of those that were made for it without being asked for. */
  readonly secrets: ReadonlySet<string>;
}

export class LegacyTokens implements TokenAuthenticator {
  readonly #parts: LegacyTokensParts;
  #verified = new BoundedMap<string, Verified>(REMEMBERED_MAX);
  /** Of the keys with which all of these were checked. */
  #keysVersion = 0;
  readonly #secrets = new WeakMap<StoredObject, TokenSecret>();
  readonly #accounts = new WeakMap<StoredObject, Account>();

  constructor(parts: LegacyTokensParts) {
    this.#parts = parts;
  }

  authenticateToken(token: string, asked?: Audiences): MaybePromise<Authentication> {
    this.#forgetOldKeys();
    const hash = hashOf(token);
    const verified = this.#verified.get(hash);
    if (verified !== undefined) return this.#judge(verified, asked);
    const read = parseCompactToken(token);
    if (read === undefined || stringAt(read.payload, 'iss') !== LEGACY_ISSUER) return UNKNOWN;
    return andThen(signatureProblem(read, this.#parts.keys), (problem) => {
      if (problem !== undefined) return refused(problem);
      const claims = claimsIn(read.payload);
      if (typeof claims === 'string') return refused(claims);
      const good = { claims, user: userOf(claims), tokenHash: hash };
      this.#verified.set(hash, good);
      return this.#judge(good, asked);
    });
  }

  #forgetOldKeys(): void {
    const { version } = this.#parts.keys;
    if (version === this.#keysVersion) return;
    this.#keysVersion = version;
    this.#verified = new BoundedMap(REMEMBERED_MAX);
  }

  #judge(verified: Verified, asked: Audiences): Authentication {
    const { audiences: own, counts, looksUp } = this.#parts;
    counts.legacy += 1;
    const { claims, user } = verified;
    const wanted = asked ?? own;
    const audiences = own.filter((one) => wanted.includes(one));
    if (audiences.length === 0 && own.length > 0) {
      const [given, target] = [own, wanted].map((all) => all.map((one) => goQuote(one)).join(' '));
      return refused(
        `token audiences [${given ?? ''}] is invalid for the target audiences [${target ?? ''}]`,
      );
    }
    const annotations = { 'authentication.k8s.io/legacy-token': user.name };
    if (!looksUp) return { verdict: 'identified', user, audiences, annotations };
    const { namespace, account, secret: name } = claims;
    const secret = this.#secretAt(pathOf(namespace, name));
    if (secret === undefined || secret.isDeleted) return GONE;
    if (secret.tokenHash !== verified.tokenHash) {
      return refused("Token does not match server's copy");
    }
    const found = this.#accountAt(pathOf(namespace, account));
    if (found === undefined) return refused(`serviceaccounts ${goQuote(account)} not found`);
    const problem = accountProblem(found, claims);
    if (problem !== undefined) return refused(problem);
    if (secret.invalidSince !== '') return this.#invalid(claims, secret);
    this.#note(claims, secret);
    return { verdict: 'identified', user, audiences, ...this.#kindOf(found, name, annotations) };
  }

  /** It was not used for so long that it was put out of use. */
  #invalid(claims: Claims, secret: TokenSecret): Authentication {
    const { namespace, account, secret: name } = claims;
    this.#parts.counts.legacyInvalid += 1;
    this.#note(claims, secret);
    return {
      verdict: 'refused',
      reason:
        `the token in secret ${namespace}/${name} for service account ${namespace}/${account} ` +
        'has been marked invalid. Use tokens from the TokenRequest API or manually created ' +
        `secret-based tokens, or remove the '${INVALID_SINCE_LABEL}' label from the secret ` +
        'to temporarily allow use of this token',
      annotations: { 'authentication.k8s.io/legacy-token-invalidated': `${name}/${namespace}` },
    };
  }

  #kindOf({ secrets }: Account, name: string, annotations: Readonly<Record<string, string>>) {
    const { counts } = this.#parts;
    if (secrets.has(name)) {
      counts.legacyAutomatic += 1;
      const key = 'authentication.k8s.io/legacy-token-autogenerated-secret';
      return { warning: AUTOMATIC, annotations: { ...annotations, [key]: name } };
    }
    counts.legacyManual += 1;
    const key = 'authentication.k8s.io/legacy-token-manual-secret';
    return { annotations: { ...annotations, [key]: name } };
  }

  #note({ namespace, secret: name }: Claims, { uid, lastUsed }: TokenSecret): void {
    this.#parts.uses.note({ namespace, name, uid, lastUsed });
  }

  #secretAt(path: string): TokenSecret | undefined {
    return readOnce(this.#parts.objects.get('core/secrets', path), this.#secrets, secretOf);
  }

  #accountAt(path: string): Account | undefined {
    return readOnce(
      this.#parts.objects.get('core/serviceaccounts', path),
      this.#accounts,
      accountOf,
    );
  }
}

function readOnce<Read>(
  stored: StoredObject | undefined,
  known: WeakMap<StoredObject, Read>,
  read: (object: KubeObject) => Read,
): Read | undefined {
  if (stored === undefined) return undefined;
  let found = known.get(stored);
  if (found === undefined) {
    found = read(parsedObject(stored));
    known.set(stored, found);
  }
  return found;
}

function secretOf(object: KubeObject): TokenSecret {
  const { metadata, data } = object as ObjectOf<Secret>; // Stored as one.
  const { labels = {}, uid = '' } = metadata;
  return {
    uid,
    isDeleted: isDeleted(metadata),
    tokenHash: hashOf(Buffer.from(data?.['token'] ?? '', 'base64')),
    lastUsed: labels[LAST_USED_LABEL] ?? '',
    invalidSince: labels[INVALID_SINCE_LABEL] ?? '',
  };
}

function accountOf(object: KubeObject): Account {
  const { metadata, secrets } = object as ObjectOf<ServiceAccount>; // Stored as one.
  const { uid = '' } = metadata;
  const names = items(secrets).map(({ name = '' }) => name);
  return { uid, isDeleted: isDeleted(metadata), secrets: new Set(names) };
}

function isDeleted({ deletionTimestamp = '' }: ObjectMeta): boolean {
  return deletionTimestamp !== '';
}

function accountProblem(found: Account, claims: Claims): string | undefined {
  const { namespace, account, accountUid } = claims;
  if (found.isDeleted) return `ServiceAccount ${namespace}/${account} has been deleted`;
  if (found.uid === accountUid) return undefined;
  return `ServiceAccount UID (${found.uid}) does not match claim (${accountUid})`;
}

function claimsIn(payload: JsonObject): Claims | string {
  const subject = stringAt(payload, 'sub');
  const claims: Claims = {
    namespace: stringAt(payload, `${OURS}namespace`),
    secret: stringAt(payload, `${OURS}secret.name`),
    account: stringAt(payload, `${OURS}service-account.name`),
    accountUid: stringAt(payload, `${OURS}service-account.uid`),
  };
  if (subject === '') return 'sub claim is missing';
  if (claims.namespace === '') return 'namespace claim is missing';
  if (claims.secret === '') return 'secretName claim is missing';
  if (claims.account === '') return 'serviceAccountName claim is missing';
  if (claims.accountUid === '') return 'serviceAccountUID claim is missing';
  return subject === userOf(claims).name ? claims : 'sub claim is invalid';
}

function userOf({ namespace, account, accountUid }: Claims): UserInfo {
  return {
    name: serviceAccountUsername({ namespace, name: account }),
    uid: accountUid,
    groups: serviceAccountGroups(namespace),
    extra: {},
  };
}

/** What stands in the token of a secret. */
export function legacyClaims({ namespace, account, accountUid, secret }: Claims): JsonObject {
  return {
    iss: LEGACY_ISSUER,
    [`${OURS}namespace`]: namespace,
    [`${OURS}secret.name`]: secret,
    [`${OURS}service-account.name`]: account,
    [`${OURS}service-account.uid`]: accountUid,
    sub: serviceAccountUsername({ namespace, name: account }),
  };
}

function hashOf(token: string | Buffer): string {
  return createHash('sha256').update(token).digest('base64');
}

export const LAST_USED_LABEL = 'kubernetes.io/legacy-token-last-used';

const DAY_MS = 86_400_000;

/** What could not be written is not tried again for so long. */
const RETRY_MS = 60_000;
const TRIED_MAX = 1_000;

export interface UsedSecret {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** What the label says; '': there is none. */
  readonly lastUsed: string;
}

/**
 * Writes the day of a token's latest use into its secret: at most one write in flight for each, and
 * one a day.
 */
export class LegacyTokenUses {
  readonly #clock: Pick<Clock, 'now'>;
  #writes: { readonly loopback: Loopback; readonly faults: Pick<Faults, 'record'> } | undefined;
  /** By uid: until when the secret is left alone. */
  readonly #tried = new BoundedMap<string, number>(TRIED_MAX);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** From now on uses are written down; where nothing may be written, it is never called. */
  begin(loopback: Loopback, faults: Pick<Faults, 'record'>): void {
    this.#writes = { loopback, faults };
  }

  note(secret: UsedSecret): void {
    const now = this.#clock.now();
    const today = dayOf(now);
    // Another server's clock may be before ours.
    if (secret.lastUsed === today || secret.lastUsed === dayOf(now + DAY_MS)) return;
    if ((this.#tried.get(secret.uid) ?? 0) > now) return;
    this.#tried.set(secret.uid, now + RETRY_MS);
    void this.#write(secret, today);
  }

  async #write({ namespace, name, uid }: UsedSecret, today: string): Promise<void> {
    if (this.#writes === undefined) return;
    const { loopback, faults } = this.#writes;
    const answer = await loopback({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
      body: { metadata: { uid, labels: { [LAST_USED_LABEL]: today } } },
    });
    if (answer.kind !== 'Status' || answer.status.code < 400) return;
    const what = `noting the use of the token in ${namespace}/${name}`;
    faults.record(what, new Error(answer.status.message ?? ''));
  }
}

/** `2026-11-22` */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
