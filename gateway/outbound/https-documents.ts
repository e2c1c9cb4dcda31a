/**
 * Fetches documents over HTTPS: the keys of issuers, and where they are. No redirect is followed, a
 * document has a largest size, and an authority that was named is the only one that counts.
 */
import type { ClientRequest } from 'node:http';
import type { Clock } from '../../api/meta/clock.ts';
import type {
  FetchDocument,
  FetchedDocument,
} from '../../actors/authentication/oidc/issuer-keys.ts';
import type { ProxyWay } from './egress/proxy-way.ts';
import { secureRequest, TrustingAgent } from './trusting-agent.ts';
import { TunnelAgent } from './tunnel-agent.ts';
import { wholeAnswer } from './whole-answer.ts';

const TIMEOUT_MS = 30_000;
const LIMIT = { bytesMax: 1024 * 1024, tooLarge: 'the document is too large' };

/** Through whom connections go; undefined: straight there. */
export interface DocumentEgress {
  readonly controlPlane: ProxyWay | undefined;
  readonly cluster: ProxyWay | undefined;
}

/** Gets documents of issuers (discovery and keys) with a deadline; a redirect is refused. */
export function httpsDocuments(clock: Clock, egress?: DocumentEgress): FetchDocument {
  return (url, { certificateAuthority: authority, egressSelectorType: type }, accessToken = '') => {
    const ways = { controlplane: egress?.controlPlane, cluster: egress?.cluster };
    const proxy = type === 'controlplane' || type === 'cluster' ? ways[type] : undefined;
    return fetched({ url, authority, accessToken, proxy }, clock);
  };
}

interface Wanted {
  readonly url: string;
  readonly authority: string;
  readonly accessToken: string;
  readonly proxy: ProxyWay | undefined;
}

async function fetched(wanted: Wanted, clock: Clock): Promise<FetchedDocument> {
  let cancel = (): void => undefined;
  try {
    const asked = requestFor(wanted, clock);
    cancel = clock.after(TIMEOUT_MS, () => {
      asked.destroy(new Error('context deadline exceeded'));
    });
    const { code, bytes } = await wholeAnswer(asked, LIMIT);
    return { ok: true, code, text: bytes.toString('utf8') };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    cancel();
  }
}

/** @throws Error where a CA bundle or an address is none. */
function requestFor({ url, authority, accessToken, proxy }: Wanted, clock: Clock): ClientRequest {
  const ca = authority === '' ? {} : { ca: authority };
  const bearer = accessToken === '' ? {} : { Authorization: `Bearer ${accessToken}` };
  const headers = { Accept: 'application/json, application/jwt', ...bearer };
  const agent =
    proxy === undefined ? new TrustingAgent({ clock }) : new TunnelAgent(proxy, { clock });
  return secureRequest({ ...ca, agent, headers }, url);
}
