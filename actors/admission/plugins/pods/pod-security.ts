/**
 * PodSecurity: what the labels of a namespace allow its pods. Pods that are not allowed are
 * refused; of workloads that would make such pods people are warned; and who makes a namespace
 * stricter is told which of its pods would not be let in any more.
 *
 * In Kubernetes: plugin/pkg/admission/security/podsecurity and k8s.io/pod-security-admission.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import { andThen, type MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { forbidden, internalError, invalid, type Status } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { formatFieldErrors, type FieldErrors } from '../../../../api/field/field-errors.ts';
import { pathOf } from '../../../../streams/event.ts';
import { objectsAt, specOf } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionAttributes, AdmissionPlace } from '../../admission-attributes.ts';
import type { PodSecurityMeters } from '../../admission-meters.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { NAMESPACES } from '../namespaces.ts';
import { PODS } from '../../places.ts';
import type { PluginConfiguration } from '../../plugin-configuration.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import type { CheckedPod, Finding } from '../../pod-security/check.ts';
import { podSecurityRules, type PodSecurityRules } from '../../pod-security/configuration.ts';
import { detailsOf, evaluatePod } from '../../pod-security/evaluate.ts';
import {
  compareLevels,
  exemptWarning,
  formatLevel,
  isFullyPrivileged,
  type LevelVersion,
  policyOf,
  PREFIX,
  type ReadPolicy,
  sameLevel,
} from '../../pod-security/levels.ts';
import { warningsOfPods } from '../../pod-security/pods-in-namespace.ts';
import { remembered } from '../../remembered.ts';

type World = Pick<AdmissionWorld, 'objects' | 'clock' | 'meters'>;

interface Parts extends Omit<World, 'meters'> {
  readonly rules: PodSecurityRules;
  /** What the labels of a namespace say. */
  readonly policyIn: (attributes: AdmissionAttributes) => ReadPolicy | undefined;
}

interface MeasuredParts extends Parts {
  readonly meters: PodSecurityMeters;
}

/** Of which no pod comes. Others, also those that are not known yet, take a pod. */
const OTHER_SUBRESOURCES: ReadonlySet<string> = new Set([
  ...['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status'],
]);

/** Where a workload keeps what its pods are made of. */
const TEMPLATES: ReadonlyMap<string, (object: KubeObject) => JsonObject | undefined> = new Map([
  ['core/podtemplates', (object) => objectAt(object, 'template')],
  ['core/replicationcontrollers', templateOfSpec],
  ['apps/replicasets', templateOfSpec],
  ['apps/deployments', templateOfSpec],
  ['apps/statefulsets', templateOfSpec],
  ['apps/daemonsets', templateOfSpec],
  ['batch/jobs', templateOfSpec],
  [
    'batch/cronjobs',
    (object) => objectAt(objectAt(objectAt(specOf(object), 'jobTemplate'), 'spec'), 'template'),
  ],
]);

function templateOfSpec(object: KubeObject): JsonObject | undefined {
  return objectAt(specOf(object), 'template');
}

export function podSecurity(world: World, configuration?: PluginConfiguration): ValidatingPlugin {
  const rules = podSecurityRules(configuration);
  const read = remembered(({ metadata }) => policyOf(metadata.labels ?? {}, rules.defaults));
  const parts: Parts = {
    ...{ objects: world.objects, clock: world.clock, rules },
    policyIn({ objects, namespace }) {
      const stored = objects.get(NAMESPACES, pathOf('', namespace));
      return stored === undefined ? undefined : read(stored);
    },
  };
  return { name: 'PodSecurity', validatesAt: (place) => stepAt(parts, world.meters, place) };
}

function stepAt(
  parts: Parts,
  meters: AdmissionWorld['meters'],
  place: AdmissionPlace,
): AdmissionStep | undefined {
  const { served, operation, subresource } = place;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
  const { storage } = served.definition;
  if (storage === PODS) {
    if (OTHER_SUBRESOURCES.has(subresource)) return undefined;
    const measured = {
      ...parts,
      meters: meters.podSecurityAt({ operation, resource: 'pod', subresource }),
    };
    return (attributes) => validatePod(measured, attributes);
  }
  if (subresource !== '') return undefined;
  if (storage === NAMESPACES) {
    return operation === 'CREATE'
      ? (attributes) => validateNewNamespace(parts, attributes)
      : (attributes) => validateNamespace(parts, attributes);
  }
  const templateOf = TEMPLATES.get(storage);
  if (templateOf === undefined) return undefined;
  const measured = {
    ...parts,
    meters: meters.podSecurityAt({ operation, resource: 'controller', subresource }),
  };
  return (attributes) => validateWorkload(measured, attributes, templateOf);
}

