/**
 * ResourceQuota: nobody uses more in a namespace than its quotas say, not even by one, however many
 * servers write at the same moment.
 *
 * What is used is counted on the objects as they are folded. What is then decided holds only as long
 * as no object of the resource comes or changes in that namespace, and that is what the commit
 * requires of the log. So that writers on this server do not overtake one another they take turns.
 *
 * In Kubernetes: QuotaAdmission, apiserver/pkg/admission/plugin/resourcequota, where the status of the
 * quota is written before the object is. → docs/decisions/0030
 */
import type { Clock } from '../../../api/meta/clock.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { unclassifiedFailure, type Status } from '../../../api/meta/status.ts';
import { evaluatorOf, type QuotaEvaluator } from '../../../api/quota/evaluators.ts';
import {
  checkQuotas,
  type CheckedQuota,
  type LimitedResource,
} from '../../../api/quota/quota-check.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { quotaUsageOf, type QuotaUsage } from '../../../projections/ownership/quota-usage.ts';
import type { FollowedObjects } from '../../../projections/followed-objects.ts';
import { prefixOf } from '../../../streams/event.ts';
import type { KeySlots } from '../../registry/key-slots.ts';
import type { Turn } from '../../registry/turn.ts';
import { refusedAt, type AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import type { PluginConfiguration } from '../plugin-configuration.ts';
import { limitedResourcesIn } from './resource-quota-configuration.ts';

export interface ResourceQuotaWorld {
  readonly objects: ObjectView;
  readonly followed: FollowedObjects;
  readonly slots: KeySlots;
  readonly clock: Clock;
}

export function resourceQuota(
  world: ResourceQuotaWorld,
  configuration: PluginConfiguration | undefined,
): AdmissionPlugin {
  const room: Room = {
    ...world,
    usage: quotaUsageOf(world.followed, world.objects),
    limited: limitedResourcesIn(configuration),
  };
  return {
    name: 'ResourceQuota',
    validatesAt({ served, operation, subresource }) {
      const { storage, namespaced } = served.definition;
      const evaluator = evaluatorOf(storage);
      if (!namespaced || evaluator === undefined) return undefined;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
      if (!evaluator.mayHandle(operation, subresource)) return undefined;
      const counted = { storage, operation, evaluator };
      return (attributes) => admitted(room, counted, attributes);
    },
  };
}

interface Room extends ResourceQuotaWorld {
  readonly usage: QuotaUsage;
  readonly limited: readonly LimitedResource[];
}

/** What a plug-in knows of the place that it was asked for. */
interface CountedPlace {
  readonly storage: string;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly evaluator: QuotaEvaluator;
}

function admitted(
  room: Room,
  place: CountedPlace,
  attributes: AdmissionAttributes,
): MaybePromise<Status | undefined> {
  const { namespace, options, turn } = attributes;
  if (namespace === '') return undefined;
  if (quotasOf(room, place, namespace).length === 0) {
    return room.limited.length === 0 ? undefined : decide(room, place, attributes).refusal;
  }
  // Most updates use no more than before, and need not wait for anybody; nor need who only says
  // what has happened already.
  const isFree = options.dryRun || attributes.subresource === 'status';
  if (isFree || place.operation === 'UPDATE') {
    const { refusal, isCharged } = decide(room, place, attributes);
    if (isFree || !isCharged) return refusal;
  }
  return inTurn(room.slots, `quota\0${namespace}\0${place.storage}`, turn, () => {
    // As of now: whoever waited has seen others come first.
    const { changedAt } = room.objects.of(place.storage);
    const { refusal, isCharged } = decide(room, place, attributes);
    if (isCharged) {
      const path = prefixOf(namespace);
      attributes.requires.push({ resource: place.storage, path, resourceVersion: changedAt });
    }
    return refusal;
  });
}

function quotasOf(
  { usage, clock }: Room,
  { storage }: CountedPlace,
  namespace: string,
): readonly CheckedQuota[] {
  return usage.quotasOf(namespace, storage, clock.now());
}

interface Decision {
  readonly refusal: Status | undefined;
  readonly isCharged: boolean;
}

function decide(room: Room, place: CountedPlace, attributes: AdmissionAttributes): Decision {
  const { object, oldObject, subresource, namespace } = attributes;
  const { operation, storage: resource, evaluator } = place;
  if (object === undefined) return { refusal: undefined, isCharged: false };
  const now = room.clock.now();
  const write = { operation, subresource, object, oldObject, resource, now };
  const quotas = quotasOf(room, place, namespace);
  const verdict = checkQuotas(evaluator, write, quotas, room.limited);
  if (verdict.ok) return { refusal: undefined, isCharged: verdict.isCharged };
  const { why, isForbidden } = verdict;
  const refusal = isForbidden ? refusedAt(attributes, why) : unclassifiedFailure(why);
  return { refusal, isCharged: false };
}

/** Behind those who have the same key, until the attempt is over; at once where there is nobody. */
function inTurn<Result>(
  slots: KeySlots,
  key: string,
  turn: Turn,
  job: () => Result,
): MaybePromise<Result> {
  let now: { readonly result: Result } | undefined;
  let later: ((result: Result) => void) | undefined;
  let failed: (error: unknown) => void = rethrow;
  slots.take(key, (release) => {
    turn.whenOver(release);
    try {
      const result = job();
      if (later === undefined) now = { result };
      else later(result);
    } catch (error) {
      failed(error);
    }
  });
  if (now !== undefined) return now.result;
  return new Promise((resolve, reject) => {
    later = resolve;
    failed = reject;
  });
}

function rethrow(error: unknown): never {
  throw error;
}
