/**
 * One operation of the API, before it is written down as OpenAPI v2 or v3: both versions say the
 * same with other words.
 */
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  /** The option type of which it is a field; the field's description is the parameter's. */
  readonly typeId?: string;
  /** Set where there is no option type. */
  readonly description?: string;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Operation {
  readonly path: string;
  readonly method: Method;
  /** Unique in the whole API; generated clients name their methods by it. */
  readonly operationId: string;
  readonly tag: string;
  /** `list`, `watchlist`, `connect` …; absent where no resource is meant. */
  readonly action?: string;
  readonly gvk?: GroupVersionKind;
  /** Of the resource, where `gvk` may be a subresource's. */
  readonly kind?: string;
  /** Where it does not follow from the rest. */
  readonly description?: string;
  /** Those in the path too; sorted by name. */
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly typeId: string; readonly required: boolean };
  /** Media types of the body, in upstream's order; v2 gives them even where there is none; may be empty. */
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** By status code; undefined stands for plain text. 401 goes without saying. */
  readonly responses: ReadonlyMap<string, string | undefined>;
}

/** What all operations of a resource, or of one of its subresources, have alike. */
export interface Subject {
  /** `/apis/apps/v1`. */
  readonly root: string;
  /** `AppsV1`, in the names of operations. */
  readonly prefix: string;
  readonly tag: string;
  readonly resource: ResourceFacts;
  /** `Namespaced` or nothing. */
  readonly scope: string;
  readonly gvk: GroupVersionKind;
  readonly typeId: string;
}

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** What the status codes are called, as upstream's documents have it. */
export const RESPONSE_NAMES: Readonly<Record<string, string>> = {
  '200': 'OK',
  '201': 'Created',
  '202': 'Accepted',
  '401': 'Unauthorized',
};

/** The operations of each path, in the order in which they come. */
export function byPath(operations: readonly Operation[]): Map<string, Operation[]> {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const found = paths.get(operation.path);
    if (found === undefined) paths.set(operation.path, [operation]);
    else found.push(operation);
  }
  return paths;
}

/** Those that all operations of a path have; documents hold them once, beside the operations. */
export function sharedParameters(operations: readonly Operation[]): Parameter[] {
  const [first, ...others] = operations;
  if (first === undefined) return [];
  return first.parameters.filter((parameter) =>
    others.every(({ parameters }) => parameters.some((one) => isSame(one, parameter))),
  );
}

export function isSame(left: Parameter, right: Parameter): boolean {
  return left.name === right.name && left.in === right.in;
}