function validatePod(parts: MeasuredParts, attributes: AdmissionAttributes): Status | undefined {
  const { object, oldObject, request, namespace, operation } = attributes;
  if (object === undefined || isExempt(parts, attributes)) return undefined;
  const read = parts.policyIn(attributes);
  if (read === undefined) {
    parts.meters.failed(true);
    const status = internalError(`failed to lookup namespace ${goQuote(namespace)}`);
    const why = `namespaces ${goQuote(namespace)} not found`;
    request.annotate(`${PREFIX}error`, `${status.message ?? ''}: ${why}`);
    return status;
  }
  if (read.errors.length === 0 && isFullyPrivileged(read.policy)) {
    request.annotate(`${PREFIX}enforce-policy`, 'privileged:latest');
    parts.meters.evaluated('allow', read.policy.enforce, 'enforce');
    return undefined;
  }
  const isUpdate = operation === 'UPDATE' && oldObject !== undefined;
  if (isUpdate && !isSignificant(specOf(object), specOf(oldObject))) return undefined;
  const pod = { metadata: object.metadata, spec: specOf(object) };
  return evaluate(parts, attributes, { pod, read, enforces: true });
}

function validateWorkload(
  parts: MeasuredParts,
  attributes: AdmissionAttributes,
  templateOf: (object: KubeObject) => JsonObject | undefined,
): Status | undefined {
  const { object, request, namespace } = attributes;
  if (object === undefined || isExempt(parts, attributes)) return undefined;
  const read = parts.policyIn(attributes);
  if (read === undefined) {
    parts.meters.failed(true);
    const why = `namespaces ${goQuote(namespace)} not found`;
    const message = `failed to lookup namespace ${goQuote(namespace)}: ${why}`;
    request.annotate(`${PREFIX}error`, message);
    return undefined;
  }
  const { warn, audit } = read.policy;
  const isOpen = warn.level === 'privileged' && audit.level === 'privileged';
  if (isOpen && read.errors.length === 0) return undefined;
  const template = templateOf(object);
  if (template === undefined) return undefined;
  const pod = {
    metadata: objectAt(template, 'metadata') ?? {},
    spec: objectAt(template, 'spec') ?? {},
  };
  return evaluate(parts, attributes, { pod, read, enforces: false });
}

function isExempt(
  { rules: { exemptNamespaces, exemptUsers }, meters }: MeasuredParts,
  { namespace, request }: AdmissionAttributes,
): boolean {
  const isExemptNamespace = exemptNamespaces.has(namespace);
  if (!isExemptNamespace && !exemptUsers.has(request.user.name)) return false;
  request.annotate(`${PREFIX}exempt`, isExemptNamespace ? 'namespace' : 'user');
  meters.exempted();
  return true;
}

interface Evaluation {
  readonly pod: CheckedPod;
  readonly read: ReadPolicy;
  /** Whether it is a pod itself, which can be refused. */
  readonly enforces: boolean;
}

/** In Kubernetes: EvaluatePod. */
function evaluate(
  { rules: { exemptRuntimeClasses }, meters }: MeasuredParts,
  attributes: AdmissionAttributes,
  { pod, read: { policy, errors }, enforces }: Evaluation,
): Status | undefined {
  const { request } = attributes;
  if (exemptRuntimeClasses.has(stringAt(pod.spec, 'runtimeClassName'))) {
    request.annotate(`${PREFIX}exempt`, 'runtimeClass');
    meters.exempted();
    return undefined;
  }
  if (errors.length > 0) {
    request.annotate(`${PREFIX}error`, `Failed to parse policy: ${formatFieldErrors(errors)}`);
    meters.failed(false);
  }
  const findings = findingsOf(pod);
  let refused: Status | undefined;
  if (enforces) {
    request.annotate(`${PREFIX}enforce-policy`, formatLevel(policy.enforce));
    refused = refusal(attributes, policy.enforce, findings(policy.enforce));
    meters.evaluated(refused === undefined ? 'allow' : 'deny', policy.enforce, 'enforce');
  }
  const audited = findings(policy.audit);
  if (audited.length > 0) {
    request.annotate(`${PREFIX}audit-violations`, wouldViolate(policy.audit, audited));
    meters.evaluated('deny', policy.audit, 'audit');
  }
  if (refused !== undefined) return refused;
  const warned = findings(policy.warn);
  if (warned.length > 0) {
    request.warn(wouldViolate(policy.warn, warned));
    meters.evaluated('deny', policy.warn, 'warn');
  }
  return undefined;
}

