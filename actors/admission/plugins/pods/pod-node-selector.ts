/**
 * PodNodeSelector: the pods of a namespace go to the nodes that the namespace, or the configuration
 * of the server, says.
 *
 * In Kubernetes: plugin/pkg/admission/podnodeselector. Its configuration is an object under
 * `podNodeSelectorPluginConfig`: `clusterDefaultNodeSelector`, and what else is allowed by namespace.
 *
 * Node selectors as they stand in annotations and files: `a=b,c=d`.
 *
 * In Kubernetes: ConvertSelectorToLabelsMap, apimachinery/pkg/labels.
 */
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { type AttributesOf, stepFor } from '../../kind-steps.ts';
import { objectAt } from '../../../../api/json/json.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import {
  type Status,
  forbidden,
  internalError,
  unclassifiedFailure,
} from '../../../../api/meta/status.ts';
import { setOwn } from '../../../../api/json/own-property.ts';
import { pathOf } from '../../../../streams/event.ts';
import { stringEntriesAt } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';
import type { TwoPhasePlugin } from '../../admission-plugin.ts';
import { NAMESPACES } from '../namespaces.ts';
import type { PluginConfiguration } from '../../plugin-configuration.ts';
import { remembered } from '../../remembered.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../../../api/meta/names.ts';
import { formatFieldError, invalidValue } from '../../../../api/field/field-errors.ts';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';
const NAMESPACE_CONFLICT =
  'pod node label selector conflicts with its namespace node label selector';
const LIST_CONFLICT = 'pod node label selector labels conflict with its namespace whitelist';

/** By namespace, and of the cluster. */
type Selectors = ReadonlyMap<string, string>;

type Write = AttributesOf<Pod, 'CREATE'>;

const annotationOf = remembered(
  'v1/namespaces',
  ({ metadata }) => metadata.annotations?.[ANNOTATION],
);

export function podNodeSelector(
  _world: unknown,
  configuration?: PluginConfiguration,
): TwoPhasePlugin {
  const selectors = selectorsIn(configuration);
  const validate = (attributes: Write): Status | undefined => {
    const wanted = wantedSelector(attributes, selectors);
    if (!wanted.ok) return wanted.refusal;
    return problemOf(attributes, wanted.labels, selectors);
  };
  const mutate = (attributes: Write): Status | undefined => {
    const { object: pod } = attributes;
    const wanted = wantedSelector(attributes, selectors);
    if (!wanted.ok) return wanted.refusal;
    const own = entriesOf(pod.spec.nodeSelector);
    if (isConflict(wanted.labels, own)) return refusal(pod, NAMESPACE_CONFLICT);
    const merged: StringMap = {};
    for (const [key, value] of [...wanted.labels, ...own]) setOwn(merged, key, value);
    if (Object.keys(merged).length > 0) pod.spec.nodeSelector = merged;
    return problemOf(attributes, wanted.labels, selectors);
  };
  return {
    name: 'PodNodeSelector',
    mutatesAt: stepFor('v1/pods', ['CREATE'], mutate),
    validatesAt: stepFor('v1/pods', ['CREATE'], validate),
  };
}

function selectorsIn(configuration: PluginConfiguration | undefined): Selectors {
  const given = configuration?.content;
  return new Map(stringEntriesAt({ at: objectAt(given, 'podNodeSelectorPluginConfig') }, 'at'));
}

type WantedSelector =
  | { readonly ok: true; readonly labels: SelectorMap }
  | { readonly ok: false; readonly refusal: Status };

/** What the namespace says of its pods, or where it says nothing the configuration. */
function wantedSelector(
  { objects, namespace }: AdmissionAttributes,
  selectors: Selectors,
): WantedSelector {
  const stored = objects.get(NAMESPACES, pathOf('', namespace));
  if (stored === undefined) {
    return { ok: false, refusal: internalError(`namespace ${namespace} does not exist`) };
  }
  const text = annotationOf(stored) ?? selectors.get(CLUSTER_DEFAULT) ?? '';
  const parsed = parseSelectorMap(text);
  return parsed.ok ? parsed : { ok: false, refusal: unclassifiedFailure(parsed.why) };
}

function problemOf(
  { namespace, object: pod }: Write,
  wanted: SelectorMap,
  selectors: Selectors,
): Status | undefined {
  const own = entriesOf(pod.spec.nodeSelector);
  if (isConflict(wanted, own)) return refusal(pod, NAMESPACE_CONFLICT);
  const allowed = parseSelectorMap(selectors.get(namespace) ?? '');
  if (!allowed.ok) return unclassifiedFailure(allowed.why);
  const isAllowed = own.every(([key, value]) => allowed.labels.get(key) === value);
  return allowed.labels.size === 0 || isAllowed ? undefined : refusal(pod, LIST_CONFLICT);
}

/** In the order in which Go prints a map. */
function entriesOf(map: StringMap = {}): [string, string][] {
  return stringEntriesAt({ map }, 'map');
}

function isConflict(wanted: SelectorMap, own: readonly (readonly [string, string])[]): boolean {
  return own.some(([key, value]) => wanted.has(key) && wanted.get(key) !== value);
}

function refusal({ metadata }: Pod, why: string): Status {
  return forbidden({ group: '', resource: 'pods' }, metadata.name ?? '', why);
}

type SelectorMap = ReadonlyMap<string, string>;

type ParsedSelectorMap =
  | { readonly ok: true; readonly labels: SelectorMap }
  | { readonly ok: false; readonly why: string };

/** Go prints this for a path that was not given. */
const NO_PATH = '<nil>';

export function parseSelectorMap(text: string): ParsedSelectorMap {
  const labels = new Map<string, string>();
  if (text === '') return { ok: true, labels };
  for (const pair of text.split(',')) {
    const parts = pair.split('=');
    const [key = '', value = ''] = parts.map((part) => part.trim());
    if (parts.length !== 2) return { ok: false, why: `invalid selector: [${parts.join(' ')}]` };
    const problem = keyProblem(key) ?? valueProblem(key, value);
    if (problem !== undefined) return { ok: false, why: problem };
    labels.set(key, value);
  }
  return { ok: true, labels };
}

function keyProblem(key: string): string | undefined {
  const problems = qualifiedNameProblems(key);
  if (problems.length === 0) return undefined;
  return formatFieldError(invalidValue(NO_PATH, key, problems.join('; ')));
}

function valueProblem(key: string, value: string): string | undefined {
  const problems = labelValueProblems(value);
  if (problems.length === 0) return undefined;
  return formatFieldError(invalidValue(`[${key}]`, value, problems.join('; ')));
}
