/** The aggregated servers of the main control plane, as its controllers ask them. */
import type { ServersElsewhere } from '../../../actors/controllers/namespaces/content-elsewhere.ts';
import type { ServerViews } from '../views/server-views.ts';

/** What is asked of the views of a server. */
export interface AggregatedViews {
  readonly aggregated: Pick<ServerViews['aggregated'], 'forPath'>;
  readonly aggregatedServers: Pick<ServerViews['aggregatedServers'], 'fetch'>;
  readonly aggregatedDocuments: Pick<ServerViews['aggregatedDocuments'], 'current'>;
}

const TIMEOUT_MS = 30_000;
/** A deletion needs no more of objects; a server that does not know the form gives them whole. */
const METADATA =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Asks by the paths that clients use. */
export function serversElsewhere(views: AggregatedViews): ServersElsewhere {
  const { aggregated, aggregatedServers, aggregatedDocuments } = views;
  return {
    versions: () => aggregatedDocuments.current().registered.aggregated,
    ask(method, path) {
      const [plain = ''] = path.split('?');
      const server = aggregated.forPath(plain);
      if (server !== undefined) {
        const headers = { accept: method === 'GET' ? METADATA : 'application/json' };
        return aggregatedServers.fetch(server, path, { method, headers, timeoutMs: TIMEOUT_MS });
      }
      return Promise.resolve({ ok: false, message: `no server is behind ${plain}` });
    },
  };
}
