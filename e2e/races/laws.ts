/**
 * What must hold whatever writes met each other, read from the log at the end of a race. Each law gives a
 * sentence for every record or answer that breaks it.
 */
import { isDeepStrictEqual } from 'node:util';

import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { type Deed, logKeyOf, type Outcome } from './deed.ts';
import { effectOf, type Fields, fieldsOf, ownersOf } from './effect.ts';
import type { Told } from './told-log.ts';

export interface Judgement {
  readonly violations: string[];
  /** How often each law was put to the test, so that a race that tests nothing is noticed. */
  readonly counts: Record<Counted, number>;
}

type Counted =
  | 'changes'
  | 'refused'
  | 'conflicts'
  | 'overQuota'
  | 'conditional'
  | 'charged'
  | 'inNamespaces'
  | 'endedNamespaces'
  | 'letGo'
  | 'applied'
  | 'dryRuns';

/** @param mine namespaces in which nothing but the race, and controllers, may have changed anything. */
export function judge(
  outcomes: readonly Outcome[],
  records: readonly Told[],
  mine: (namespace: string) => boolean,
): Judgement {
  const judging = new Judging(outcomes);
  for (const record of records) {
    const { namespace } = placeOf(record.key);
    if (mine(namespace === '' ? nameOf(record.key) : namespace)) judging.record(record);
  }
  judging.answers();
  return judging.judgement;
}

class Judging {
  readonly judgement: Judgement = {
    violations: [],
    counts: {
      changes: 0,
      refused: 0,
      conflicts: 0,
      overQuota: 0,
      conditional: 0,
      charged: 0,
      inNamespaces: 0,
      endedNamespaces: 0,
      letGo: 0,
      applied: 0,
      dryRuns: 0,
    },
  };
  readonly #outcomes: readonly Outcome[];
  readonly #deeds: ReadonlyMap<string, Deed>;
  readonly #live = new Map<string, Told>();
  readonly #byDeed = new Map<string, Told[]>();
  readonly #byPlace = new Map<string, Told>();
  readonly #quotas = new Map<string, Told[]>();

  constructor(outcomes: readonly Outcome[]) {
    this.#outcomes = outcomes;
    this.#deeds = new Map(outcomes.map(({ deed }) => [deed.id, deed]));
  }

  record(record: Told): void {
    const before = this.#live.get(record.key);
    const deed = this.#deeds.get(record.auditID);
    this.#underNamespace(record);
    this.#underQuota(record, before);
    this.#underFinalizers(record, before);
    if (deed !== undefined) this.#asAsked(record, before, deed);
    else if (!record.user.startsWith('system:')) this.#says(record, 'no client asked for it');
    listIn(this.#byDeed, record.auditID).push(record);
    if (record.key.startsWith('core/resourcequotas '))
      listIn(this.#quotas, record.key).push(record);
    this.#byPlace.set(`${record.key} ${String(record.version)}`, record);
    if (record.type === 'deleted') this.#live.delete(record.key);
    else this.#live.set(record.key, record);
  }

  /** Acknowledged is in the log, once and as it was told; refused is not. */
  answers(): void {
    for (const { deed, status, body } of this.#outcomes) {
      const changes = this.#byDeed.get(deed.id) ?? [];
      const told = JSON.stringify({ ...deed, base: undefined, status, body }).slice(0, 600);
      const fault = answerFault({ deed, status, body }, changes, this.#byPlace);
      if (fault !== undefined) this.judgement.violations.push(`${fault}: ${told}`);
      this.#countAnswer(deed, status, textAt(body, 'message'));
    }
  }

  #countAnswer({ dryRun }: Deed, status: number, message: string): void {
    if (dryRun === true && status < 300) this.#count('dryRuns');
    if (status >= 400) this.#count('refused');
    if (status === 409) this.#count('conflicts');
    if (status === 403 && message.includes('exceeded quota')) this.#count('overQuota');
  }

  /** Nothing comes to be in a namespace that is not there, or that ends; and none ends with objects in it. */
  #underNamespace(record: Told): void {
    const { namespace } = placeOf(record.key);
    if (namespace !== '') {
      if (record.type !== 'added') return;
      this.#count('inNamespaces');
      const place = this.#live.get(`core/namespaces /${namespace}`);
      if (place === undefined) this.#says(record, 'its namespace is not there');
      else if (isEnding(place.object)) this.#says(record, 'its namespace is ending');
      return;
    }
    if (record.type !== 'deleted' || !record.key.startsWith('core/namespaces ')) return;
    this.#count('endedNamespaces');
    const left = [...this.#live.keys()].filter(
      (key) => placeOf(key).namespace === nameOf(record.key),
    );
    if (left.length > 0) this.#says(record, `it ended with ${left.join()} in it`);
  }

