/**
 * What owns what: for every owner's uid, the objects that name it in their owner references.
 * Only objects that have owners are here, as names; what they look like is asked of the views.
 */
import { items } from '../../../api/json/go-values.ts';
import type {
  ObjectMeta,
  OwnerReference as WrittenReference,
} from '../../../api/meta/object-meta.ts';

/** One of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion: boolean;
}

/** What of an object matters to its owners. */
export interface Owned {
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
  /** Of {@link ownersText}: equal as long as the owners are. */
  readonly text: string;
}

const NO_DEPENDENTS: ReadonlySet<string> = new Set();

export class Ownership {
  readonly #owned = new Map<string, Owned>();
  readonly #dependents = new Map<string, Set<string>>();

  /** @param key of the object, `apps/replicasets\0shop/web-1`. */
  set(key: string, owned: Owned): void {
    this.delete(key);
    if (owned.owners.length === 0) return;
    this.#owned.set(key, owned);
    for (const { uid } of owned.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents === undefined) this.#dependents.set(uid, new Set([key]));
      else dependents.add(key);
    }
  }

  /** What was known of the object, if it had owners. */
  delete(key: string): Owned | undefined {
    const owned = this.#owned.get(key);
    if (owned === undefined) return undefined;
    this.#owned.delete(key);
    for (const { uid } of owned.owners) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(key);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
    return owned;
  }

  of(key: string): Owned | undefined {
    return this.#owned.get(key);
  }

  /** The keys of those that name this uid as an owner. */
  dependentsOf(uid: string): ReadonlySet<string> {
    return this.#dependents.get(uid) ?? NO_DEPENDENTS;
  }
}

/** @param text what {@link ownersText} says of the same object. */
export function ownedOf({ uid = '', ownerReferences }: ObjectMeta, text: string): Owned {
  return { uid, owners: items(ownerReferences).map(referenceOf), text };
}

const OWNERS = Buffer.from('"ownerReferences":[');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;

/**
 * The first list of owner references in an object's JSON, as it stands there; '' when there is
 * none. Most changes of an object leave its owners alone, and that is seen without parsing it.
 * The metadata stands in front of whatever else may have owners, as a template.
 */
export function ownersText(json: Buffer): string {
  const start = json.indexOf(OWNERS);
  if (start < 0) return '';
  let isInText = false;
  for (let at = start + OWNERS.length; at < json.length; at += 1) {
    const byte = json[at];
    if (isInText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInText = !isInText;
    else if (byte === CLOSE && !isInText) return json.toString('utf8', start, at);
  }
  return '';
}

const UID = Buffer.from('"uid":"');

/**
 * The uid in an object's JSON; undefined where only a parser can tell. It is the first that
 * stands there: metadata has it in front of the owners, and what stands before metadata has none.
 */
export function uidText(json: Buffer): string | undefined {
  const start = json.indexOf(UID);
  if (start < 0) return undefined;
  const from = start + UID.length;
  const text = json.toString('utf8', from, json.indexOf(QUOTE, from));
  return text.includes('\\') ? undefined : text;
}

function referenceOf(reference: WrittenReference): OwnerReference {
  const { apiVersion, kind, name, uid, blockOwnerDeletion = false } = reference;
  return { apiVersion, kind, name, uid, blockOwnerDeletion };
}
