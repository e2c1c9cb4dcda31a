/** Which requests end at a node, a pod or a service: all of them, by storage and subresource. */
import type { ReadPath, ResourceHandlers, VerbHandlers } from '../registry/stage.ts';
import { proxyToNode, proxyToPod, proxyToService, streamToPod } from './connect-stages.ts';
import type { NodeConnections } from './node-connections.ts';
import { readingLogs } from './pod-log.ts';

/** By storage, as `core/pods`. */
export function connectHandlers(
  connections: NodeConnections,
): ReadonlyMap<string, ResourceHandlers> {
  const streams = (['attach', 'exec', 'portforward'] as const).map((kind) => {
    const path = streamToPod(connections, kind);
    return [kind, { get: path, create: path }] as const;
  });
  return new Map<string, ResourceHandlers>([
    ['core/nodes', new Map([['proxy', anyMethod(proxyToNode(connections))]])],
    [
      'core/pods',
      new Map<string, VerbHandlers>([
        ...streams,
        ['log', { get: readingLogs(connections) }],
        ['proxy', anyMethod(proxyToPod(connections))],
      ]),
    ],
    ['core/services', new Map([['proxy', anyMethod(proxyToService(connections))]])],
  ]);
}

/** HEAD is a get, and OPTIONS, which is no verb of Kubernetes', is taken for one. */
function anyMethod(path: ReadPath): VerbHandlers {
  return { get: path, create: path, update: path, patch: path, delete: path };
}
