/**
 * A cluster in memory behind the seam of its client: one resource, a history, and the ways in which
 * a cluster can be difficult. For tests of code that reads from clusters.
 */
import { objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import {
  ClusterUnreachableError,
  type ClusterAnswer,
  type ClusterClient,
  type ClusterWatch,
} from './cluster-client.ts';

interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

const GONE = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };

const CONFIG_MAPS = {
  name: 'configmaps',
  singularName: 'configmap',
  kind: 'ConfigMap',
  namespaced: true,
  verbs: ['list', 'watch'],
};

/** ConfigMaps in the namespace ns. */
export class GivenCluster implements ClusterClient {
  readonly server = 'https://cluster.example';
  uid = 'cluster-1';
  isReachable = true;
  /** A server that comes up answers before it has its system namespaces. */
  hasKubeSystem = true;
  /** How many of the next lists are answered with 503. */
  listsToRefuse = 0;
  /** Versions at and below are forgotten. */
  forgotten = 0;
  pageSize = 500;
  lists = 0;
  watches = 0;
  readonly #changes: Change[] = [];
  readonly #objects = new Map<string, JsonObject>();
  readonly #waiting = new Set<() => void>();
  #version = 100;
  #uids = 0;

  put(name: string, value: string): void {
    const before = this.#objects.get(name);
    const uid = stringAt(objectAt(before, 'metadata'), 'uid') || `uid-${String((this.#uids += 1))}`;
    this.#change(before === undefined ? 'ADDED' : 'MODIFIED', name, { uid, value });
  }

  delete(name: string): void {
    const before = this.#objects.get(name);
    const uid = stringAt(objectAt(before, 'metadata'), 'uid');
    const value = stringAt(objectAt(before, 'data'), 'value');
    this.#change('DELETED', name, { uid, value });
    this.#objects.delete(name);
  }

  /** Another cluster comes up at the same address: older, and with other objects. */
  replace(uid: string): void {
    this.replaceInSilence(uid);
    this.breakWatches();
  }

  /** Watches stay open, as those that were opened when it was already there. */
  replaceInSilence(uid: string): void {
    this.uid = uid;
    this.#version = 10;
    this.#changes.length = 0;
    this.#objects.clear();
  }

  breakWatches(): void {
    this.#broken += 1;
    this.#wakeAll();
  }

  #broken = 0;

  send(method: string, path: string): Promise<ClusterAnswer> {
    if (!this.isReachable) return Promise.reject(new ClusterUnreachableError('it is away'));
    if (method !== 'GET') return Promise.reject(new Error(`${method} ${path}`));
    return Promise.resolve(this.#answer(path));
  }

  watch(path: string, signal: AbortSignal): Promise<ClusterWatch> {
    if (!this.isReachable) return Promise.reject(new ClusterUnreachableError('it is away'));
    const since = Number(new URL(path, this.server).searchParams.get('resourceVersion'));
    return Promise.resolve({ status: 200, body: {}, events: this.#events(since, signal) });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #change(
    type: Change['type'],
    name: string,
    { uid, value }: { uid: string; value: string },
  ): void {
    this.#version += 1;
    const object: JsonObject = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace: 'ns',
        uid,
        resourceVersion: String(this.#version),
        managedFields: [
          { manager: 'older', operation: 'Update', time: '2026-01-01T00:00:00Z' },
          { manager: 'kubectl', operation: 'Update', time: '2026-01-02T00:00:00Z' },
        ],
      },
      data: { value },
    };
    this.#objects.set(name, object);
    this.#changes.push({ version: this.#version, type, object });
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #answer(path: string): ClusterAnswer {
    if (path === '/api/v1/namespaces/kube-system') {
      if (!this.hasKubeSystem) return { status: 404, body: {} };
      return { status: 200, body: { metadata: { uid: this.uid } } };
    }
    if (path === '/apis') return { status: 200, body: { groups: [] } };
    if (path === '/api/v1') return { status: 200, body: { resources: [CONFIG_MAPS] } };
    this.lists += 1;
    if (this.listsToRefuse > 0) {
      this.listsToRefuse -= 1;
      return { status: 503, body: {} };
    }
    const names = [...this.#objects.keys()].sort();
    const start = Number(new URL(path, this.server).searchParams.get('continue') ?? 0);
    const end = Math.min(start + this.pageSize, names.length);
    const items = names.slice(start, end).map((name) => {
      // Items of a list do not say what they are.
      const { kind: _kind, apiVersion: _apiVersion, ...item } = this.#objects.get(name) ?? {};
      return item;
    });
    const next = end < names.length ? String(end) : '';
    const metadata = { resourceVersion: String(this.#version), continue: next };
    return { status: 200, body: { kind: 'ConfigMapList', metadata, items } };
  }

  async *#events(since: number, signal: AbortSignal): AsyncGenerator<readonly JsonObject[], void> {
    const broken = this.#broken;
    this.watches += 1;
    if (since < this.forgotten) {
      yield [{ type: 'ERROR', object: GONE }];
      return;
    }
    for (let from = since; ;) {
      const batch = this.#changes.filter(({ version }) => version > from);
      if (batch.length > 0) {
        from = this.#version;
        yield batch.map(({ type, object }) => ({ type, object }));
      }
      if (signal.aborted) return;
      if (broken !== this.#broken) throw new ClusterUnreachableError('the watch broke');
      if (this.#changes.some(({ version }) => version > from)) continue;
      await this.#next(signal);
    }
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
