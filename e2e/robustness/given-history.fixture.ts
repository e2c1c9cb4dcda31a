/** Histories for the tests of the checkers, written as a person would tell them. */
import type { Operation, Request } from './history.ts';
import type { SeenObject, TextMap } from './seen-object.ts';

export const PATH = 'default/x';
const OF = { resource: 'configmaps', path: PATH } as const;

export const create = (v: string, extra: object = {}): Request => {
  return { kind: 'create', ...OF, content: { data: { v } }, ...extra };
};
export const update = (v: string, version?: number): Request => {
  const condition = version === undefined ? {} : { version };
  return { kind: 'update', ...OF, content: { data: { v } }, ...condition };
};
export const patch = (data: TextMap, extra: object = {}): Request => {
  return { kind: 'patch', form: 'merge', ...OF, content: { data }, ...extra };
};
export const remove = (extra: object = {}): Request => ({ kind: 'delete', ...OF, ...extra });
export const get: Request = { kind: 'get', ...OF, moment: '' };

export function object(version: number, v: string, extra: Partial<SeenObject> = {}): SeenObject {
  const digest = `digest of ${v}`;
  const rest = { labels: {}, finalizers: [], isDeleting: false, digest };
  return { path: PATH, version, uid: 'u1', data: { v }, ...rest, ...extra };
}

let count = 0;

/** An operation between two moments; `returned` null: its outcome is unknown. */
export function operation(
  [invoked, returned]: readonly [number, number | null],
  request: Request,
  answer?: SeenObject | number,
  extra: Partial<Operation> = {},
): Operation {
  count += 1;
  const by = { id: `told-${String(count)}`, client: 'c', replica: 0, request, invoked, returned };
  if (returned === null) return { ...by, outcome: 'unknown', status: 0, ...extra };
  if (typeof answer === 'number') return { ...by, outcome: 'refused', status: answer, ...extra };
  const shown = answer === undefined ? {} : { object: answer };
  return { ...by, outcome: 'ok', status: 200, ...shown, ...extra };
}
