/**
 * The list of all built-in resources. Each kind is declared in its own folder; what discovery says
 * of it comes from the generated facts, of which only those subresources are kept that are really
 * served. Kinds that are answered and never stored have nothing to say but their names; what
 * answers for them stands in `virtual-handlers.ts`.
 */
import type { Kind, ServedVersion } from './kind.ts';
import { strategyOf } from './strategy-of.ts';
import { customResourceDefinitions } from './apiextensions/customresourcedefinitions/definition.ts';
import { apiServices } from './apiregistration/definition.ts';
import { mergeTypeOf } from '../merge/built-in-merge-types.ts';
import type { Clock } from '../meta/clock.ts';
import type { ResourceDefinition, ServedResource } from './resource-definition.ts';
import { allResourceFacts, isOnByDefault, type ResourceFacts } from '../scheme/resource-facts.ts';
import { type IsFeatureOn, usualFeatures } from './kind-features.ts';
import type { Strategy, UpdateRules } from './strategy.ts';
import { typedCodec } from '../scheme/typed-json.ts';
import { storageVersions } from './apiserverinternal/definition.ts';
import * as admissionregistration from './admissionregistration/definition.ts';
import { daemonSets } from './apps/daemonsets/definition.ts';
import { controllerRevisions } from './apps/definition.ts';
import { deployments } from './apps/deployments/definition.ts';
import { replicaSets } from './apps/replicasets/definition.ts';
import { statefulSets } from './apps/statefulsets/definition.ts';
import { horizontalPodAutoscalers } from './autoscaling/horizontalpodautoscalers/definition.ts';
import { cronJobs } from './batch/cronjobs/definition.ts';
import { jobs } from './batch/jobs/definition.ts';
import { defaultersByType, type SetDefaults } from './built-in-defaults.ts';
import { clusterTrustBundles } from './certificates/clustertrustbundles.ts';
import { podCertificateRequests } from './certificates/podcertificaterequests/definition.ts';
import { certificateSigningRequests } from './certificates/certificatesigningrequests/definition.ts';
import { leaseCandidates, leases } from './coordination/definition.ts';
import { configMaps } from './core/configmaps/definition.ts';
import { endpoints } from './core/endpoints/definition.ts';
import { events } from './core/events/definition.ts';
import { limitRanges } from './core/limitranges/definition.ts';
import { namespaces } from './core/namespaces/definition.ts';
import { nodes } from './core/nodes/definition.ts';
import { persistentVolumeClaims } from './core/persistentvolumeclaims/definition.ts';
import { persistentVolumes } from './core/persistentvolumes/definition.ts';
import { pods } from './core/pods/definition.ts';
import { podTemplates } from './core/podtemplates/definition.ts';
import { replicationControllers } from './core/replicationcontrollers/definition.ts';
import { resourceQuotas } from './core/resourcequotas/definition.ts';
import { secrets } from './core/secrets/definition.ts';
import { serviceAccounts } from './core/serviceaccounts/definition.ts';
import { services } from './core/services/definition.ts';
import { endpointSlices } from './discovery/definition.ts';
import { forks } from './everwatch/forks/definition.ts';
import * as flowcontrol from './flowcontrol/definition.ts';
import { convertingCodec, defaultsAndConversion } from './settled-form.ts';
import * as networking from './networking/definition.ts';
import { ingresses } from './networking/ingresses/definition.ts';
import { runtimeClasses } from './node/definition.ts';
import { optionalDeprecation, withVersionsOfOneForm } from './optional-versions.ts';
import { withPrivilegedAllowed } from './pod-spec/security/privileged-containers.ts';
import { podDisruptionBudgets } from './policy/definition.ts';
import * as rbac from './rbac/definition.ts';
import * as resource from './resource/definition.ts';
import { deviceTaintRules } from './resource/devicetaintrules/definition.ts';
import { resourcePoolStatusRequests } from './resource/resourcepoolstatusrequests.ts';
import { resourceSlices } from './resource/resourceslices/definition.ts';
import { withResetFields } from './reset-fields.ts';
import { priorityClasses } from './scheduling/definition.ts';
import { podGroups, workloads } from './scheduling/pod-groups.ts';
import * as storage from './storage/definition.ts';
import { storageVersionMigrations } from './storagemigration/definition.ts';

