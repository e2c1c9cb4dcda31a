/**
 * A real issuer of OpenID Connect tokens, in a process of its own that speaks TLS on loopback. It
 * gives tokens to a client that shows its secret, with the claims that the test asks for.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer, request } from 'node:https';

import { freePorts } from '../support/free-port.ts';
import type { TestAuthority } from '../support/test-authority.ts';

export interface OpenIdIssuer {
  readonly url: string;
  /** A token for `audience`, signed with the issuer's newest key. */
  token(audience: string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

/** What is used of the package, which has no types of its own. */
interface ProviderModule {
  readonly Provider: new (url: string, configuration: object) => { callback(): RequestListener };
}

export async function startIssuer(authority: TestAuthority): Promise<OpenIdIssuer> {
  const [port = 0] = await freePorts(1);
  const url = `https://127.0.0.1:${String(port)}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = {
    ...privateKey.export({ format: 'jwk' }),
    kid: 'issuer-key',
    use: 'sig',
    alg: 'RS256',
  };
  const name: string = 'oidc-provider';
  const { Provider } = (await import(name)) as ProviderModule;
  let extra: Readonly<Record<string, unknown>> = {};
  const provider = new Provider(url, {
    jwks: { keys: [jwk] },
    clients: [
      {
        client_id: 'kubernetes',
        client_secret: 'hush',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: '',
          audience: audience.replace('https://audience.example/', ''),
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: () => extra,
  });
  const identity = await authority.issue('issuer', ['127.0.0.1']);
  const server = createServer(
    { cert: identity.certificate, key: identity.key },
    provider.callback(),
  );
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url,
    token(audience, claims = {}) {
      extra = claims;
      return askForToken(url, authority, audience);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

function askForToken(url: string, authority: TestAuthority, audience: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    resource: `https://audience.example/${audience}`,
  }).toString();
  const headers = {
    Authorization: `Basic ${Buffer.from('kubernetes:hush').toString('base64')}`,
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const options = { method: 'POST', headers, ca: authority.certificate, agent: false };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/token`, options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        const { access_token: token } = JSON.parse(text) as { access_token?: string };
        if (token === undefined) reject(new Error(`the issuer gave no token: ${text}`));
        else resolve(token);
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
