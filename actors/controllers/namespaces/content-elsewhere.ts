/**
 * What a namespace has on aggregated servers: its deletion empties it there as well, and does not end while a
 * server cannot say what it serves.
 *
 * In Kubernetes: namespacedResourcesDeleter, kubernetes/pkg/controller/namespace/deletion, over all of discovery.
 */
import {
  isJsonObject,
  itemsAt,
  objectAt,
  stringAt,
  textsAt,
  type JsonObject,
} from '../../../api/json/json.ts';
import { parseJson } from '../../../api/json/json-text.ts';
import { pathSegmentProblems } from '../../../api/meta/names.ts';
import type { AggregatedVersion } from '../../../projections/discovery/aggregated-versions.ts';
import type { Remains } from './deletion-conditions.ts';

/** What an aggregated server has answered; or why it has not. */
export type AnswerElsewhere =
  | { readonly ok: true; readonly code: number; readonly body: Buffer }
  | { readonly ok: false; readonly message: string };

/** The aggregated servers of a control plane. */
export interface ServersElsewhere {
  /** In the order of discovery. */
  versions(): readonly AggregatedVersion[];
  /** Never rejects. @param path with its query. */
  ask(method: 'GET' | 'DELETE', path: string): Promise<AnswerElsewhere>;
}

/** What is left there. */
export type RemainsElsewhere = Pick<Remains, 'byResource' | 'byFinalizer' | 'failures'>;

/** `GROUP/VERSION: why` of those whose servers cannot be asked what they serve. */
export function undiscovered(servers: ServersElsewhere): string[] {
  return servers
    .versions()
    .filter(({ isStale }) => isStale)
    .map(({ group, version }) => `${group}/${version}`)
    .map((name) => `${name}: stale GroupVersion discovery: ${name}`);
}

interface Collection {
  readonly resource: string;
  readonly group: string;
  readonly verbs: ReadonlySet<string>;
  readonly path: string;
}

/** Deletes all that can be deleted, and says what is left of it. */
export async function emptyElsewhere(
  servers: ServersElsewhere,
  namespace: string,
): Promise<RemainsElsewhere> {
  const byResource = new Map<string, number>();
  const byFinalizer = new Map<string, number>();
  const failures: string[] = [];
  for (const collection of collectionsIn(servers.versions(), namespace)) {
    const { resource, group, verbs } = collection;
    if (verbs.has('deletecollection')) await deleteAll(servers, collection.path, failures);
    if (!verbs.has('list')) continue;
    let left = await listed(servers, collection.path, failures);
    if (left.length > 0 && !verbs.has('deletecollection')) {
      for (const { metadata } of left) {
        await deleteOne(servers, collection.path, stringAt(metadata, 'name'), failures);
      }
      left = await listed(servers, collection.path, failures);
    }
    if (left.length > 0) byResource.set(`${resource}.${group}`, left.length);
    for (const finalizer of left.flatMap(({ metadata }) => textsAt(metadata, 'finalizers'))) {
      byFinalizer.set(finalizer, (byFinalizer.get(finalizer) ?? 0) + 1);
    }
  }
  return { byResource, byFinalizer, failures };
}

/** Each resource in the version of its group that stands first. */
function collectionsIn(versions: readonly AggregatedVersion[], namespace: string): Collection[] {
  const known = new Set<string>();
  return versions.flatMap(({ group, version, resources, isStale }) =>
    resources
      .filter((one) => !isStale && stringAt(one, 'scope') === 'Namespaced')
      .flatMap((one): Collection[] => {
        const resource = stringAt(one, 'resource');
        const verbs = new Set(textsAt(one, 'verbs'));
        const key = `${resource}.${group}`;
        if (known.has(key) || !verbs.has('delete')) return [];
        known.add(key);
        const path = `/apis/${group}/${version}/namespaces/${namespace}/${resource}`;
        return [{ resource, group, verbs, path }];
      }),
  );
}

const NOT_FOUND = 404;
const NOT_ALLOWED = 405;
const ERROR_FROM = 400;

async function deleteAll(
  servers: ServersElsewhere,
  path: string,
  failures: string[],
): Promise<void> {
  const answer = await servers.ask('DELETE', `${path}?propagationPolicy=Background`);
  const problem = problemOf(answer);
  if (problem !== undefined) failures.push(problem);
}

/** As client-go does it: a name that another server gives is not trusted to be one segment of a path. */
async function deleteOne(
  servers: ServersElsewhere,
  path: string,
  name: string,
  failures: string[],
): Promise<void> {
  const problems = pathSegmentProblems(name);
  if (name === '') failures.push('name is required');
  else if (problems.length > 0) {
    failures.push(`invalid resource name "${name}": [${problems.join(' ')}]`);
  } else await deleteAll(servers, `${path}/${encodeURIComponent(name)}`, failures);
}

/** @returns why not; undefined where it was done, or where there is nothing to do. */
function problemOf(answer: AnswerElsewhere): string | undefined {
  if (!answer.ok) return answer.message;
  const { code, body } = answer;
  if (code < ERROR_FROM || code === NOT_FOUND || code === NOT_ALLOWED) return undefined;
  const status = parsed(body);
  return status === undefined
    ? `the server has answered ${String(code)}`
    : stringAt(status, 'message');
}

interface Listed {
  readonly metadata: JsonObject;
}

/** All of them: their metadata is little. */
async function listed(
  servers: ServersElsewhere,
  path: string,
  failures: string[],
): Promise<readonly Listed[]> {
  const answer = await servers.ask('GET', path);
  const problem = problemOf(answer);
  if (problem !== undefined) failures.push(problem);
  if (problem !== undefined || !answer.ok || answer.code >= ERROR_FROM) return [];
  return itemsAt(parsed(answer.body), 'items').map((item) => ({
    metadata: objectAt(item, 'metadata') ?? {},
  }));
}

function parsed(body: Buffer): JsonObject | undefined {
  try {
    const value = parseJson(body.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
