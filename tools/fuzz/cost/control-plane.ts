/**
 * Where objects of cost cases are sent: a whole control plane in memory, so that every stage of a
 * write is on the way. Writes are dry runs: each finds the same.
 */
import { stringAt, type JsonObject } from '../../../api/json/json.ts';
import {
  givenControlPlane,
  type ControlPlane,
  type Sent,
} from '../../../actors/registry/given-registry.fixture.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';

let started: Promise<ControlPlane> | undefined;

/** One for all cases. */
export function costControlPlane(): Promise<ControlPlane> {
  started ??= givenControlPlane();
  return started;
}

const CLOCK = { now: () => Date.parse('2026-11-21T09:00:00Z'), after: () => () => undefined };
const collections = new Map(
  builtInResources(CLOCK).map(({ apiVersion, facts, definition }) => {
    const root = facts.group === '' ? '/api/v1' : `/apis/${apiVersion}`;
    const namespace = definition.namespaced ? '/namespaces/default' : '';
    return [`${apiVersion}/${facts.kind}`, `${root}${namespace}/${facts.resource}`];
  }),
);

/** The path of the collection of a built-in kind; undefined when it is not served. */
export function collectionOf(object: JsonObject): string | undefined {
  return collections.get(`${stringAt(object, 'apiVersion')}/${stringAt(object, 'kind')}`);
}

/** Sends it and waits for the answer, which may be a refusal. */
export async function sent(plane: ControlPlane, request: Sent): Promise<void> {
  await plane.send(request);
}
