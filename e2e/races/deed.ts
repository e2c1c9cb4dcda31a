/** One write of a race: what is asked for, how it is sent, and what the server answered. */
import type { AdminClient, ApiAnswer } from '../support/admin-client.ts';
import type { JsonObject, JsonValue } from '../support/json.ts';

export type Raced = 'configmaps' | 'services' | 'resourcequotas' | 'namespaces';

export const PATCHES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export type Verb = 'create' | 'replace' | keyof typeof PATCHES | 'remove' | 'clear';

/** What a write says about the fields that races are about; a field that is left out is not mentioned. */
export interface Content {
  readonly data?: Readonly<Record<string, string>>;
  readonly color?: string;
  readonly finalizers?: readonly string[];
  /** `spec.type` of a Service. */
  readonly type?: 'ClusterIP' | 'NodePort';
  /** `spec.hard` of a ResourceQuota. */
  readonly hard?: Readonly<Record<string, string>>;
}

export interface Deed {
  /** Sent as `Audit-ID`, so the log names the write that made a record. */
  readonly id: string;
  readonly verb: Verb;
  readonly resource: Raced;
  /** '' for namespaces. */
  readonly namespace: string;
  /** '' for `clear`, which deletes a collection. */
  readonly name: string;
  readonly manager: string;
  readonly content: Content;
  /** The resourceVersion that the object must have. */
  readonly version?: string;
  /** The uid that the object must have; of a deletion. */
  readonly uid?: string;
  /** What `data.by` must be; of a JSON patch. */
  readonly test?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** The object that a PUT of a Service starts from. */
  readonly base?: JsonObject;
}

export interface Outcome {
  readonly deed: Deed;
  readonly status: number;
  readonly body: JsonValue;
}

export function collectionOf({
  resource,
  namespace,
}: Pick<Deed, 'resource' | 'namespace'>): string {
  return namespace === '' ? `/api/v1/${resource}` : `/api/v1/namespaces/${namespace}/${resource}`;
}

/** As the log names it: `core/<resource> <namespace>/<name>`. */
export function logKeyOf({ resource, namespace, name }: Deed): string {
  return `core/${resource} ${namespace}/${name}`;
}

/** Sends the write; a connection that breaks is not an answer and throws. */
export async function perform(client: AdminClient, deed: Deed): Promise<Outcome> {
  const { status, body } = await sent(client, deed);
  return { deed, status, body };
}

function sent(client: AdminClient, deed: Deed): Promise<ApiAnswer> {
  const { verb, name, manager, force, dryRun } = deed;
  const query = new URLSearchParams({ fieldManager: manager });
  if (dryRun === true) query.set('dryRun', 'All');
  if (verb === 'apply' && force === true) query.set('force', 'true');
  if (verb === 'clear') query.set('labelSelector', 'color=red');
  const collection = collectionOf(deed);
  const place = verb === 'create' || verb === 'clear' ? collection : `${collection}/${name}`;
  const isPatch = verb in PATCHES;
  const type = isPatch ? PATCHES[verb as keyof typeof PATCHES] : 'application/json'; // As just asked.
  return client.send(
    isPatch ? 'PATCH' : METHODS[verb as keyof typeof METHODS],
    `${place}?${query.toString()}`,
    {
      body: bodyOf(deed),
      headers: { 'audit-id': deed.id, 'content-type': type },
    },
  );
}

const METHODS = { create: 'POST', replace: 'PUT', remove: 'DELETE', clear: 'DELETE' } as const;

const KINDS: Readonly<Record<Raced, string>> = {
  configmaps: 'ConfigMap',
  services: 'Service',
  resourcequotas: 'ResourceQuota',
  namespaces: 'Namespace',
};

function bodyOf(deed: Deed): JsonObject | JsonValue[] {
  const { verb, resource, name, content, version, base } = deed;
  if (verb === 'remove' || verb === 'clear') return deletion(deed);
  if (verb === 'json') return operations(deed);
  const { data, color, finalizers, type, hard } = content;
  const kind = { kind: KINDS[resource], apiVersion: 'v1' };
  const metadata = {
    ...(base?.['metadata'] as JsonObject | undefined), // Every object of this API has metadata.
    name,
    ...(version === undefined ? {} : { resourceVersion: version }),
    ...(color === undefined ? {} : { labels: { color } }),
    ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
  };
  const spec =
    type === undefined
      ? {}
      : { spec: { ...(base?.['spec'] as JsonObject | undefined), type, ports: PORTS } };
  return {
    ...kind,
    ...base,
    metadata,
    ...(data === undefined ? {} : { data: { ...data } }),
    ...spec,
    ...(hard === undefined ? {} : { spec: { hard: { ...hard } } }),
  };
}

const PORTS = [{ name: 'a', port: 80, protocol: 'TCP' }];

function deletion({ version, uid, dryRun }: Deed): JsonObject {
  const preconditions = {
    ...(version === undefined ? {} : { resourceVersion: version }),
    ...(uid === undefined ? {} : { uid }),
  };
  const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions };
  // Options in a body stand for all options of the query.
  return dryRun === true ? { ...options, dryRun: ['All'] } : options;
}

function operations({ content, test }: Deed): JsonValue[] {
  const fields = Object.entries(content.data ?? {});
  const added = fields.map(([key, value]) => ({ op: 'add', path: `/data/${key}`, value }));
  const tests = test === undefined ? [] : [{ op: 'test', path: '/data/by', value: test }];
  const { type } = content;
  const typed = type === undefined ? [] : [{ op: 'replace', path: '/spec/type', value: type }];
  return [...tests, ...added, ...typed];
}
