/**
 * DefaultTolerationSeconds: a pod stays for some minutes on a node that is not ready or cannot be
 * reached, unless it says something about that itself.
 *
 * In Kubernetes: plugin/pkg/admission/defaulttolerationseconds, and its two flags.
 *
 * ExtendedResourceToleration: a pod that asks for a device tolerates the taint by which nodes with
 * such devices keep other pods away.
 *
 * In Kubernetes: plugin/pkg/admission/extendedresourcetoleration.
 *
 * PodTolerationRestriction: what the pods of a namespace tolerate by default, and what they may
 * tolerate at all, by annotations of the namespace or by the configuration of the server.
 *
 * In Kubernetes: plugin/pkg/admission/podtolerationrestriction. Its configuration has the lists
 * `default` and `whitelist`.
 */
import { isJsonObject, type JsonObject, objectAt, stringAt } from '../../../../api/json/json.ts';
import { objectsAt, statusOf } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionStep, MutatingPlugin, TwoPhasePlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld, TolerationSeconds } from '../../admission-world.ts';
import { isItself, PODS } from '../../places.ts';
import { containersOf, podIn, specToFill } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import { isExtended } from '../../../../api/kinds/rules/resource-names.ts';
import { parseJson } from '../../../../api/json/json-text.ts';
import { notFound, type Status, unclassifiedFailure } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import { qosClassOf } from '../../../../api/kinds/core/pods/qos-class.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';
import { NAMESPACES } from '../namespaces.ts';
import { configurationOf, type PluginConfiguration } from '../../plugin-configuration.ts';
import { remembered } from '../../remembered.ts';
import { isAllowedBy, mergeTolerations } from './tolerations.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

const FIVE_MINUTES: TolerationSeconds = { notReadySeconds: 300, unreachableSeconds: 300 };

export function defaultTolerationSeconds({
  tolerationSeconds = FIVE_MINUTES,
}: Pick<AdmissionWorld, 'tolerationSeconds'>): MutatingPlugin {
  const added = [
    tolerating(NOT_READY, tolerationSeconds.notReadySeconds),
    tolerating(UNREACHABLE, tolerationSeconds.unreachableSeconds),
  ];
  const add: AdmissionStep = ({ object }) => {
    if (object === undefined) return undefined;
    const spec = specToFill(object);
    const own = objectsAt(spec, 'tolerations');
    const missing = added.filter(({ key }) => !own.some((one) => covers(one, key)));
    if (missing.length > 0) spec['tolerations'] = [...own, ...missing.map((one) => ({ ...one }))];
    return undefined;
  };
  return {
    name: 'DefaultTolerationSeconds',
    mutatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? add : undefined),
  };
}

function tolerating(key: string, tolerationSeconds: number) {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds };
}

function covers(toleration: JsonObject, key: string): boolean {
  const [about, effect] = [stringAt(toleration, 'key'), stringAt(toleration, 'effect')];
  return (about === key || about === '') && (effect === 'NoExecute' || effect === '');
}

const MATCHED = ['key', 'effect', 'operator', 'value'];

export function extendedResourceToleration(): MutatingPlugin {
  const tolerate: AdmissionStep = ({ object }) => {
    if (object === undefined) return undefined;
    const spec = specToFill(object);
    const asked = containersOf(spec, ['containers', 'initContainers']).flatMap((container) =>
      Object.keys(objectAt(objectAt(container, 'resources'), 'requests') ?? {}),
    );
    for (const name of [...new Set(asked.filter(isExtended))].sort()) addToleration(spec, name);
    return undefined;
  };
  return {
    name: 'ExtendedResourceToleration',
    mutatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? tolerate : undefined),
  };
}

/**
 * What the pod tolerates already it tolerates without end from then on.
 *
 * In Kubernetes: AddOrUpdateTolerationInPod, pkg/apis/core/helper.
 */
