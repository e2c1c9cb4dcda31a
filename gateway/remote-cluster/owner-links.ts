/**
 * Which object of another cluster stands for an owner: references name owners by uid, and an object that
 * is made again has another one. A reference to an owner that is still to come is left out, and put in when
 * the owner is there; where an owner is made anew, the references to it are put right.
 *
 * The surprise: a reference with the old uid must never be written. The garbage collector of the cluster
 * would find no such owner and remove the object.
 */
import { isJsonObject, type JsonObject, listAt, objectAt, stringAt } from '../../api/json/json.ts';
import { parseJson } from '../../api/json/json-text.ts';
import type { LoggedEvent } from '../../streams/event.ts';

/** Uids of owners there, and which objects name them. */
export class OwnerLinks {
  /** By the uid that the log has. */
  readonly #there = new Map<string, string>();
  /** By the uid of the owner, the latest change of each object that names it. */
  readonly #dependents = new Map<string, Map<string, LoggedEvent>>();
  /** The uids of its owners by object. */
  readonly #owners = new Map<string, readonly string[]>();

  /** The references of an object of the log as the cluster is to have them; without those to what is not there. */
  referencesOf(object: JsonObject): JsonObject[] {
    return referencesIn(object).flatMap((reference) => {
      const uid = this.#there.get(stringAt(reference, 'uid'));
      return uid === undefined ? [] : [{ ...reference, uid }];
    });
  }

  /** An object is written, or to be deleted: its references from now on. */
  note(event: LoggedEvent, object: JsonObject): void {
    const key = `${event.resource} ${event.path}`;
    for (const uid of this.#owners.get(key) ?? []) this.#forget(uid, key);
    this.#owners.delete(key);
    if (event.type === 'deleted') {
      this.#there.delete(uidOf(object));
      return;
    }
    const uids = referencesIn(object).map((reference) => stringAt(reference, 'uid'));
    if (uids.length === 0) return;
    this.#owners.set(key, uids);
    for (const uid of uids) {
      const others = this.#dependents.get(uid);
      if (others === undefined) this.#dependents.set(uid, new Map([[key, event]]));
      else others.set(key, event);
    }
  }

  /**
   * An object of the log is there.
   *
   * @param written as the cluster has it.
   * @returns changes to be written again, as they name it by another uid, or not at all.
   */
  madeBy(object: JsonObject, written: JsonObject): readonly LoggedEvent[] {
    const [uid, there] = [uidOf(object), uidOf(written)];
    if (uid === '' || there === '' || this.#there.get(uid) === there) return [];
    this.#there.set(uid, there);
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** `core/configmaps default/a names apps/v1 ReplicaSet web`, of each reference that was left out. */
  *left(): Generator<string> {
    for (const [uid, dependents] of this.#dependents) {
      if (this.#there.has(uid)) continue;
      for (const [key, event] of dependents) yield `${key} is owned by ${ownerIn(event, uid)}`;
    }
  }

  #forget(uid: string, key: string): void {
    const dependents = this.#dependents.get(uid);
    dependents?.delete(key);
    if (dependents?.size === 0) this.#dependents.delete(uid);
  }
}

function referencesIn(object: JsonObject): JsonObject[] {
  return listAt(objectAt(object, 'metadata'), 'ownerReferences').filter(isJsonObject);
}

function uidOf(object: JsonObject): string {
  return stringAt(objectAt(object, 'metadata'), 'uid');
}

function ownerIn({ json }: LoggedEvent, uid: string): string {
  const object = parseJson(Buffer.from(json).toString()) as JsonObject; // The log has objects.
  const owner = referencesIn(object).find((one) => stringAt(one, 'uid') === uid);
  return `${stringAt(owner, 'kind')} ${stringAt(owner, 'name')}`;
}
