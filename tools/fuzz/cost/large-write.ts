/** A write of a large object, and what such writes are made of. */
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';

export interface LargeWrite {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly contentType: string;
  readonly body: JsonValue;
}

/** In a small world (counted-work.ts) such a list is as one of 3 MB in the server. */
export const COUNT = 2_500;

/** Items that are short, so it takes more of them for a large body. */
export const SHORT = 2 * COUNT;

/** Shorter still. */
export const MANY = 3 * COUNT;

export const NAMESPACE = '/api/v1/namespaces/default';
export const ADMISSION = 'admissionregistration.k8s.io';

export function many<Item>(of: (at: number) => Item, count = COUNT): Item[] {
  return Array.from({ length: count }, (_, at) => of(at));
}

export function keys(count = COUNT): JsonObject {
  return Object.fromEntries(
    many((at) => [`key-${String(at)}`, 'more than a few words of text'], count),
  );
}

export function shortKeys(): JsonObject {
  return Object.fromEntries(many((at) => [`k${String(at)}`, 'v'], MANY));
}

/** Nothing is stored, so that each run finds the same. */
export function posted(
  name: string,
  resource: string,
  object: { readonly kind: string } & JsonObject,
): LargeWrite {
  return {
    name,
    method: 'POST',
    url: `${NAMESPACE}/${resource}?dryRun=All`,
    contentType: 'application/json',
    body: { apiVersion: 'v1', metadata: { name: 'a' }, ...object },
  };
}

/** At the path of another group version. */
export function postedTo(
  name: string,
  path: string,
  object: { readonly kind: string } & JsonObject,
): LargeWrite {
  return { ...posted(name, '', object), url: `/apis/${path}?dryRun=All` };
}

export const container = (more: JsonObject): JsonObject => ({ name: 'main', image: 'a', ...more });