const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

/** The rules of what is never stored are not asked for. */
const NO_RULES = strategyOf({});

const VIRTUAL_KINDS: readonly Kind[] = [
  virtualKind('', 'bindings'),
  {
    ...virtualKind('', 'componentstatuses'),
    deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  },
  virtualKind(AUTHENTICATION, 'selfsubjectreviews'),
  virtualKind(AUTHENTICATION, 'tokenreviews'),
  virtualKind(AUTHORIZATION, 'localsubjectaccessreviews'),
  virtualKind(AUTHORIZATION, 'selfsubjectaccessreviews'),
  virtualKind(AUTHORIZATION, 'selfsubjectrulesreviews'),
  virtualKind(AUTHORIZATION, 'subjectaccessreviews'),
];

function virtualKind(group: string, resource: string): Kind {
  return { group, version: 'v1', resource, strategy: NO_RULES };
}

function kinds(clock: Clock, isOn: IsFeatureOn): readonly Kind[] {
  return [
    configMaps,
    events,
    namespaces,
    nodes,
    persistentVolumeClaims,
    persistentVolumes(clock),
    pods,
    replicationControllers,
    secrets,
    serviceAccounts,
    services,
    endpoints,
    limitRanges,
    podTemplates,
    resourceQuotas,
    apiServices,
    controllerRevisions,
    daemonSets,
    deployments,
    replicaSets,
    statefulSets,
    horizontalPodAutoscalers,
    cronJobs,
    jobs,
    certificateSigningRequests(clock),
    podCertificateRequests(clock),
    ingresses,
    ...Object.values(networking),
    podDisruptionBudgets,
    ...Object.values(rbac),
    ...Object.values(storage),
    ...Object.values(admissionregistration),
    customResourceDefinitions,
    priorityClasses,
    podGroups,
    workloads,
    leases(isOn('CoordinatedLeaderElection')),
    runtimeClasses,
    endpointSlices,
    ...Object.values(resource),
    resourceSlices(clock),
    deviceTaintRules(clock),
    resourcePoolStatusRequests,
    ...Object.values(flowcontrol),
    clusterTrustBundles,
    leaseCandidates,
    storageVersionMigrations,
    storageVersions,
    forks,
    ...VIRTUAL_KINDS,
  ];
}

/** What the flags of a server say about its kinds. */
export interface BuiltInOptions {
  /** Whether containers may do on their node what its root may. */
  readonly allowPrivileged: boolean;
  /** Which resources of beta and alpha versions there are; none. */
  readonly hasOptional?: (facts: ResourceFacts) => boolean;
  /** Which features are on; those of upstream's defaults. */
  readonly isOn?: IsFeatureOn;
}

const USUAL: BuiltInOptions = { allowPrivileged: false };

/**
 * Every built-in resource, once per group version that serves it, in the order in which upstream's
 * discovery names them. Resources that share a store share one definition, or at least
 * what it says about the store.
 *
 * @throws when a kind has no facts, which is a mistake in this list
 */
export function builtInResources(
  clock: Clock,
  { allowPrivileged, hasOptional = () => false, isOn = usualFeatures }: BuiltInOptions = USUAL,
): readonly ServedResource[] {
  const isThere = (facts: ResourceFacts): boolean => isOnByDefault(facts) || hasOptional(facts);
  const rulesOf = (strategy: Strategy): Strategy => {
    const rules = withFeatures(strategy, isOn);
    return allowPrivileged ? withPrivilegedAllowed(rules) : rules;
  };
  const served = kinds(clock, isOn).flatMap((kind) =>
    servedVersionsOf(withVersionsOfOneForm(kind), { rulesOf, isThere }),
  );
  const order = new Map(allResourceFacts().map((facts, index) => [servedKeyOf(facts), index]));
  const placeOf = ({ facts }: ServedResource): number => order.get(servedKeyOf(facts)) ?? 0;
  return served.sort((a, b) => placeOf(a) - placeOf(b));
}

