/**
 * ResourceQuota: a namespace uses no more than its quotas say, not even by one, however many
 * servers write at the same moment.
 *
 * What is used is counted on the objects as they are folded. What is then decided holds only as long
 * as no object of the resource comes or changes in that namespace, and that is what the commit
 * requires of the log. So that writers on this server do not overtake one another they take turns.
 * Extended resources are used by pods and claims alike, and by which is which a DeviceClass says: a
 * charge of one of them requires all three to be as they were.
 *
 * The status of a quota is written behind the object that is charged to it, and in front of the
 * client's answer: a client that was answered finds its object counted, whatever controllers run.
 *
 * In Kubernetes: QuotaAdmission, apiserver/pkg/admission/plugin/resourcequota, where the status of the
 * quota is written before the object is. → docs/decisions/0030, 0053
 *
 * What the operator says of quotas: which resources cannot be used where no quota says how much.
 *
 * In Kubernetes: ResourceQuotaConfiguration, apiserver/pkg/admission/plugin/resourcequota/apis.
 */
import type { Clock } from '../../../../api/meta/clock.ts';
import type { ResourceClaim } from '../../../../api/generated/kinds/resource-v1.ts';
import { forEachItem, remembered } from '../../../../api/json/work-in-slices.ts';
import type { KubeObject, ObjectOf } from '../../../../api/meta/object-meta.ts';
import { andThen, type MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import { type Status, unclassifiedFailure } from '../../../../api/meta/status.ts';
import type { Amounts } from '../../../../api/quota/amounts.ts';
import type { QuotaEvaluator } from '../../../../api/quota/evaluators.ts';
import {
  type CheckedQuota,
  checkQuotas,
  type LimitedResource,
} from '../../../../api/quota/quota-check.ts';
import type { ObjectView } from '../../../../projections/objects/object-view.ts';
import { DEVICE_CLASSES } from '../../../../projections/ownership/device-class-names.ts';
import { CLAIMS, PODS } from '../../../../projections/ownership/extended-claims.ts';
import { type QuotaUsage, quotaUsageOf } from '../../../../projections/ownership/quota-usage.ts';
import type { FollowedObjects } from '../../../../projections/followed-objects.ts';
import { isPrefix, pathOf, prefixOf, type Requirement } from '../../../../streams/event.ts';
import type { Loopback } from '../../../loopback/loopback.ts';
import { doneInSlices, LARGE_BYTES } from '../../../request/large-work.ts';
import { readQuotas } from '../../../loopback/quota-reading.ts';
import { QuotaStatusWriter } from '../../../loopback/quota-status-writer.ts';
import type { KeySlots, WriteAttempt } from '../../../slots/key-slots.ts';
import { KindsServed } from '../../../served-resources/served-kinds.ts';
import type { ServedResources } from '../../../served-resources/served-resources.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { ValidatingPlugin } from '../../admission-plugin.ts';
import {
  configurationOf,
  type PluginConfiguration,
  PluginConfigurationError,
} from '../../plugin-configuration.ts';
import { itemsAt, stringAt, textsAt } from '../../../../api/json/json.ts';

interface ResourceQuotaWorld {
  readonly objects: ObjectView;
  readonly followed: FollowedObjects;
  readonly served: ServedResources;
  readonly slots: KeySlots;
  readonly clock: Clock;
  readonly loopback: Loopback;
}

export function resourceQuota(
  world: ResourceQuotaWorld,
  configuration: PluginConfiguration | undefined,
): ValidatingPlugin {
  const usage = quotaUsageOf(world.followed, world.objects);
  const kinds = new KindsServed(world.served);
  const isServed = (storage: string) => kinds.ofStorage(storage) !== undefined;
  const statuses = new QuotaStatusWriter({ ...world, usage, isServed });
  const context: QuotaContext = {
    ...world,
    usage,
    statuses,
    limited: limitedResourcesIn(configuration),
  };
  return {
    name: 'ResourceQuota',
    validatesAt({ served, operation, subresource }) {
      const { storage, namespaced } = served.definition;
      const evaluator = usage.evaluators.of(storage);
      if (!namespaced || evaluator === undefined) return undefined;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
      if (!evaluator.mayHandle(operation, subresource)) return undefined;
      const counted = { storage, operation, evaluator };
      return (attributes) => admitted(context, counted, attributes);
    },
  };
}

interface QuotaContext extends ResourceQuotaWorld {
  readonly usage: QuotaUsage;
  readonly statuses: QuotaStatusWriter;
  readonly limited: readonly LimitedResource[];
}

/** What a plug-in knows of the place that it was asked for. */
interface CountedPlace {
  readonly storage: string;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly evaluator: QuotaEvaluator;
  /** Of large objects. */
  readonly usages?: ReadonlyMap<KubeObject, Amounts>;
}

function admitted(
  context: QuotaContext,
  place: CountedPlace,
  attributes: AdmissionAttributes,
): MaybePromise<Status | undefined> {
  const { namespace, options, attempt } = attributes;
  if (namespace === '') return undefined;
  const isShared = place.storage === CLAIMS && context.usage.hasExtended(namespace);
  const settled = (decision: Decision): Status | undefined => {
    if (isShared) requireTies(context, attributes);
    if (decision.charged.length > 0) {
      requireCount(context, place, { ...decision, attributes });
      tellStatuses(context, place, attributes);
    }
    return decision.refusal;
  };
  if (quotasOf(context, place, namespace).length === 0) {
    // As long as no DeviceClass stands for what the quotas speak of.
    if (isShared) attributes.requires.push(unchanged(context.objects, DEVICE_CLASSES, ''));
    return context.limited.length === 0 ? undefined : decide(context, place, attributes).refusal;
  }
  /** As of now: others may have come first while this one waited. */
  const decided = (known: CountedPlace): MaybePromise<Decision> => {
    const reading = readQuotas(context.usage, namespace, () => context.clock.now());
    return andThen(reading, () => decide(context, known, attributes));
  };
  return andThen(measured(context, place, attributes), (known) => {
    // Claims use what pods use: they come one after another, too.
    const queue = isShared ? PODS : place.storage;
    const inQueue = (): MaybePromise<Status | undefined> =>
      inTurn(context.slots, `quota\0${namespace}\0${queue}`, attempt, () =>
        andThen(decided(known), settled),
      );
    // Most updates use no more than before, and need not wait; nor need a status write, which says
    // what has happened already.
    const isFree = options.dryRun || attributes.subresource === 'status';
    if (!isFree && place.operation !== 'UPDATE') return inQueue();
    return andThen(decided(known), (decision) => {
      if (isFree) return decision.refusal;
      return decision.charged.length === 0 ? settled(decision) : inQueue();
    });
  });
}

/**
 * What a large object uses, and what it used before, is worked out in slices and ahead: between the
 * counts and the decision by them nothing may change.
 */
function measured(
  { clock }: QuotaContext,
  place: CountedPlace,
  { object, oldObject, subresource, sizeBytes }: AdmissionAttributes,
): MaybePromise<CountedPlace> {
  if (sizeBytes < LARGE_BYTES || object === undefined) return place;
  const { evaluator, operation } = place;
  if (!evaluator.handles({ operation, subresource, object, oldObject })) return place;
  const now = clock.now();
  const work = (): ReadonlyMap<KubeObject, Amounts> => {
    const usages = remembered(() => new Map<KubeObject, Amounts>());
    forEachItem([object, ...(oldObject === undefined ? [] : [oldObject])], (one) => {
      usages.set(one, evaluator.usage(one, now));
    });
    return usages;
  };
  return andThen(doneInSlices(sizeBytes, work), (usages) => ({ ...place, usages }));
}

/** What has to be true still for the claim to use no more than it is taken to. */
function requireTies(
  { usage, objects }: QuotaContext,
  { object, requires }: AdmissionAttributes,
): void {
  const claim = object as ObjectOf<ResourceClaim> | undefined; // Written where they lie.
  const ties = claim === undefined ? [] : usage.requirementsOf(claim);
  requires.push(...ties, unchanged(objects, DEVICE_CLASSES, ''));
}

/** What was counted must not have changed since now, the moment of the decision. */
function requireCount(
  { usage, objects }: QuotaContext,
  { storage }: CountedPlace,
  of: { readonly attributes: AdmissionAttributes; readonly charged: readonly string[] },
): void {
  const { namespace, requires } = of.attributes;
  for (const resource of new Set([storage, ...usage.deciding(namespace, of.charged)])) {
    const isRequired = requires.some((one) => one.resource === resource && isPrefix(one.path));
    if (isRequired) continue;
    requires.push(unchanged(objects, resource, resource === DEVICE_CLASSES ? '' : namespace));
  }
}

/** The quotas say how much is used when the object is there. */
function tellStatuses(
  { usage, statuses }: QuotaContext,
  { storage }: CountedPlace,
  { namespace, attempt }: AdmissionAttributes,
): void {
  const names = usage.namesOf(namespace, storage);
  attempt.whenCommitted(() =>
    Promise.all(names.map((name) => statuses.write(pathOf(namespace, name)))),
  );
}

function unchanged(objects: ObjectView, resource: string, namespace: string): Requirement {
  const { changedAt: resourceVersion } = objects.of(resource);
  return { resource, path: prefixOf(namespace), resourceVersion };
}

function quotasOf(
  { usage, clock }: QuotaContext,
  { storage }: CountedPlace,
  namespace: string,
): readonly CheckedQuota[] {
  return usage.quotasOf(namespace, storage, clock.now());
}

interface Decision {
  readonly refusal: Status | undefined;
  /** What the quotas speak of, and it uses more of than before. */
  readonly charged: readonly string[];
}

function decide(
  context: QuotaContext,
  place: CountedPlace,
  attributes: AdmissionAttributes,
): Decision {
  const { object, oldObject, subresource, namespace } = attributes;
  const { operation, storage: resource, evaluator, usages } = place;
  if (object === undefined) return { refusal: undefined, charged: [] };
  const now = context.clock.now();
  const usageOf = (one: KubeObject): Amounts => usages?.get(one) ?? evaluator.usage(one, now);
  const write = { operation, subresource, object, oldObject, resource, usageOf };
  const quotas = quotasOf(context, place, namespace);
  const verdict = checkQuotas(evaluator, write, quotas, context.limited);
  if (verdict.ok) return { refusal: undefined, charged: verdict.charged };
  const { why, isForbidden } = verdict;
  const refusal = isForbidden ? refusedAt(attributes, why) : unclassifiedFailure(why);
  return { refusal, charged: [] };
}

/** Behind the writes that hold the same key, until the attempt is over. */
function inTurn<Result>(
  slots: KeySlots,
  key: string,
  attempt: WriteAttempt,
  job: () => MaybePromise<Result>,
): MaybePromise<Result> {
  return andThen(slots.take(key), (release) => {
    attempt.whenOver(release);
    return job();
  });
}

const OLD_VERSIONS = ['v1beta1', 'v1alpha1'].map((one) => `resourcequota.admission.k8s.io/${one}`);

/** @throws PluginConfigurationError */
export function limitedResourcesIn(
  configuration: PluginConfiguration | undefined,
): readonly LimitedResource[] {
  if (configuration === undefined) return [];
  const isOld = configuration.content['kind'] === 'Configuration';
  const content = configurationOf(configuration, {
    kind: isOld ? 'Configuration' : 'ResourceQuotaConfiguration',
    versions: isOld ? OLD_VERSIONS : ['apiserver.config.k8s.io/v1'],
  });
  return itemsAt(content, 'limitedResources').map((one, index) => {
    const group = stringAt(one, 'apiGroup');
    const resource = stringAt(one, 'resource');
    if (resource === '') {
      const field = `limitedResources[${String(index)}].resource`;
      throw new PluginConfigurationError(`${configuration.file}: ${field}: Required value`);
    }
    return {
      resource: `${group === '' ? 'core' : group}/${resource}`,
      matchContains: textsAt(one, 'matchContains'),
      matchScopes: itemsAt(one, 'matchScopes').map((scope) => ({
        scope: stringAt(scope, 'scopeName'),
        operator: stringAt(scope, 'operator'),
        values: textsAt(scope, 'values'),
      })),
    };
  });
}
