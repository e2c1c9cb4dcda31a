/** Test support: servers behind APIServices that answer, or do not, as a test says. */
import { OpenApiBody } from '../../projections/openapi/openapi-view.ts';
import type { FetchedDocument, FetchFailure, FetchOptions } from './aggregated-servers.ts';
import type { AggregatedService, RegisteredGroupVersion } from './aggregated-services.ts';

/** What a server does with a request. `hangs`: it answers nothing until the request is given up. */
export type ServerState = 'answers' | 'refuses' | 'hangs' | 'is broken';

/** A server and what it serves. */
export interface GivenServer {
  state: ServerState;
  /** With the next, its documents are others. */
  release: number;
  readonly groupVersions: readonly (readonly [string, string])[];
  /** Whether it has a document about all of its groups. */
  readonly isOld: boolean;
  /** Paths that are answered 404 though they should not be. */
  missing?: readonly string[];
  /** The authority that its certificate comes from; undefined: any is believed. */
  authority?: string;
  asked: string[];
}

/** Servers by the names of their services, and the APIServices that lead to them. */
export function givenServers(servers: ReadonlyMap<string, GivenServer>) {
  const services = new Map<string, AggregatedService>();
  const listeners = new Set<(name: string) => void>();
  const tell = (name: string): void => {
    for (const listener of listeners) listener(name);
  };
  let all: readonly AggregatedService[] = [];
  let registered: readonly RegisteredGroupVersion[] = [];
  const set = (service: AggregatedService | undefined, name: string): void => {
    if (service === undefined) services.delete(name);
    else services.set(name, service);
    all = [...services.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    registered = all.map((one) => ({ ...one, aggregated: one }));
    tell(name);
  };
  return {
    services: {
      all: () => all,
      registered: () => registered,
      listen: (listener: (name: string) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    register(
      server: string,
      [group, version]: readonly [string, string],
      available = true,
      caBundle = '',
    ): void {
      const name = `${version}.${group}`;
      const head = { name, uid: name, group, version, path: `/apis/${group}/${version}` };
      const priorities = { groupPriorityMinimum: 1_000, versionPriority: 15 };
      const service = { namespace: 'default', name: server, port: 443 };
      const trust = { caBundle, skipsVerification: caBundle === '' };
      set({ ...head, ...priorities, service, ...trust, available, reason: '' }, name);
    },
    remove([group, version]: readonly [string, string]): void {
      set(undefined, `${version}.${group}`);
    },
    servers: {
      fetch: (of: AggregatedService, path: string, options: FetchOptions) =>
        answered(servers.get(of.service.name), of, path, options),
    },
  };
}

function answered(
  server: GivenServer | undefined,
  { caBundle }: AggregatedService,
  path: string,
  options: FetchOptions,
): Promise<FetchedDocument | FetchFailure> {
  server?.asked.push(path);
  const failure: FetchFailure = { ok: false, url: '', message: 'connection refused' };
  if (server === undefined || server.state === 'refuses') return Promise.resolve(failure);
  if ((server.authority ?? caBundle) !== caBundle) return Promise.resolve(failure);
  if (server.state === 'hangs') {
    return new Promise((resolve) => {
      options.signal?.addEventListener('abort', () => {
        resolve(failure);
      });
    });
  }
  const { code, type = 'application/json', value } = documentOf(server, path);
  const body = Buffer.from(JSON.stringify(value ?? ''));
  const etag = `"${String(server.release)}"`;
  const isKnown = code === 200 && options.headers?.['if-none-match'] === etag;
  const headers = { 'content-type': type, etag };
  return Promise.resolve({ ok: true, url: '', code: isKnown ? 304 : code, headers, body });
}

interface Given {
  readonly code: number;
  readonly type?: string;
  readonly value?: object;
}

function documentOf(server: GivenServer, path: string): Given {
  if (server.state === 'is broken') return { code: 503 };
  const { groupVersions, isOld, release, missing = [] } = server;
  if (missing.includes(path)) return { code: 404 };
  const resource = `things${String(release)}`;
  if (path === '/apis') {
    if (isOld) return { code: 200, value: { kind: 'APIGroupList', groups: [] } };
    const version = (name: string) => ({
      version: name,
      resources: [{ resource, scope: 'Cluster', verbs: ['get'] }],
      freshness: 'Current',
    });
    const items = groupVersions.map(([group, name]) => {
      return { metadata: { name: group }, versions: [version(name)] };
    });
    const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    return { code: 200, type, value: { kind: 'APIGroupDiscoveryList', items } };
  }
  const names = groupVersions.map(([group, name]) => `apis/${group}/${name}`);
  if (names.includes(path.slice(1))) {
    const one = { name: resource, namespaced: false, kind: 'Thing', verbs: ['get'] };
    const groupVersion = path.slice('/apis/'.length);
    return { code: 200, value: { kind: 'APIResourceList', groupVersion, resources: [one] } };
  }
  return openApiOf(names, resource, path);
}

function openApiOf(names: readonly string[], resource: string, path: string): Given {
  if (path === '/openapi/v3') {
    const entries = [...names, 'version'].map((name) => {
      return [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${resource}` }];
    });
    return { code: 200, value: { paths: Object.fromEntries(entries) as object } };
  }
  const name = names.find((one) => path === `/openapi/v3/${one}`);
  if (name !== undefined) {
    return { code: 200, value: { openapi: '3.0.0', paths: { [`/${name}/${resource}`]: {} } } };
  }
  if (path !== '/openapi/v2') return { code: 404 };
  const paths = Object.fromEntries(names.map((one) => [`/${one}/${resource}`, { get: {} }]));
  return { code: 200, value: { swagger: '2.0', paths } };
}

/** The documents of a server that has none. */
export function noOwnOpenApi() {
  const v2 = new OpenApiBody(Buffer.from('{"swagger":"2.0","paths":{}}'), 'OWN');
  const index = new OpenApiBody(Buffer.from('{"paths":{}}'), 'INDEX');
  return {
    names: () => [],
    v3Index: () => index,
    v3: () => undefined,
    v3Address: () => undefined,
    v2Json: () => v2,
    v2Protobuf: () => v2,
  };
}
