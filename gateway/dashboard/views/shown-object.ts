/** An object as its view reads it: the members that kinds have in common. */

/** Every kind has these members, or lacks them. */
export interface ShownObject {
  /** `apps/v1`. */
  readonly apiVersion?: string;
  /** `Deployment`. */
  readonly kind?: string;
  /** As in every object. */
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name: string;
      readonly uid: string;
      readonly controller?: boolean;
    }[];
  };
  /** What is asked of it, where it has such a member. */
  readonly spec?: {
    readonly replicas?: number;
    readonly unschedulable?: boolean;
    readonly selector?: unknown;
  };
  /** How it is. */
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** As most kinds have them. */
export interface Condition {
  /** `Ready`. */
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** One word. */
  readonly reason?: string;
  /** A sentence. */
  readonly message?: string;
  /** RFC 3339. */
  readonly lastTransitionTime?: string;
}