/** The same rules, told which features are on. */
function withFeatures(strategy: Strategy, isOn: IsFeatureOn): Strategy {
  const told = <Rules extends UpdateRules>(rules: Rules): Rules => ({
    ...rules,
    prepareForUpdate: (object, old) => rules.prepareForUpdate(object, old, isOn),
    validateUpdate: (object, old) => rules.validateUpdate(object, old, isOn),
  });
  const subresources = [...strategy.subresources].map(
    ([name, rules]) => [name, told(rules)] as const,
  );
  return {
    ...told(strategy),
    prepareForCreate: (object, requester) => strategy.prepareForCreate(object, requester, isOn),
    subresources: new Map(subresources),
  };
}

interface Serving {
  readonly rulesOf: (strategy: Strategy) => Strategy;
  readonly isThere: (facts: ResourceFacts) => boolean;
}

function servedVersionsOf(kind: Kind, { rulesOf, isThere }: Serving): readonly ServedResource[] {
  const storageFacts = servedFacts(kind, kind);
  const setDefaults = defaultersByType.get(storageFacts.typeId);
  const place = `${kind.group === '' ? 'core' : kind.group}/${kind.resource}`;
  const served: ServedResource[] = [];
  const definitionWith = (own: Strategy): ResourceDefinition => {
    const strategy = withResetFields(rulesOf(own), place);
    return {
      storage: place,
      namespaced: storageFacts.namespaced,
      strategy: setDefaults ? withDefaultsAfter(strategy, setDefaults) : strategy,
      storageFacts,
      codec: typedCodec(storageFacts.typeId),
      versions: () => served,
    };
  };
  const definition = definitionWith(kind.strategy);
  const others = kind.alsoServedAs ?? [];
  const versions = [
    servedResource(definition, storageFacts, kind),
    ...others.map((version) => {
      const own = version.strategy === undefined ? definition : definitionWith(version.strategy);
      return servedResource(own, servedFacts(kind, version), version);
    }),
  ];
  served.push(...versions.filter(({ facts }) => isThere(facts)));
  return served;
}

/**
 * Kubernetes defaults an object again whenever it reads it from its store. We show what was
 * written, so that second time is now: a job without labels gets those that its template was
 * given, a claim whose status was cleared is Pending.
 */
function withDefaultsAfter(strategy: Strategy, setDefaults: SetDefaults): Strategy {
  return { ...strategy, readAgain: setDefaults };
}

function servedResource(
  definition: ResourceDefinition,
  facts: ResourceFacts,
  version: Pick<Kind, 'fields' | 'deprecation'> &
    Partial<Pick<ServedVersion, 'conversion' | 'isOfOneForm'>>,
): ServedResource {
  const { group, version: name, typeId } = facts;
  const isOfOneForm = version.isOfOneForm === true && !defaultersByType.has(typeId);
  const formId = isOfOneForm ? definition.storageFacts.typeId : typeId;
  return {
    facts,
    apiVersion: group === '' ? name : `${group}/${name}`,
    definition,
    codec: convertingCodec(typeId),
    mergeType: () => mergeTypeOf(typeId),
    conversion: version.conversion,
    setDefaults: defaultsAndConversion(formId, defaultersByType.get(formId)),
    fields: version.fields?.of,
    selectableFields: version.fields?.names ?? [],
    deprecation: version.deprecation ?? optionalDeprecation(facts),
  };
}

/** The facts of one version, without the subresources that are not served. */
function servedFacts(kind: Kind, { group, version }: GroupVersion): ResourceFacts {
  const key = servedKeyOf({ group, version, resource: kind.resource });
  const facts = allResourceFacts().find((one) => servedKeyOf(one) === key);
  if (facts === undefined) throw new Error(`there are no facts of the built-in resource ${key}`);
  const isServed = (name: string): boolean =>
    kind.strategy.subresources.has(name) ||
    (name === 'scale' && kind.hasScale === true) ||
    kind.actions?.includes(name) === true;
  return { ...facts, subresources: facts.subresources.filter(({ name }) => isServed(name)) };
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

function servedKeyOf({
  group,
  version,
  resource: plural,
}: GroupVersion & { readonly resource: string }) {
  return `${group}/${version}/${plural}`;
}
