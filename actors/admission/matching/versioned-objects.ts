/**
 * The objects of a request in the version in which a webhook or a policy wants to see them. What it
 * makes of the new one is brought back into the version that admission works in at the end, or
 * when the next one wants another version.
 *
 * In Kubernetes: VersionedAttributes and ConvertVersionedAttributes,
 * apiserver/pkg/admission/conversion.go.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { copyJson } from '../../../api/json/json-tree.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { Converted } from '../../../api/kinds/custom-serving.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { NamedPlace } from './resource-rules.ts';
import { internalError, type Status } from '../../../api/meta/status.ts';

/** Both objects as a place shows them. */
export interface VersionedObjects {
  /** The place in whose version both objects are. */
  readonly target: NamedPlace;
  /** undefined for a delete. */
  readonly object: KubeObject | undefined;
  /** Not to be changed. */
  readonly oldObject: KubeObject | undefined;
}

/** The objects in the wanted version, or why a conversion failed, in words for the client. */
export type Versioned =
  | { readonly ok: true; readonly versioned: VersionedObjects }
  | { readonly ok: false; readonly message: string };

/** The objects of the request as `target` shows them; neither is changed. */
export function versionedFor(
  attributes: AdmissionAttributes,
  target: NamedPlace,
): MaybePromise<Versioned> {
  const both = [attributes.object, attributes.oldObject].filter((one) => one !== undefined);
  return andThen(shownAt(attributes, target, both), (converted): Versioned => {
    if (!converted.ok) return converted;
    const rest = [...converted.objects];
    const object = attributes.object === undefined ? undefined : rest.shift();
    const oldObject = attributes.oldObject === undefined ? undefined : rest.shift();
    return { ok: true, versioned: { target, object, oldObject } };
  });
}

/** An object of `target`, in the version that admission works in; it may be changed. */
function broughtBack(
  attributes: AdmissionAttributes,
  target: NamedPlace,
  object: KubeObject,
): MaybePromise<Converted> {
  if (!isResource(attributes, target)) return { ok: true, objects: [object] };
  const { custom } = attributes.served;
  if (custom === undefined) return { ok: true, objects: [stored(target.served, object)] };
  if (target.served.apiVersion === attributes.served.apiVersion) {
    return { ok: true, objects: [object] };
  }
  return custom.toServed([object], attributes.sizeBytes);
}

function shownAt(
  attributes: AdmissionAttributes,
  target: NamedPlace,
  objects: readonly KubeObject[],
): MaybePromise<Converted> {
  if (!isResource(attributes, target)) return { ok: true, objects };
  const { custom, conversion, apiVersion } = target.served;
  if (custom === undefined) {
    if (conversion === undefined) return { ok: true, objects };
    return { ok: true, objects: objects.map((one) => conversion.fromStorage(copied(one))) };
  }
  if (objects.every((one) => one.apiVersion === apiVersion)) return { ok: true, objects };
  return custom.toServed(objects.map(copied), attributes.sizeBytes);
}

/** Kinds of subresources, such as Scale, are the same whatever the version of the resource. */
function isResource({ kind, served }: AdmissionAttributes, target: NamedPlace): boolean {
  return kind.kind === served.facts.kind && target.kind.kind === target.served.facts.kind;
}

function stored({ conversion }: ServedResource, object: KubeObject): KubeObject {
  return conversion === undefined ? object : conversion.toStorage(object);
}

function copied(object: KubeObject): KubeObject {
  return copyJson(object);
}

/**
 * The objects of one request while webhooks and policies change them, in the version that the
 * latest one saw.
 */
export class WorkingObjects {
  readonly #attributes: AdmissionAttributes;
  #versioned: VersionedObjects | undefined;
  #isDirty = false;

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** As it is by now, in whichever version. */
  get object(): KubeObject | undefined {
    return this.#versioned?.object ?? this.#attributes.object;
  }

  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** The objects as `target` shows them, with all that was changed by now. */
  async shownAt(target: NamedPlace): Promise<Versioned> {
    const known = this.#versioned;
    if (known?.target.served.apiVersion === target.served.apiVersion) {
      return { ok: true, versioned: known };
    }
    const problem = await this.settle();
    if (problem !== undefined) return { ok: false, message: problem.message ?? '' };
    const shown = await versionedFor(this.#attributes, target);
    if (shown.ok) this.#versioned = shown.versioned;
    return shown;
  }

  /** @param versioned that was last shown, of which this is the new object. */
  replace(versioned: VersionedObjects, object: KubeObject): void {
    this.#versioned = { ...versioned, object };
    this.#isDirty = true;
  }

  /** Brings back what was changed; a Status where it cannot be. */
  async settle(): Promise<Status | undefined> {
    const versioned = this.#versioned;
    if (!this.#isDirty || versioned?.object === undefined) return undefined;
    const back = await broughtBack(this.#attributes, versioned.target, versioned.object);
    if (!back.ok) return internalError(back.message);
    [this.#attributes.object] = back.objects;
    this.#versioned = undefined;
    this.#isDirty = false;
    return undefined;
  }
}
