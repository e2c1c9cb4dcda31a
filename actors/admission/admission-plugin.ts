/**
 * A plug-in of admission: what may be written, and what is added to it on the way.
 *
 * What a plug-in does at a place in the API (a resource, an operation, a subresource) is asked once
 * and kept, so plug-ins that have nothing to do there cost nothing. What depends on objects
 * (policies, quotas, namespaces, webhooks) is looked up by the step itself.
 *
 * In Kubernetes: Interface, MutationInterface and ValidationInterface, apiserver/pkg/admission.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { FieldErrors } from '../../api/field/field-errors.ts';
import type { Status } from '../../api/meta/status.ts';
import type { AdmissionAttributes, AdmissionPlace } from './admission-attributes.ts';

/**
 * Looks at a write, and changes its attributes in place in the mutating phase. Gives the refusal, or
 * undefined where the next plug-in is asked, or a promise of either; the plug-in chain alone waits.
 */
export type AdmissionStep = (attributes: AdmissionAttributes) => MaybePromise<Status | undefined>;

/** What a plug-in does at a place; undefined: nothing. */
export type StepAt = (place: AdmissionPlace) => AdmissionStep | undefined;

/** Gives the rights that the user lacks for the object as its kind has prepared it, in the form of the rules' errors. */
export type RightsStep = (attributes: AdmissionAttributes) => MaybePromise<FieldErrors>;

/** Which rights a plug-in asks for at a place; undefined: none. */
export type RightsAt = (place: AdmissionPlace) => RightsStep | undefined;

interface Named {
  /** As upstream spells it: `NamespaceLifecycle`. */
  readonly name: string;
}

/** Has nothing to do in either phase. */
export interface IdlePlugin extends Named {
  /** Never there. */
  readonly mutatesAt?: undefined;
  /** Never there. */
  readonly validatesAt?: undefined;
}

/** Is asked before the rules of the kind, while the object may still be changed. */
export interface MutatingPlugin extends Named {
  /** The step for a place of the API; undefined: the plug-in is not asked there. */
  readonly mutatesAt: StepAt;
  /** Never there. */
  readonly validatesAt?: undefined;
}

/** Is asked behind the rules of the kind, when the object may not be changed any more. */
export interface ValidatingPlugin extends Named {
  /** Never there. */
  readonly mutatesAt?: undefined;
  /** The step for a place of the API; undefined: the plug-in is not asked there. */
  readonly validatesAt: StepAt;
}

/** Is asked in both phases. */
export interface TwoPhasePlugin extends Named {
  /** The step of the first phase for a place of the API; undefined: it has none there. */
  readonly mutatesAt: StepAt;
  /** The step of the second phase for a place of the API; undefined: it has none there. */
  readonly validatesAt: StepAt;
}

/** Is asked together with the rules of the kind: one refusal tells what it finds and what they find. */
export interface RightsPlugin extends Named {
  /** Never there. */
  readonly mutatesAt?: undefined;
  /** Never there. */
  readonly validatesAt?: undefined;
  /** The rights for a place of the API; undefined: the plug-in is not asked there. */
  readonly rightsAt: RightsAt;
}

export type AdmissionPlugin =
  | IdlePlugin
  | MutatingPlugin
  | ValidatingPlugin
  | TwoPhasePlugin
  | RightsPlugin;
