/**
 * What comes of workloads on their way through Kubernetes' internal types and back. What is a
 * pointer in v1 only is always written, and two annotations stand for fields that v1 has no more.
 *
 * In Kubernetes: pkg/apis/apps/v1/conversion.go.
 */
import type {
  DaemonSet,
  Deployment,
  RollingUpdateDaemonSet,
  RollingUpdateDeployment,
  StatefulSet,
} from '../../generated/kinds/apps-v1.ts';
import { isJsonObject, objectAt, type JsonObject, type JsonValue } from '../../json/json.ts';
import { forEachItem } from '../../json/work-in-slices.ts';
import { parseInt64 } from '../../json/go-numbers.ts';

/** Counts the changes of a daemon set's template. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const CLAIM_TYPE = { kind: 'PersistentVolumeClaim', apiVersion: 'v1' };

/** Why the object cannot be read, in Go's words; undefined: it can. */
export function daemonSetMisfit({ metadata }: JsonObject): string | undefined {
  const generation = annotationIn(metadata, TEMPLATE_GENERATION);
  return generation === undefined ? undefined : numberMisfit(generation);
}

/** As {@link daemonSetMisfit}. */
export function deploymentMisfit({ metadata }: JsonObject): string | undefined {
  const revision = annotationIn(metadata, ROLLBACK_TO) ?? '';
  const misfit = revision === '' ? undefined : numberMisfit(revision);
  if (misfit === undefined) return undefined;
  return `failed to parse annotation[${ROLLBACK_TO}]=${revision} as int64: ${misfit}`;
}

/**
 * Brings a stored Deployment into the form that upstream's conversions leave: zeros of the rolling
 * update filled in, the rollback annotation as a number.
 */
export function settleDeployment(deployment: Deployment): void {
  fillRollingUpdate(deployment.spec.strategy.rollingUpdate);
  const { annotations } = deployment.metadata;
  const revision = annotations?.[ROLLBACK_TO];
  if (annotations === undefined || revision === undefined) return;
  const { [ROLLBACK_TO]: _revision, ...others } = annotations;
  const kept = revision === '' ? others : { ...others, [ROLLBACK_TO]: asNumber(revision) };
  deployment.metadata.annotations = kept;
  if (Object.keys(kept).length === 0) delete deployment.metadata.annotations;
}

/** The same for a DaemonSet, with the annotation that counts its templates. */
export function settleDaemonSet(daemonSet: DaemonSet): void {
  fillRollingUpdate(daemonSet.spec.updateStrategy.rollingUpdate);
  const { annotations } = daemonSet.metadata;
  const generation = asNumber(annotations?.[TEMPLATE_GENERATION] ?? '0');
  daemonSet.metadata.annotations = { ...annotations, [TEMPLATE_GENERATION]: generation };
}

/** Annotations that the conversion to apps/v1 makes of fields, by kind. */
const MADE_ANNOTATIONS: ReadonlyMap<string, string> = new Map([
  ['DaemonSet', TEMPLATE_GENERATION],
  ['Deployment', ROLLBACK_TO],
]);

/** The metadata as partial forms of an object show them, which upstream makes of its own types: those have none of these annotations. */
export function unconvertedMetadata(object: JsonObject): JsonObject {
  const { kind, apiVersion } = object;
  const metadata = objectAt(object, 'metadata') ?? {};
  const made = typeof kind === 'string' ? MADE_ANNOTATIONS.get(kind) : undefined;
  if (made === undefined || apiVersion !== 'apps/v1') return metadata;
  const annotations = objectAt(metadata, 'annotations');
  if (annotations?.[made] === undefined) return metadata;
  const { [made]: _, ...others } = annotations;
  const { annotations: __, ...rest } = metadata;
  return Object.keys(others).length === 0 ? rest : { ...metadata, annotations: others };
}

/** Claims in templates are always shown with their type, though it could be no other. */
export function settleStatefulSet({ spec }: StatefulSet): void {
  const { rollingUpdate } = spec.updateStrategy;
  if (rollingUpdate !== undefined) rollingUpdate.partition ??= 0;
  forEachItem(spec.volumeClaimTemplates ?? [], (claim) => Object.assign(claim, CLAIM_TYPE));
}

function fillRollingUpdate(
  update: RollingUpdateDaemonSet | RollingUpdateDeployment | undefined,
): void {
  if (update === undefined) return;
  update.maxUnavailable ??= 0;
  update.maxSurge ??= 0;
}

function annotationIn(metadata: JsonValue | undefined, key: string): string | undefined {
  const annotations = isJsonObject(metadata) ? objectAt(metadata, 'annotations') : undefined;
  const value = annotations?.[key];
  return typeof value === 'string' ? value : undefined;
}

function numberMisfit(text: string): string | undefined {
  const number = parseInt64(text);
  return typeof number === 'string'
    ? `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${number}`
    : undefined;
}

/** As Go writes the number again. */
function asNumber(text: string): string {
  const number = parseInt64(text);
  return typeof number === 'bigint' ? String(number) : text;
}
