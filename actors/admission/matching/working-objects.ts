/**
 * The objects of a request while others change them: shown in one version at a time, and brought
 * back into the one that admission works in when another is asked for, or at the end.
 *
 * In Kubernetes: ConvertVersionedAttributes, apiserver/pkg/admission/conversion.go.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { internalError, type Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { NamedPlace } from './equivalent-places.ts';
import {
  broughtBack,
  versionedFor,
  type Versioned,
  type VersionedObjects,
} from './versioned-objects.ts';

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
