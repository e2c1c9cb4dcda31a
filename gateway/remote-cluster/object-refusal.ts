/** A change that a cluster did not take, and whether it may take it once more is there. */
import { isJsonObject, listAt, objectAt, stringAt } from '../../api/json/json.ts';
import { problemOf, type ClusterAnswer } from './cluster-client.ts';
import type { Need } from './held-writes.ts';

/** The cluster refuses; others may still be written. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** What is missing; undefined: nothing that another change could bring. */
  readonly need: Need | undefined;

  constructor(message: string, need?: Need) {
    super(message);
    this.need = need;
  }
}

/** Of a service account and of a priority class that are not there. */
const NOT_THERE = /not found$|was found$/;

/** @param path of the object that was written. */
export function refused(path: string, answer: ClusterAnswer): RefusedError {
  const causes = listAt(objectAt(answer.body, 'details'), 'causes').filter(isJsonObject);
  const what = causes.length === 0 ? '' : ` (${String(causes.length)} causes)`;
  const message = `${path}: ${String(answer.status)} ${problemOf(answer)}${what}`;
  return new RefusedError(message, needIn(path, answer));
}

/** Whether an answer says that the namespace of the object is missing. */
export function isWithoutNamespace({ status, body }: ClusterAnswer): boolean {
  return status === 404 && stringAt(objectAt(body, 'details'), 'kind') === 'namespaces';
}

function needIn(path: string, answer: ClusterAnswer): Need | undefined {
  const namespace = /\/namespaces\/([^/]+)\/./.exec(path)?.[1];
  if (namespace === undefined) return undefined;
  const isEarly = answer.status === 403 && NOT_THERE.test(problemOf(answer));
  const need = { namespace: decodeURIComponent(namespace) };
  return isEarly || isWithoutNamespace(answer) ? need : undefined;
}