function addToleration(spec: JsonObject, key: string): void {
  const added: JsonObject = { key, operator: 'Exists', effect: 'NoSchedule' };
  const own = objectsAt(spec, 'tolerations');
  const isSame = (one: JsonObject): boolean =>
    MATCHED.every((field) => stringAt(one, field) === stringAt(added, field));
  const updated = own.map((one) => (isSame(one) ? { ...added } : one));
  spec['tolerations'] = own.some(isSame) ? updated : [...own, added];
}

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const VERSIONS = ['podtolerationrestriction.admission.k8s.io/v1alpha1'];
const ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const MEMORY_PRESSURE = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Undefined where the namespace says nothing; a text is what is wrong with what it says. */
type Said = readonly JsonObject[] | string | undefined;

interface NamespaceRules {
  readonly defaults: Said;
  readonly allowed: Said;
}

interface ClusterRules {
  readonly defaults: readonly JsonObject[];
  readonly allowed: readonly JsonObject[];
}

const rulesOf = remembered(({ metadata: { annotations = {} } }): NamespaceRules => ({
  defaults: tolerationsIn(annotations[DEFAULTS]),
  allowed: tolerationsIn(annotations[ALLOWED]),
}));

export function podTolerationRestriction(
  _world: unknown,
  configuration?: PluginConfiguration,
): TwoPhasePlugin {
  const given =
    configuration && configurationOf(configuration, { kind: 'Configuration', versions: VERSIONS });
  const cluster = { defaults: objectsAt(given, 'default'), allowed: objectsAt(given, 'whitelist') };
  const validate: AdmissionStep = (attributes) => problemOf(attributes, cluster);
  const mutate: AdmissionStep = (attributes) => {
    const extra = extraTolerations(attributes, cluster);
    if (!Array.isArray(extra)) return extra;
    const { object } = attributes;
    if (object !== undefined && extra.length > 0) {
      const spec = specToFill(object);
      spec['tolerations'] = mergeTolerations(objectsAt(spec, 'tolerations'), extra);
    }
    return problemOf(attributes, cluster);
  };
  return {
    name: 'PodTolerationRestriction',
    mutatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? mutate : undefined),
    validatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? validate : undefined),
  };
}

/** What is added to the pod's own, or what is answered instead. */
function extraTolerations(
  attributes: AdmissionAttributes,
  cluster: ClusterRules,
): JsonObject[] | Status | undefined {
  const { object, operation } = attributes;
  if (object === undefined) return undefined;
  const extra: JsonObject[] = [];
  if (operation === 'CREATE') {
    const rules = namespaceRules(attributes);
    if ('code' in rules) return rules;
    if (typeof rules.defaults === 'string') return unclassifiedFailure(rules.defaults);
    extra.push(...(rules.defaults ?? cluster.defaults));
  }
  const qos = statusOf(object)['qosClass'] ?? qosClassOf(podIn(object).spec);
  return qos === 'BestEffort' ? extra : [...extra, { ...MEMORY_PRESSURE }];
}

function problemOf(attributes: AdmissionAttributes, cluster: ClusterRules): Status | undefined {
  const { object } = attributes;
  if (object === undefined) return undefined;
  const tolerations = objectsAt(specToFill(object), 'tolerations');
  if (tolerations.length === 0) return undefined;
  const rules = namespaceRules(attributes);
  if ('code' in rules) return rules;
  const { allowed } = rules;
  if (typeof allowed === 'string') return unclassifiedFailure(allowed);
  if (isAllowedBy(tolerations, allowed ?? cluster.allowed)) return undefined;
  const scope = allowed === undefined ? 'cluster' : 'namespace';
  const who = 'pod tolerations (possibly merged with namespace default tolerations)';
  // Upstream has no status of its own for it.
  return unclassifiedFailure(`${who} conflict with its ${scope} whitelist`);
}

function namespaceRules({ objects, namespace }: AdmissionAttributes): NamespaceRules | Status {
  const stored = objects.get(NAMESPACES, pathOf('', namespace));
  if (stored !== undefined) return rulesOf(stored);
  return notFound({ group: '', resource: 'namespaces' }, namespace);
}

function tolerationsIn(text: string | undefined): Said {
  if (text === undefined) return undefined;
  if (text === '') return [];
  try {
    const value = parseJson(text);
    if (value === null) return [];
    if (Array.isArray(value)) return value.map((one) => (isJsonObject(one) ? one : {}));
    return 'json: cannot unmarshal object into Go value of type []v1.Toleration';
  } catch {
    return 'invalid character in an annotation of tolerations';
  }
}
