/**
 * The Scale of an object, wherever its kind keeps its replicas, and the managers of its fields. It is
 * shown with the managers of the replicas of its object; a writer of it becomes their manager in the
 * object.
 *
 * In Kubernetes: ScaleHandler, apimachinery/pkg/util/managedfields, as each ScaleREST uses it.
 */
import { managedUpdate } from '../../../api/managed-fields/field-manager.ts';
import type { ManagedResource } from '../../../api/managed-fields/managed-resource.ts';
import {
  type ReplicasPaths,
  toParentEntries,
  toScaleEntries,
} from '../../../api/managed-fields/scale-fields.ts';
import { mergeTypeOf } from '../../../api/merge/built-in-merge-types.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { atOnce } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import {
  convertibleVersions,
  type ServedResource,
} from '../../../api/kinds/resource-definition.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { type ManagedWrite, managerOf, withEntries } from './managed-fields.ts';
import type { WriteContext } from '../write-context.ts';
import {
  badRequest,
  internalError,
  type Status,
  unclassifiedFailure,
} from '../../../api/meta/status.ts';
import type { FieldErrors } from '../../../api/field/field-errors.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { applyScale, scaleOf, validateScale } from '../../../api/kinds/scale.ts';

/** The id of autoscaling/v1 Scale among the facts of types. */
export const SCALE_TYPE = 'io.k8s.api.autoscaling.v1.Scale';
const SCALE_VERSION = 'autoscaling/v1';

let emptyScale: JsonObject | undefined;

/** All scales are one kind, whatever they are the scale of. */
export const managedScale: ManagedResource = {
  apiVersion: SCALE_VERSION,
  kind: 'Scale',
  subresource: 'scale',
  typed: true,
  emptyObject: () => (emptyScale ??= madeEmpty()),
  mergeTypeOf: (apiVersion) => (apiVersion === SCALE_VERSION ? mergeTypeOf(SCALE_TYPE) : undefined),
  convert: (object) => ({ ok: true, object }),
  resetFields: new Map(),
};

function madeEmpty(): JsonObject {
  const decoded = typedCodec(SCALE_TYPE).decode({ apiVersion: SCALE_VERSION, kind: 'Scale' });
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.value;
}

/** The scale as it is when its object is as it is, with the managers of its replicas. */
export function withScaleEntries(
  scale: KubeObject,
  { metadata }: KubeObject,
  paths: ReplicasPaths,
): KubeObject {
  return withEntries(scale, toScaleEntries(metadata['managedFields'], paths));
}

/** Enters the writer of the scale. */
export function managedScaleUpdate(
  context: Pick<WriteContext, 'clock'>,
  write: Omit<ManagedWrite, 'served'>,
  live: KubeObject,
  object: KubeObject,
): KubeObject {
  const now = formatTime(context.clock.now());
  const update = { live, object, manager: managerOf(write), now };
  // There is one version of Scales: none is converted.
  return withEntries(object, atOnce(managedUpdate(managedScale, update)));
}

/** Enters in the object the manager of its replicas. */
export function withParentEntries(
  object: KubeObject,
  served: ServedResource,
  scale: KubeObject,
  paths: ReplicasPaths,
): KubeObject {
  const entries = toParentEntries({
    parent: object.metadata['managedFields'],
    scale: scale.metadata['managedFields'],
    apiVersion: served.apiVersion,
    paths,
  });
  return withEntries(object, entries);
}

const REPLICAS: readonly string[] = ['spec', 'replicas'];

/** Where each version of the resource has its replicas. */
export function replicasPathsOf({ definition }: ServedResource): ReplicasPaths {
  return new Map(
    convertibleVersions(definition).map(({ apiVersion, custom }) => {
      const path = custom === undefined ? REPLICAS : custom.scale?.replicasPath;
      return [apiVersion, path] as const;
    }),
  );
}

/** The Scale of an object, or the Status of an object whose replicas cannot be read. */
export type ScaleRead =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly status: Status };

/** Stands in a Scale for replicas that are not set: no object can say so few. */
const NOT_SET = -2_147_483_648;

/** What a GET shows. */
export function shownScale({ custom }: ServedResource, object: KubeObject): ScaleRead {
  const scale = custom?.scale;
  if (scale === undefined) return { ok: true, object: scaleOf(object) };
  const found = scale.scaleOf(object);
  if (!found.ok) return { ok: false, status: unclassifiedFailure(found.message) };
  if (found.isComplete) return { ok: true, object: found.scale };
  const path = goQuote(pathText(scale.replicasPath));
  const status = internalError(new Error(`the spec replicas field ${path} does not exist`));
  return { ok: false, status };
}

/** What a write changes: it may set replicas that are not set. */
export function writtenScale({ custom }: ServedResource, object: KubeObject): ScaleRead {
  const scale = custom?.scale;
  if (scale === undefined) return { ok: true, object: scaleOf(object) };
  const found = scale.scaleOf(object);
  if (!found.ok) return { ok: false, status: unclassifiedFailure(found.message) };
  if (found.isComplete) return { ok: true, object: found.scale };
  return { ok: true, object: { ...found.scale, spec: { replicas: NOT_SET } } };
}

/** The object that the Scale asks for; neither is changed. */
export function withScale(
  { custom }: ServedResource,
  object: KubeObject,
  scale: KubeObject,
): ScaleRead {
  const rules = custom?.scale;
  if (rules === undefined) return { ok: true, object: applyScale(object, scale) };
  const spec = scale['spec'];
  if (typeof spec === 'object' && spec !== null && 'replicas' in spec) {
    if (spec['replicas'] === NOT_SET) {
      const path = goQuote(pathText(rules.replicasPath));
      return { ok: false, status: badRequest(`the spec replicas field ${path} cannot be empty`) };
    }
  }
  return { ok: true, object: rules.applyScale(object, scale) };
}

/** Of custom resources it is the object that is validated. */
export function scaleErrors({ custom }: ServedResource, scale: KubeObject): FieldErrors {
  return custom?.scale === undefined ? validateScale(scale) : [];
}

function pathText(path: readonly string[]): string {
  return `.${path.join('.')}`;
}
