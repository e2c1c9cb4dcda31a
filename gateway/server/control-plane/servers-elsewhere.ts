/** The aggregated servers of the main control plane, as its controllers ask them. */
import type { ServersElsewhere } from '../../../actors/controllers/namespaces/content-elsewhere.ts';
import type { ServerViews } from '../views/server-views.ts';

type Views = Pick<ServerViews, 'aggregated' | 'aggregatedServers' | 'aggregatedDocuments'>;

const TIMEOUT_MS = 30_000;

/** Asks by the paths that clients use. */
export function serversElsewhere(views: Views): ServersElsewhere {
  const { aggregated, aggregatedServers, aggregatedDocuments } = views;
  return {
    versions: () => aggregatedDocuments.current().registered.aggregated,
    ask(method, path) {
      const [plain = ''] = path.split('?');
      const server = aggregated.forPath(plain);
      if (server !== undefined) {
        return aggregatedServers.fetch(server, path, { method, timeoutMs: TIMEOUT_MS });
      }
      return Promise.resolve({ ok: false, message: `no server is behind ${plain}` });
    },
  };
}
