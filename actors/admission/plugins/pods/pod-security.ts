/**
 * PodSecurity: what the labels of a namespace allow its pods. Pods that are not allowed are
 * refused; a client that writes a workload which would make such pods is warned; and a client that
 * makes a namespace stricter is told which of its pods would not be let in any more.
 *
 * In Kubernetes: plugin/pkg/admission/security/podsecurity and k8s.io/pod-security-admission.
 */
import { items } from '../../../../api/json/go-values.ts';
import { forEachItem, remembered as once } from '../../../../api/json/work-in-slices.ts';
import type {
  Namespace,
  Pod,
  PodSpec,
  PodTemplateSpec,
} from '../../../../api/generated/kinds/core-v1.ts';
import { type AttributesOf, firstOf, stepFor, stepMadeFor } from '../../kind-steps.ts';
import type { MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import type { AuthenticatedRequest } from '../../../request/request.ts';
import { type Status, forbidden, internalError, invalid } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { type FieldErrors, formatFieldErrors } from '../../../../api/field/field-errors.ts';
import { pathOf } from '../../../../streams/event.ts';
import type { AdmissionAttributes, AdmissionPlace } from '../../admission-attributes.ts';
import type { PodSecurityMeters } from '../../admission-meters.ts';
import type { StepAt, ValidatingPlugin } from '../../admission-plugin.ts';
import { NAMESPACES } from '../namespaces.ts';
import type { PluginConfiguration } from '../../plugin-configuration.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import type { CheckedPod, Finding } from '../../pod-security/check.ts';
import { type PodSecurityRules, podSecurityRules } from '../../pod-security/configuration.ts';
import { detailsOf, evaluatePod } from '../../pod-security/evaluate.ts';
import {
  type LevelVersion,
  PREFIX,
  type ReadPolicy,
  compareLevels,
  exemptWarning,
  formatLevel,
  isFullyPrivileged,
  policyOf,
  sameLevel,
} from '../../pod-security/levels.ts';
import { warningsOfPods } from '../../pod-security/pods-in-namespace.ts';
import { inSlicesFor } from '../../large-objects.ts';
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

type Write<Kind> = AttributesOf<Kind, 'CREATE' | 'UPDATE'>;

/** Of a workload, or of a template that is kept by itself. */
type Template = PodTemplateSpec | null | undefined;

export function podSecurity(world: World, configuration?: PluginConfiguration): ValidatingPlugin {
  const rules = podSecurityRules(configuration);
  const read = remembered('v1/namespaces', ({ metadata }) =>
    policyOf(metadata.labels ?? {}, rules.defaults),
  );
  const parts: Parts = {
    ...{ objects: world.objects, clock: world.clock, rules },
    policyIn({ objects, namespace }) {
      const stored = objects.get(NAMESPACES, pathOf('', namespace));
      return stored === undefined ? undefined : read(stored);
    },
  };
  return {
    name: 'PodSecurity',
    validatesAt: firstOf(
      ...stepsOfPods(parts, world.meters),
      stepFor('v1/namespaces', ['CREATE'], (write) => validateNewNamespace(parts, write)),
      stepFor('v1/namespaces', ['UPDATE'], (write) => validateNamespace(parts, write)),
    ),
  };
}

/** In Kubernetes: PodSpecExtractor, k8s.io/pod-security-admission/admission. */
function stepsOfPods(parts: Parts, meters: AdmissionWorld['meters']): readonly StepAt[] {
  const measuredAt = (
    resource: 'controller' | 'pod',
    { operation, subresource }: AdmissionPlace,
  ): MeasuredParts => ({
    ...parts,
    meters: meters.podSecurityAt({ operation, resource, subresource }),
  });
  return [
    // Other subresources show no pod, or change none of its containers.
    stepMadeFor(['v1/pods', 'v1/pods/ephemeralcontainers', 'v1/pods/resize'], WRITES, (place) => {
      const measured = measuredAt('pod', place);
      return (write) => validatePod(measured, write);
    }),
    stepMadeFor('v1/podtemplates', WRITES, (place) => {
      const measured = measuredAt('controller', place);
      return (write) => validateWorkload(measured, write, write.object.template);
    }),
    stepMadeFor(CONTROLLERS, WRITES, (place) => {
      const measured = measuredAt('controller', place);
      return (write) => validateWorkload(measured, write, write.object.spec.template);
    }),
    stepMadeFor('batch/v1/cronjobs', WRITES, (place) => {
      const measured = measuredAt('controller', place);
      return (write) =>
        validateWorkload(measured, write, write.object.spec.jobTemplate.spec.template);
    }),
  ];
}

/** What makes pods of a template in its spec. */
const CONTROLLERS = [
  'v1/replicationcontrollers',
  'apps/v1/replicasets',
  'apps/v1/deployments',
  'apps/v1/statefulsets',
  'apps/v1/daemonsets',
  'batch/v1/jobs',
] as const;

const WRITES = ['CREATE', 'UPDATE'] as const;

function validatePod(
  parts: MeasuredParts,
  attributes: Write<Pod>,
): MaybePromise<Status | undefined> {
  const { object, oldObject, request, namespace } = attributes;
  if (isExempt(parts, attributes)) return undefined;
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
  if (oldObject !== undefined && !isSignificant(object.spec, oldObject.spec)) return undefined;
  return evaluate(parts, attributes, { pod: object, read, enforces: true });
}

function validateWorkload(
  parts: MeasuredParts,
  attributes: AdmissionAttributes,
  template: Template,
): MaybePromise<Status | undefined> {
  const { request, namespace } = attributes;
  if (isExempt(parts, attributes)) return undefined;
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
  if (template === undefined || template === null) return undefined;
  return evaluate(parts, attributes, { pod: template, read, enforces: false });
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
  parts: MeasuredParts,
  attributes: AdmissionAttributes,
  evaluation: Evaluation,
): MaybePromise<Status | undefined> {
  const {
    rules: { exemptRuntimeClasses },
    meters,
  } = parts;
  const { pod, read, enforces } = evaluation;
  const { policy, errors } = read;
  const { request } = attributes;
  if (exemptRuntimeClasses.has(pod.spec.runtimeClassName ?? '')) {
    request.annotate(`${PREFIX}exempt`, 'runtimeClass');
    meters.exempted();
    return undefined;
  }
  if (errors.length > 0) {
    request.annotate(`${PREFIX}error`, `Failed to parse policy: ${formatFieldErrors(errors)}`);
    meters.failed(false);
  }
  const levels = [...(enforces ? [policy.enforce] : []), policy.audit, policy.warn];
  return inSlicesFor(
    attributes,
    () => findingsOf(pod, levels),
    (findings) => verdict(parts, attributes, evaluation, findings),
  );
}

/** Tells of what was found, and refuses what is enforced. */
function verdict(
  { meters }: MeasuredParts,
  attributes: AdmissionAttributes,
  { read: { policy }, enforces }: Evaluation,
  findings: Findings,
): Status | undefined {
  const { request } = attributes;
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

type Findings = (level: LevelVersion) => readonly Finding[];

/** Modes often mean the same level, which is looked at once. */
function findingsOf(pod: CheckedPod, levels: readonly LevelVersion[]): Findings {
  const known = once(() => new Map<string, readonly Finding[]>());
  forEachItem(levels, (level) => {
    const key = formatLevel(level);
    if (!known.has(key)) known.set(key, evaluatePod(level, pod));
  });
  return (level) => known.get(formatLevel(level)) ?? [];
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
function isSignificant(spec: PodSpec, old: PodSpec): boolean {
  for (const list of ['containers', 'initContainers'] as const) {
    const [now, before] = [items(spec[list]), items(old[list])];
    if (now.length !== before.length) return true;
    if (now.some(({ image }, index) => image !== before[index]?.image)) return true;
  }
  const before = items(old.ephemeralContainers);
  return items(spec.ephemeralContainers).some(({ name, image }) => {
    const same = before.find((other) => other.name === name);
    return same === undefined || same.image !== image;
  });
}

function validateNewNamespace(
  { rules }: Parts,
  attributes: AttributesOf<Namespace, 'CREATE'>,
): Status | undefined {
  const { object, request } = attributes;
  const { labels = {} } = object.metadata;
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
  attributes: AttributesOf<Namespace, 'UPDATE'>,
): MaybePromise<Status | undefined> {
  const { object, oldObject, request } = attributes;
  const { rules } = parts;
  const labels = object.metadata.labels ?? {};
  const { policy, errors } = policyOf(labels, rules.defaults);
  const before = policyOf(oldObject.metadata.labels ?? {}, rules.defaults);
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
  return warnOfPods(
    request,
    warningsOfPods([...parts.objects.of('core/pods').inOrder(name)], {
      ...{ namespace: name, enforce: policy.enforce, clock: parts.clock },
      exemptRuntimeClasses: rules.exemptRuntimeClasses,
      deadline: request.deadline,
    }),
  );
}

async function warnOfPods(
  request: AuthenticatedRequest,
  warnings: MaybePromise<readonly string[]>,
): Promise<undefined> {
  for (const sentence of await warnings) request.warn(sentence);
}

/** Whether pods that are there may be against what is enforced from now on. */
function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (sameLevel(now, before) || now.level === 'privileged') return false;
  return now.version !== before.version || compareLevels(now.level, before.level) > 0;
}

function invalidLabels(attributes: AdmissionAttributes, errors: FieldErrors): Status {
  return invalid({ group: '', resource: 'Namespace' }, nameOf(attributes), errors);
}
