/** The Scale of an object, wherever its kind keeps its replicas. */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import {
  badRequest,
  internalError,
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { FieldErrors } from '../../../api/field/field-errors.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { applyScale, scaleOf, validateScale } from '../../../api/kinds/scale.ts';

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
