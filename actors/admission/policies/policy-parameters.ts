/**
 * The parameters that a binding gives its policy: objects of any kind that is served, as they are
 * at the moment of the request.
 *
 * In Kubernetes: CollectParams, apiserver/pkg/admission/plugin/policy/generic.
 */
import type {
  ParamKind as DeclaredParamKind,
  ParamRef as DeclaredParamRef,
} from '../../../api/generated/kinds/admissionregistration-v1.ts';
import type { LabelSelector as DeclaredSelector } from '../../../api/generated/kinds/meta-v1.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { labelSelectorOf, type LabelSelector } from '../../../api/selectors/label-selector.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';
import type { KindsServed } from '../../served-resources/served-kinds.ts';

/** What kind of parameters a policy takes. */
export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Which of them a binding gives. */
export interface ParamRef {
  readonly name: string;
  /** '' for that of the request. */
  readonly namespace: string;
  /** A message where it cannot be read; undefined where a name is given. */
  readonly selector: LabelSelector | string | undefined;
  readonly isDeniedWithout: boolean;
}

export interface ParamsParts {
  readonly kinds: KindsServed;
  readonly objects: ObjectView;
}

/** undefined stands for no parameter, with which a policy is asked too. */
export type Params =
  | { readonly ok: true; readonly params: readonly (JsonObject | undefined)[] }
  | { readonly ok: false; readonly message: string };

const NONE: Params = { ok: true, params: [undefined] };

export function compileParamKind(declared: DeclaredParamKind | undefined): ParamKind | undefined {
  if (declared === undefined) return undefined;
  const { apiVersion = '', kind = '' } = declared;
  return { apiVersion, kind };
}

export function compileParamRef(reference: DeclaredParamRef | undefined): ParamRef | undefined {
  if (reference === undefined) return undefined;
  const { name = '', namespace = '', selector, parameterNotFoundAction } = reference;
  return {
    name,
    namespace,
    selector: selector && readSelector(selector),
    isDeniedWithout: parameterNotFoundAction === 'Deny',
  };
}

/** Why no parameter of this kind could ever be found; undefined: it is served. */
export function unknownKind({ kinds }: ParamsParts, wanted: ParamKind): string | undefined {
  const { apiVersion, kind } = wanted;
  if (kinds.ofKind(apiVersion, kind) !== undefined) return undefined;
  return `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`;
}

/** @param namespace that of the request, '' where it is of none. */
export function collectParams(
  parts: ParamsParts,
  kind: ParamKind | undefined,
  reference: ParamRef | undefined,
  namespace: string,
): Params {
  if (kind === undefined || reference === undefined) return NONE;
  const served = parts.kinds.ofKind(kind.apiVersion, kind.kind);
  if (served === undefined) return failed(unknownKind(parts, kind) ?? '');
  const where = placeOf(served, reference, namespace);
  if (!where.ok) return where;
  const { selector, name } = reference;
  if (typeof selector === 'string') return failed(selector);
  const found =
    name === ''
      ? listed(parts, served, where.namespace, selector)
      : named(parts, served, where.namespace, name);
  if (found.length === 0 && reference.isDeniedWithout) {
    return failed('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return { ok: true, params: found.map((stored) => shown(served, stored)) };
}

type Where = { readonly ok: true; readonly namespace: string } | (Params & { readonly ok: false });

function placeOf({ definition }: ServedResource, reference: ParamRef, namespace: string): Where {
  if (!definition.namespaced) {
    if (reference.namespace === '') return { ok: true, namespace: '' };
    return failed('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const wanted = reference.namespace === '' ? namespace : reference.namespace;
  if (wanted !== '') return { ok: true, namespace: wanted };
  return failed(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}

function named(
  { objects }: ParamsParts,
  { definition }: ServedResource,
  namespace: string,
  name: string,
): readonly StoredObject[] {
  const found = objects.get(definition.storage, pathOf(namespace, name));
  return found === undefined ? [] : [found];
}

function listed(
  { objects }: ParamsParts,
  { definition }: ServedResource,
  namespace: string,
  selector: LabelSelector | undefined,
): readonly StoredObject[] {
  if (selector === undefined) return [];
  return [...objects.of(definition.storage).inOrder(namespace)].filter(({ labels }) =>
    selector.matches(labels),
  );
}

const kept = new WeakMap<StoredObject, { readonly by: ServedResource; readonly as: KubeObject }>();

/** As its version shows it; expressions change nothing of it. */
function shown(served: ServedResource, stored: StoredObject): KubeObject {
  const known = kept.get(stored);
  if (known?.by === served) return known.as;
  const object = parsedObject(stored);
  const { custom, conversion } = served;
  const as =
    custom === undefined
      ? (conversion?.fromStorage(object) ?? object)
      : custom.asFarAsPossible(object);
  kept.set(stored, { by: served, as });
  return as;
}

function readSelector(selector: DeclaredSelector): LabelSelector | string {
  const parsed = labelSelectorOf(selector); // As it was validated.
  return parsed.ok ? parsed.selector : parsed.message;
}

function failed(message: string): Params & { readonly ok: false } {
  return { ok: false, message };
}
