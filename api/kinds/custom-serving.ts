/**
 * What a resource that a CustomResourceDefinition makes has beyond a built-in one: its objects may
 * lie in another version than the one that is asked for, or be older than their schema, so what is
 * shown of them is made when it is read.
 *
 * In Kubernetes: crdInfo, apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
 */
import type { KubeObject } from '../meta/object-meta.ts';
import type { FieldErrors } from '../field/field-errors.ts';

export interface CustomServing {
  /** The definition as it is now, where others may have changed it since the request came. */
  definition(): CurrentDefinition;
  /** Columns behind the name. */
  readonly columns: readonly PrinterColumn[];
  /** undefined: it has no `scale`. */
  readonly scale: ScaleRules | undefined;
  /** `stable.example.com/v1`: what objects are written in. */
  readonly storedApiVersion: string;

  /** Whether a webhook converts between its versions. */
  readonly asksWebhook: boolean;
  /** Whether these bytes of the log are what this version shows, so that nothing has to be read. */
  isShownAsStored(stored: LoggedBytes): boolean;
  /**
   * The same, where that has to be seen from what was read of them: no default is missing. Less is done for this than
   * for {@link toServed}.
   */
  isShownAsRead(stored: LoggedBytes, read: KubeObject): boolean;
  /**
   * Objects of any version as this one shows them. They may be changed. Not at once where a webhook
   * has to be asked, or where they are large.
   *
   * @param sizeBytes of them all; those of many bytes are worked on in slices. 0: at once.
   */
  toServed(objects: readonly KubeObject[], sizeBytes: number): Conversion;
  /** An object of this version as it is to be written. */
  toStored(object: KubeObject, sizeBytes: number): Conversion;
  /**
   * An object of any version in this one, neither pruned nor defaulted: for its field managers, a field that this version does
   * not have is a mistake, and not nothing. It may be changed.
   */
  toManaged(object: KubeObject): Conversion;
  /**
   * As {@link toServed}, for callers that cannot wait: what only a webhook could convert stays
   * in its version.
   */
  asFarAsPossible(object: KubeObject): KubeObject;
}

/** What a new object depends on. */
export interface CurrentDefinition {
  /** Where it lies: `/crontabs.stable.example.com`. */
  readonly path: string;
  /** undefined: it is gone, or another one of its name is there. */
  readonly resourceVersion: number | undefined;
  /** It is being deleted: nothing new may be made. */
  readonly isTerminating: boolean;
}

/** An object as it lies in the log. */
export interface LoggedBytes {
  /** Where the object lies in the log. */
  readonly resourceVersion: number;
  /** In the version that was stored then. */
  readonly json: Buffer;
}

/** At once where versions differ in their name only; a promise where a webhook is asked, or much is to be done. */
export type Conversion = Converted | Promise<Converted>;

/** As many objects as there were, in their order; or what a client is told. */
export type Converted =
  | { readonly ok: true; readonly objects: readonly KubeObject[] }
  | { readonly ok: false; readonly message: string };

/** One of `additionalPrinterColumns`. */
export interface PrinterColumn {
  /** The heading. */
  readonly name: string;
  /** `integer`, `number`, `string`, `boolean` or `date`. */
  readonly type: string;
  /** As OpenAPI has it; '' for none. */
  readonly format: string;
  /** Shown by clients that ask for it. */
  readonly description: string;
  /** 0 is shown always, more in wide views only. */
  readonly priority: number;
  /** Without braces. */
  readonly jsonPath: string;
}

/** Where the replicas of an object are found. */
export interface ScaleRules {
  /** The names of the fields that lead to `spec.replicas`: `['spec', 'replicas']`. */
  readonly replicasPath: readonly string[];
  /** The Scale that shows the object, or why there is none; `isComplete`: the replicas are set. */
  scaleOf(object: KubeObject): ScaleOfObject;
  /** The object that the Scale asks for; neither is changed. */
  applyScale(object: KubeObject, scale: KubeObject): KubeObject;
  /** What is wrong with the replicas that an object says. */
  validate(object: KubeObject, part: 'all' | 'status'): FieldErrors;
}

/**
 * The Scale that a custom resource shows; `isComplete` is false where it names no replicas. Or why
 * there is none.
 */
export type ScaleOfObject =
  | { readonly ok: true; readonly scale: KubeObject; readonly isComplete: boolean }
  | { readonly ok: false; readonly message: string };
