/**
 * A plug-in of admission: what may be written, and what is added to it on the way.
 *
 * What a plug-in does at a place in the API (a resource, an operation, a subresource) is asked once
 * and kept, so plug-ins that have nothing to do there cost nothing. What depends on objects
 * (policies, quotas, namespaces) is looked up by the step itself.
 *
 * In Kubernetes: Interface, MutationInterface and ValidationInterface, apiserver/pkg/admission.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Status } from '../../api/meta/status.ts';
import type { AdmissionAttributes, AdmissionPlace } from './admission-attributes.ts';

/** @returns what is answered instead; undefined: go on. */
export type AdmissionStep = (attributes: AdmissionAttributes) => MaybePromise<Status | undefined>;

export interface AdmissionPlugin {
  /** As upstream spells it: `NamespaceLifecycle`. */
  readonly name: string;
  /** What it does while objects may still be changed; undefined: nothing. */
  mutatesAt?(place: AdmissionPlace): AdmissionStep | undefined;
  /** What it does when they may not be changed any more; undefined: nothing. */
  validatesAt?(place: AdmissionPlace): AdmissionStep | undefined;
}
