/**
 * Fetches documents over HTTPS: the keys of issuers, and where they are. No redirect is followed, a
 * document has a largest size, and an authority that was named is the only one that counts.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type {
  FetchDocument,
  FetchedDocument,
} from '../../actors/authentication/oidc/issuer-keys.ts';
import type { ProxyWay } from './egress/proxy-way.ts';
import { secureRequest, TrustingAgent } from './trusting-agent.ts';
import { TunnelAgent } from './tunnel-agent.ts';

const TIMEOUT_MS = 30_000;
const BYTES_MAX = 1024 * 1024;

/** Through whom connections go; undefined: straight there. */
export interface DocumentEgress {
  readonly controlPlane: ProxyWay | undefined;
  readonly cluster: ProxyWay | undefined;
}

/** Gets documents of issuers (discovery and keys) with a deadline; a redirect is refused. */
export function httpsDocuments(clock: Clock, egress?: DocumentEgress): FetchDocument {
  return (url, { certificateAuthority: authority, egressSelectorType: type }, accessToken = '') =>
    new Promise((resolve) => {
      const ways = { controlplane: egress?.controlPlane, cluster: egress?.cluster };
      const proxy = type === 'controlplane' || type === 'cluster' ? ways[type] : undefined;
      fetchOne({ url, authority, accessToken, proxy }, clock, resolve);
    });
}

interface Wanted {
  readonly url: string;
  readonly authority: string;
  readonly accessToken: string;
  readonly proxy: ProxyWay | undefined;
}

function fetchOne(
  { url, authority, accessToken, proxy }: Wanted,
  clock: Clock,
  done: (fetched: FetchedDocument) => void,
): void {
  let cancel = (): void => undefined;
  const end = (fetched: FetchedDocument): void => {
    cancel();
    done(fetched); // A promise is settled once, whatever comes later.
  };
  const fail = (error: unknown): void => {
    end({ ok: false, problem: error instanceof Error ? error.message : String(error) });
  };
  try {
    const ca = authority === '' ? {} : { ca: authority };
    const bearer = accessToken === '' ? {} : { Authorization: `Bearer ${accessToken}` };
    const headers = { Accept: 'application/json, application/jwt', ...bearer };
    const agent =
      proxy === undefined ? new TrustingAgent({ clock }) : new TunnelAgent(proxy, { clock });
    const asked = secureRequest({ ...ca, agent, headers }, url);
    cancel = clock.after(TIMEOUT_MS, () => {
      asked.destroy(new Error('context deadline exceeded'));
    });
    asked.on('error', fail);
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > BYTES_MAX) response.destroy(new Error('the document is too large'));
      });
      response.on('error', fail);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        end({ ok: true, code: response.statusCode ?? 0, text });
      });
    });
    asked.end();
  } catch (error) {
    fail(error); // A CA bundle that is none, or an address that is none.
  }
}