  /** What uses more of a quota leaves it at most at its limit. */
  #underQuota(record: Told, before: Told | undefined): void {
    const { namespace } = placeOf(record.key);
    const quota = this.#live.get(`core/resourcequotas ${namespace}/q`);
    if (quota === undefined) return;
    const uses = chargesOf(record);
    const used = before === undefined ? {} : chargesOf(before);
    for (const resource of Object.keys(uses)) {
      if (record.type === 'deleted' || (used[resource] ?? 0) >= 1) continue;
      const hard = this.#limitOf(record, quota, resource);
      this.#count('charged');
      const others = [...this.#live.values()].filter(
        ({ key }) => key !== record.key && placeOf(key).namespace === namespace,
      );
      const sum = 1 + others.filter((one) => (chargesOf(one)[resource] ?? 0) > 0).length;
      if (sum > hard) this.#says(record, `${String(sum)} ${resource} of ${String(hard)}`);
    }
  }

  /**
   * The greatest limit since the write was decided, which the version that its record requires tells. A
   * quota that is lowered while a write is on its way does not stop it, here as in kube-apiserver.
   */
  #limitOf({ key, version, requires }: Told, quota: Told, resource: string): number {
    const [storage = ''] = key.split(' ');
    const prefix = `${placeOf(key).namespace}/`;
    const required = requires.find(([other, path]) => other === storage && path === prefix);
    const decidedAt = required?.[2] ?? version;
    const revisions = this.#quotas.get(quota.key) ?? [];
    const limits = revisions.filter(
      (_, index) => (revisions[index + 1]?.version ?? version) >= decidedAt,
    );
    return Math.max(
      ...limits.map(({ object }) => Number(textAt(object, 'spec', 'hard', resource))),
    );
  }

  /** What is being deleted goes with its last finalizer, gets no new one, and never comes back. */
  #underFinalizers(record: Told, before: Told | undefined): void {
    const held = listAt(record.object, 'metadata', 'finalizers').map(String);
    const wasHeld = listAt(before?.object, 'metadata', 'finalizers').map(String);
    const wasEnding = before !== undefined && isEnding(before.object);
    if (record.key.startsWith('core/namespaces ')) return; // These have finalizers in their spec.
    if (record.type === 'deleted') {
      if (wasEnding) this.#count('letGo');
      return;
    }
    if (isEnding(record.object) && held.length === 0) this.#says(record, 'nothing holds it');
    if (!wasEnding) return;
    if (!isEnding(record.object)) this.#says(record, 'it was being deleted, and is not any more');
    const added = held.filter((one) => !wasHeld.includes(one));
    if (added.length > 0)
      this.#says(record, `it was being deleted, and is held by ${added.join()}`);
  }

  /** The record is what its write makes of the object that it replaced, and of no other. */
  #asAsked(record: Told, before: Told | undefined, deed: Deed): void {
    this.#count('changes');
    if (deed.dryRun === true) this.#says(record, 'it was a dry run');
    if (deed.verb !== 'clear' && logKeyOf(deed) !== record.key)
      this.#says(record, 'another was asked for');
    if (deed.version !== undefined) {
      this.#count('conditional');
      if (deed.version !== String(record.previous)) this.#says(record, `not of ${deed.version}`);
    }
    const uid = textAt(before?.object, 'metadata', 'uid');
    if (deed.uid !== undefined && deed.uid !== uid) this.#says(record, `${uid} is not ${deed.uid}`);
    if (deed.test !== undefined && textAt(before?.object, 'data', 'by') !== deed.test) {
      this.#says(record, `${deed.test} was tested for`);
    }
    if (deed.verb === 'apply') this.#asApplied(record, before, deed);
    const effect = effectOf(before?.object, deed);
    const isGone = record.type === 'deleted';
    if (isGone && effect.finalizers.length > 0)
      this.#says(record, `it went with ${effect.finalizers.join()}`);
    // What goes, goes as it was: what lets go of it is shown to its client alone.
    const wanted = isGone ? fieldsOf(before?.object) : effect;
    const found: Fields = fieldsOf(record.object);
    if (!isDeepStrictEqual(found, wanted)) {
      this.#says(record, `${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
    }
  }

  /** Without force, no other manager's value is changed. */
  #asApplied(record: Told, before: Told | undefined, deed: Deed): void {
    this.#count('applied');
    const was = at(before?.object, 'data', 'shared');
    const isChanged = was !== undefined && was !== at(record.object, 'data', 'shared');
    const others = ownersOf(before?.object, 'shared').filter((one) => one !== deed.manager);
    if (isChanged && others.length > 0 && deed.force !== true) {
      this.#says(record, `it took data.shared from ${others.join()}`);
    }
  }

  #says({ version, type, key, auditID }: Told, what: string): void {
    this.judgement.violations.push(`${String(version)} ${type} ${key} by ${auditID}: ${what}`);
  }

  #count(what: Counted): void {
    this.judgement.counts[what] += 1;
  }
}

