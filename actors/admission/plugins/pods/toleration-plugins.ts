/**
 * Three plug-ins about what a pod tolerates.
 *
 * In Kubernetes: plugin/pkg/admission/{defaulttolerationseconds,extendedresourcetoleration,
 * podtolerationrestriction}.
 */
import { typedCodec } from '../../../../api/scheme/typed-json.ts';
import type { Pod, PodSpec, Toleration } from '../../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../../api/json/go-values.ts';
import { type AttributesOf, stepFor } from '../../kind-steps.ts';
import { type JsonValue, isJsonObject, listAt } from '../../../../api/json/json.ts';
import type { MutatingPlugin, TwoPhasePlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld, TolerationSeconds } from '../../admission-world.ts';
import { containersOf } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import { isExtended } from '../../../../api/kinds/rules/resource-names.ts';
import { parseJson } from '../../../../api/json/json-text.ts';
import type { MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import { type Status, notFound, unclassifiedFailure } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import { qosClassOf } from '../../../../api/kinds/core/pods/qos-class.ts';
import { NAMESPACES } from '../namespaces.ts';
import { type PluginConfiguration, configurationOf } from '../../plugin-configuration.ts';
import { inSlicesFor } from '../../large-objects.ts';
import { remembered } from '../../remembered.ts';
import { isAllowedBy, mergeTolerations } from './tolerations.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

const FIVE_MINUTES: TolerationSeconds = { notReadySeconds: 300, unreachableSeconds: 300 };

/**
 * A pod stays for some minutes on a node that is not ready or cannot be reached, unless it says
 * something about that itself; the minutes are two flags.
 */
export function defaultTolerationSeconds({
  tolerationSeconds = FIVE_MINUTES,
}: Pick<AdmissionWorld, 'tolerationSeconds'>): MutatingPlugin {
  const added = [
    tolerating(NOT_READY, tolerationSeconds.notReadySeconds),
    tolerating(UNREACHABLE, tolerationSeconds.unreachableSeconds),
  ];
  return {
    name: 'DefaultTolerationSeconds',
    mutatesAt: stepFor('v1/pods', ['CREATE', 'UPDATE'], ({ object: { spec } }) => {
      const own = items(spec.tolerations);
      const missing = added.filter(({ key }) => !own.some((one) => covers(one, key)));
      if (missing.length > 0) spec.tolerations = [...own, ...missing.map((one) => ({ ...one }))];
      return undefined;
    }),
  };
}

function tolerating(key: string, tolerationSeconds: number) {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds };
}

function covers({ key: about = '', effect = '' }: Toleration, key: string): boolean {
  return (about === key || about === '') && (effect === 'NoExecute' || effect === '');
}

/**
 * A pod that asks for a device tolerates the taint by which nodes with such devices keep other pods
 * away.
 */
export function extendedResourceToleration(): MutatingPlugin {
  return {
    name: 'ExtendedResourceToleration',
    mutatesAt: stepFor('v1/pods', ['CREATE', 'UPDATE'], ({ object: { spec } }) => {
      const asked = containersOf(spec, ['containers', 'initContainers']).flatMap(({ resources }) =>
        Object.keys(resources.requests ?? {}),
      );
      addTolerations(spec, new Set(asked.filter(isExtended)));
      return undefined;
    }),
  };
}

/**
 * What the pod tolerates already it tolerates without end from then on.
 *
 * In Kubernetes: AddOrUpdateTolerationInPod, pkg/apis/core/helper.
 */
