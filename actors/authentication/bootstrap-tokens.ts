/**
 * Knows nodes that join the cluster by tokens that lie in secrets of kube-system:
 * `bootstrap-token-<id>`, of type `bootstrap.kubernetes.io/token`. A token is `<id>.<secret>`.
 *
 * In Kubernetes: plugin/pkg/auth/authenticator/token/bootstrap.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../api/meta/clock.ts';
import type { Secret } from '../../api/generated/kinds/core-v1.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { UserInfo } from '../request/request.ts';
import {
  identified,
  UNKNOWN,
  type Authentication,
  type TokenAuthenticator,
} from './authenticator.ts';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const TYPE = 'bootstrap.kubernetes.io/token';
const DEFAULT_GROUP = 'system:bootstrappers';
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export interface BootstrapTokensParts {
  readonly objects: Pick<ObjectView, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What a secret says; undefined: it lets no node in. */
interface Bootstrap {
  readonly secretHash: Buffer;
  /** Milliseconds since 1970. */
  readonly expiry: number;
  readonly user: UserInfo;
}

export class BootstrapTokens implements TokenAuthenticator {
  readonly #parts: BootstrapTokensParts;
  /** A secret is read once, as long as it stays what it is. */
  readonly #read = new WeakMap<StoredObject, { readonly bootstrap: Bootstrap | undefined }>();

  constructor(parts: BootstrapTokensParts) {
    this.#parts = parts;
  }

  authenticateToken(token: string): Authentication {
    const [, id = '', secret = ''] = TOKEN.exec(token) ?? [];
    if (id === '') return UNKNOWN;
    const { objects, clock } = this.#parts;
    const stored = objects.get('core/secrets', `kube-system/bootstrap-token-${id}`);
    const bootstrap = stored === undefined ? undefined : this.#bootstrapIn(stored, id);
    if (bootstrap === undefined || bootstrap.expiry <= clock.now()) return UNKNOWN;
    if (!timingSafeEqual(bootstrap.secretHash, hashOf(secret))) return UNKNOWN;
    return identified(bootstrap.user);
  }

  #bootstrapIn(stored: StoredObject, id: string): Bootstrap | undefined {
    let read = this.#read.get(stored);
    if (read === undefined) {
      read = { bootstrap: bootstrapOf(parsedObject(stored), id) };
      this.#read.set(stored, read);
    }
    return read.bootstrap;
  }
}

function bootstrapOf({ type, metadata, data = {} }: Secret, id: string): Bootstrap | undefined {
  if (type !== TYPE || metadata.deletionTimestamp !== undefined) return undefined;
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  const groups = groupsIn(text('auth-extra-groups'));
  const expiry = expiryIn(text('expiration'));
  if (text('token-id') !== id || text('usage-bootstrap-authentication') !== 'true')
    return undefined;
  if (groups === undefined || Number.isNaN(expiry)) return undefined;
  return {
    secretHash: hashOf(text('token-secret')),
    expiry,
    user: { name: `system:bootstrap:${id}`, uid: '', groups, extra: {} },
  };
}

/** In order, none twice; undefined: one of them is not for such users. */
function groupsIn(text: string): readonly string[] | undefined {
  const more = text === '' ? [] : text.split(',');
  if (!more.every((group) => GROUP.test(group))) return undefined;
  return [...new Set([DEFAULT_GROUP, ...more])].sort();
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** NaN: it cannot be read, which counts as run out. */
function expiryIn(text: string): number {
  if (text === '') return Number.POSITIVE_INFINITY;
  return RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
}

/** Of one length, whatever was sent, so that they can be compared without telling anything. */
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