/** Modes often mean the same level, which is looked at once. */
function findingsOf(pod: CheckedPod): (level: LevelVersion) => readonly Finding[] {
  const known = new Map<string, readonly Finding[]>();
  return (level) => {
    const key = formatLevel(level);
    const found = known.get(key) ?? evaluatePod(level, pod);
    known.set(key, found);
    return found;
  };
}

function refusal(
  attributes: AdmissionAttributes,
  level: LevelVersion,
  findings: readonly Finding[],
): Status | undefined {
  if (findings.length === 0) return undefined;
  const { group, resource } = attributes.served.facts;
  const why = `violates PodSecurity ${goQuote(formatLevel(level))}: ${detailsOf(findings)}`;
  return forbidden({ group, resource }, nameOf(attributes), why);
}

function wouldViolate(level: LevelVersion, findings: readonly Finding[]): string {
  return `would violate PodSecurity ${goQuote(formatLevel(level))}: ${detailsOf(findings)}`;
}

function nameOf({ name, object }: AdmissionAttributes): string {
  return name === '' ? (object?.metadata.name ?? '') : name;
}

/** Of what can be changed in a pod only images matter. */
function isSignificant(spec: JsonObject, old: JsonObject): boolean {
  for (const list of ['containers', 'initContainers']) {
    const [now, before] = [objectsAt(spec, list), objectsAt(old, list)];
    if (now.length !== before.length) return true;
    if (now.some((one, index) => one['image'] !== before[index]?.['image'])) return true;
  }
  const before = objectsAt(old, 'ephemeralContainers');
  return objectsAt(spec, 'ephemeralContainers').some((one) => {
    const same = before.find((other) => other['name'] === one['name']);
    return same === undefined || same['image'] !== one['image'];
  });
}

function validateNewNamespace(
  { rules }: Parts,
  attributes: AdmissionAttributes,
): Status | undefined {
  const { object, request } = attributes;
  const { labels = {} } = object?.metadata ?? {};
  const { policy, errors } = policyOf(labels, rules.defaults);
  if (errors.length > 0) return invalidLabels(attributes, errors);
  const name = nameOf(attributes);
  if (!rules.exemptNamespaces.has(name)) return undefined;
  const warning = exemptWarning(name, { policy, labels, defaults: rules.defaults });
  if (warning !== '') request.warn(warning);
  return undefined;
}

function validateNamespace(
  parts: Parts,
  attributes: AdmissionAttributes,
): MaybePromise<Status | undefined> {
  const { object, oldObject, request } = attributes;
  const { rules } = parts;
  const labels = object?.metadata.labels ?? {};
  const { policy, errors } = policyOf(labels, rules.defaults);
  const before = policyOf(oldObject?.metadata.labels ?? {}, rules.defaults);
  // What was wrong before may stay as it is.
  const isNew = JSON.stringify(errors) !== JSON.stringify(before.errors);
  if (errors.length > 0 && isNew) return invalidLabels(attributes, errors);
  if (!isStricter(policy.enforce, before.policy.enforce)) return undefined;
  const name = nameOf(attributes);
  if (rules.exemptNamespaces.has(name)) {
    const warning = exemptWarning(name, { policy, labels, defaults: rules.defaults });
    if (warning !== '') request.warn(warning);
    return undefined;
  }
  const warnings = warningsOfPods([...parts.objects.of(PODS).inOrder(name)], {
    ...{ namespace: name, enforce: policy.enforce, clock: parts.clock },
    exemptRuntimeClasses: rules.exemptRuntimeClasses,
    deadline: request.deadline,
  });
  return andThen(warnings, (sentences) => {
    for (const sentence of sentences) request.warn(sentence);
    return undefined;
  });
}

/** Whether pods that are there may be against what is enforced from now on. */
function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (sameLevel(now, before) || now.level === 'privileged') return false;
  return now.version !== before.version || compareLevels(now.level, before.level) > 0;
}

function invalidLabels(attributes: AdmissionAttributes, errors: FieldErrors): Status {
  return invalid({ group: '', resource: 'Namespace' }, nameOf(attributes), errors);
}
