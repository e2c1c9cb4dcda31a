/** Writers that change many objects for as long as a test wants. */
import type { AdminClient } from '../support/admin-client.ts';
import type { JsonObject } from '../support/json.ts';

export interface Traffic {
  /** How many writes were answered. */
  readonly writes: () => number;
  /** Resolves when everything that was sent is answered. */
  stop(): Promise<void>;
}

const NAMES = 12;

/** Creates, changes and deletes config maps in `namespace`; broken connections do not end it. */
export function startTraffic(client: AdminClient, namespace: string): Traffic {
  const state = { isOver: false, writes: 0 };
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const step = async (turn: number): Promise<void> => {
    const name = `object-${String(turn % NAMES)}`;
    const data = { turn: String(turn) };
    const object: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    const isEnd = turn % 7 === 6;
    const answer = isEnd
      ? await client.delete(`${collection}/${name}`)
      : await client.patch(`${collection}/${name}`, { data });
    if (answer.status === 404 && !isEnd) await client.post(collection, object);
    state.writes += 1;
  };
  const running = (async () => {
    for (let turn = 0; !state.isOver; turn += 1) await step(turn).catch(() => undefined);
  })();
  return {
    writes: () => state.writes,
    async stop() {
      state.isOver = true;
      await running;
    },
  };
}

/** Some objects of several kinds, with a history: changed, deleted, made again, with a status. */
export async function writeHistory(client: AdminClient): Promise<void> {
  const post = async (path: string, body: JsonObject): Promise<void> => {
    const { status, body: answer } = await client.post(path, body);
    if (status !== 201)
      throw new Error(`POST ${path}: ${String(status)} ${JSON.stringify(answer)}`);
  };
  await post('/api/v1/namespaces', { metadata: { name: 'shop' } });
  for (const name of ['one', 'two', 'three']) {
    await post('/api/v1/namespaces/shop/configmaps', {
      metadata: { name },
      data: { text: 'grün\u2028"\\' },
    });
  }
  await client.patch('/api/v1/namespaces/shop/configmaps/one', { data: { more: '1' } });
  await client.delete('/api/v1/namespaces/shop/configmaps/two');
  await post('/api/v1/namespaces/shop/configmaps', {
    metadata: { name: 'two' },
    data: { again: 'yes' },
  });
  const labels = { app: 'web' };
  const containers = [{ name: 'web', image: 'registry.example/web:1' }];
  await post('/apis/apps/v1/namespaces/shop/deployments', {
    metadata: { name: 'web', labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  const deployment = '/apis/apps/v1/namespaces/shop/deployments/web';
  await client.patch(`${deployment}/status`, { status: { replicas: 1, observedGeneration: 1 } });
  await client.patch(deployment, { spec: { replicas: 3 } });
  await post('/api/v1/nodes', { metadata: { name: 'node-1' } });
  await post('/api/v1/namespaces/shop/pods', {
    metadata: { name: 'web-1', labels },
    spec: { containers },
  });
  const target = { apiVersion: 'v1', kind: 'Node', name: 'node-1' };
  await client.post('/api/v1/namespaces/shop/pods/web-1/binding', {
    metadata: { name: 'web-1' },
    target,
  });
  await client.patch('/api/v1/namespaces/shop/pods/web-1/status', { status: { phase: 'Running' } });
  await client.delete('/api/v1/namespaces/shop/configmaps/three');
}
