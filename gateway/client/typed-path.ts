/** The types of what lies at a path, from the generated types of the kinds. */
import type { ResourceTypes } from '../../api/generated/kinds/kinds.ts';
import type { JsonObject } from '../../api/json/json.ts';

/** What is known of an object of any kind. */
export interface AnyObject {
  /** `apps/v1`; objects of a list may lack it. */
  readonly apiVersion?: string;
  /** `Deployment`. */
  readonly kind?: string;
  /** Names, labels and versions. */
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

/** An object whose kind no type is known of, as that of a custom resource. */
export type UnknownObject = AnyObject & JsonObject;

/** `/api/v1/namespaces/shop/pods` is of Pods; places in front, `/at/…` and `/forks/…`, change nothing. */
export type ObjectAt<Path extends string> = Path extends `/forks/${string}/api${infer Rest}`
  ? TypeOf<`/api${Rest}`>
  : Path extends `/at/${string}/api${infer Rest}`
    ? TypeOf<`/api${Rest}`>
    : TypeOf<Path>;

type TypeOf<Path extends string> = Path extends `/api/${infer Version}/${infer Rest}`
  ? Typed<`${Version}/${Plural<Rest>}`>
  : Path extends `/apis/${infer Group}/${infer Version}/${infer Rest}`
    ? Typed<`${Group}/${Version}/${Plural<Rest>}`>
    : UnknownObject;

/** `namespaces/shop/pods` is `pods`. */
type Plural<Rest extends string> = Rest extends `namespaces/${string}/${infer Resource}`
  ? Resource
  : Rest;

type Typed<Name extends string> = Name extends keyof ResourceTypes
  ? ResourceTypes[Name]
  : UnknownObject;
