/**
 * Where others learn how to check the tokens of service accounts: which issuer signs them, and with which
 * keys.
 *
 * In Kubernetes: pkg/routes/openidmetadata.go and pkg/serviceaccount/openidmetadata.go.
 */
import type { KeyRing } from '../../actors/authentication/jwt/key-ring.ts';
import { type DocumentAnswer, statusAnswer } from '../../actors/request/answer.ts';
import { routedAccept } from '../../actors/request/routed-media.ts';
import { methodNotAllowed } from '../../api/meta/status.ts';
import type { Route } from './route.ts';

export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration';
export const KEY_SET_PATH = '/openid/v1/jwks';

export interface OpenIdParts {
  readonly issuer: string;
  readonly keys: KeyRing;
  /** undefined: here. */
  readonly keySetUrl: string | undefined;
  /** `127.0.0.1:6443`, known when the port is open. */
  readonly address: () => string;
}

/** Knows nothing where the issuer is no URL by which a client could find it. */
export function openIdRoute(parts: OpenIdParts): Route {
  if (!isDiscoverable(parts.issuer)) return () => undefined;
  return (request) => {
    // Upstream's router passes over a slash at the end.
    const path = request.info.path.replace(/\/$/, '');
    const document = documentAt(path, parts);
    if (document === undefined) return undefined;
    if (request.method !== 'GET') return statusAnswer(methodNotAllowed());
    const unaccepted = routedAccept(request.headers, [document.type]);
    if (unaccepted !== undefined) return statusAnswer(unaccepted);
    return answer(document.type, document.value, parts.keys.cacheSeconds);
  };
}

function documentAt(path: string, parts: OpenIdParts) {
  if (path === OPENID_CONFIGURATION_PATH) {
    return { type: 'application/json', value: metadata(parts) };
  }
  if (path === KEY_SET_PATH) {
    return { type: 'application/jwk-set+json', value: parts.keys.keySet };
  }
  return undefined;
}

function metadata({ issuer, keys, keySetUrl, address }: OpenIdParts) {
  return {
    issuer,
    jwks_uri: keySetUrl ?? `https://${address()}${KEY_SET_PATH}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: keys.algorithms,
  };
}

function answer(type: string, value: unknown, cacheSeconds: number): DocumentAnswer {
  const caching = `public, max-age=${String(cacheSeconds)}`;
  const headers = { 'Content-Type': type, 'Cache-Control': caching };
  return { kind: 'Document', code: 200, headers, body: Buffer.from(JSON.stringify(value)) };
}

function isDiscoverable(issuer: string): boolean {
  const url = URL.parse(issuer);
  return url?.protocol === 'https:' && url.search === '' && url.hash === '';
}