function addTolerations(spec: PodSpec, keys: ReadonlySet<string>): void {
  if (keys.size === 0) return;
  const missing = new Set(keys);
  const updated = items(spec.tolerations).map((one) => {
    const { key = '', operator, effect, value = '' } = one;
    const isSame = operator === 'Exists' && effect === 'NoSchedule' && value === '';
    if (!isSame || !keys.has(key)) return one;
    missing.delete(key);
    return tolerationOf(key);
  });
  spec.tolerations = [...updated, ...[...missing].sort().map(tolerationOf)];
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoSchedule' };
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
type Said = readonly Toleration[] | string | undefined;

interface NamespaceRules {
  readonly defaults: Said;
  readonly allowed: Said;
}

interface ClusterRules {
  readonly defaults: readonly Toleration[];
  readonly allowed: readonly Toleration[];
}

const rulesOf = remembered(
  'v1/namespaces',
  ({ metadata: { annotations = {} } }): NamespaceRules => ({
    defaults: tolerationsIn(annotations[DEFAULTS]),
    allowed: tolerationsIn(annotations[ALLOWED]),
  }),
);

/**
 * What the pods of a namespace tolerate by default, and what they may tolerate at all, by
 * annotations of the namespace or by the configuration of the server, which has the lists `default`
 * and `whitelist`.
 */
export function podTolerationRestriction(
  _world: unknown,
  configuration?: PluginConfiguration,
): TwoPhasePlugin {
  const given =
    configuration && configurationOf(configuration, { kind: 'Configuration', versions: VERSIONS });
  const cluster = {
    defaults: tolerationsOf(listAt(given, 'default')),
    allowed: tolerationsOf(listAt(given, 'whitelist')),
  };
  const mutate = (attributes: Write): MaybePromise<Status | undefined> => {
    const extra = extraTolerations(attributes, cluster);
    if (!Array.isArray(extra)) return extra;
    if (extra.length === 0) return problemOf(attributes, cluster);
    const { spec } = attributes.object;
    return inSlicesFor(
      attributes,
      () => mergeTolerations(items(spec.tolerations), extra),
      (merged) => {
        spec.tolerations = merged;
        return problemOf(attributes, cluster);
      },
    );
  };
  return {
    name: 'PodTolerationRestriction',
    mutatesAt: stepFor('v1/pods', ['CREATE', 'UPDATE'], mutate),
    validatesAt: stepFor('v1/pods', ['CREATE', 'UPDATE'], (attributes) =>
      problemOf(attributes, cluster),
    ),
  };
}

type Write = AttributesOf<Pod, 'CREATE' | 'UPDATE'>;

/** What is added to the pod's own, or what is answered instead. */
function extraTolerations(attributes: Write, cluster: ClusterRules): Toleration[] | Status {
  const { object, operation } = attributes;
  const extra: Toleration[] = [];
  if (operation === 'CREATE') {
    const rules = namespaceRules(attributes);
    if ('code' in rules) return rules;
    if (typeof rules.defaults === 'string') return unclassifiedFailure(rules.defaults);
    extra.push(...(rules.defaults ?? cluster.defaults));
  }
  const qos = object.status.qosClass ?? qosClassOf(object.spec);
  return qos === 'BestEffort' ? extra : [...extra, { ...MEMORY_PRESSURE }];
}

function problemOf(attributes: Write, cluster: ClusterRules): MaybePromise<Status | undefined> {
  const tolerations = items(attributes.object.spec.tolerations);
  if (tolerations.length === 0) return undefined;
  const rules = namespaceRules(attributes);
  if ('code' in rules) return rules;
  const { allowed } = rules;
  if (typeof allowed === 'string') return unclassifiedFailure(allowed);
  const scope = allowed === undefined ? 'cluster' : 'namespace';
  return inSlicesFor(
    attributes,
    () => isAllowedBy(tolerations, allowed ?? cluster.allowed),
    (isAllowed) => {
      if (isAllowed) return undefined;
      const who = 'pod tolerations (possibly merged with namespace default tolerations)';
      // Upstream has no status of its own for it.
      return unclassifiedFailure(`${who} conflict with its ${scope} whitelist`);
    },
  );
}

function namespaceRules({ objects, namespace }: Write): NamespaceRules | Status {
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
    if (Array.isArray(value)) return tolerationsOf(value);
    return 'json: cannot unmarshal object into Go value of type []v1.Toleration';
  } catch {
    return 'invalid character in an annotation of tolerations';
  }
}

const asToleration = typedCodec('io.k8s.api.core.v1.Toleration');

/** Tolerations as a file or an annotation has them; what is none tolerates nothing in particular. */
function tolerationsOf(values: readonly JsonValue[]): Toleration[] {
  return values.map((value): Toleration => {
    const read = asToleration.decode(isJsonObject(value) ? value : {});
    return read.ok ? read.value : {};
  });
}