function answerFault(
  { deed, status, body }: Outcome,
  changes: readonly Told[],
  byPlace: ReadonlyMap<string, Told>,
): string | undefined {
  if (status >= 500) return 'a fault';
  if (status >= 400 || deed.dryRun === true) {
    return changes.length > 0 ? 'nothing was to change, and it is in the log' : undefined;
  }
  if (deed.verb === 'clear') return undefined;
  if (changes.length > 1) return `it is in the log ${String(changes.length)} times`;
  const version = textAt(body, 'metadata', 'resourceVersion');
  const [change] = changes;
  if (change !== undefined) {
    const isTold =
      version === '' || version === String(change.version) || change.type === 'deleted';
    return isTold ? undefined : `it is in the log at ${String(change.version)}`;
  }
  const shown = byPlace.get(`${logKeyOf(deed)} ${version}`);
  if (shown === undefined) return 'acknowledged, and not in the log';
  const isThere = isDeepStrictEqual(fieldsOf(shown.object), effectOf(shown.object, deed));
  return isThere ? undefined : 'acknowledged without a change, and it would be one';
}

/** What an object uses of a quota of the race. */
function chargesOf({ key, object }: Told): Partial<Record<string, number>> {
  if (key.startsWith('core/configmaps ')) return { configmaps: 1 };
  const isOfNodes =
    key.startsWith('core/services ') && textAt(object, 'spec', 'type') === 'NodePort';
  return isOfNodes ? { 'services.nodeports': 1 } : {};
}

function isEnding(object: JsonObject): boolean {
  return at(object, 'metadata', 'deletionTimestamp') !== undefined;
}

function placeOf(key: string): { readonly namespace: string } {
  return { namespace: /^\S+ ([^/]*)\//.exec(key)?.[1] ?? '' };
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function listIn(map: Map<string, Told[]>, key: string): Told[] {
  const found = map.get(key) ?? [];
  map.set(key, found);
  return found;
}
