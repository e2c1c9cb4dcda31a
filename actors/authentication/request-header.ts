/**
 * Believes what a proxy in front of the server says of the user in headers (`X-Remote-User`, …), if
 * the proxy shows a certificate that leads to the authority that was named for it. No other client's headers count:
 * the client CA is another one.
 *
 * In Kubernetes: apiserver/pkg/authentication/request/headerrequest, and Verifier of x509.
 */
import { headerValues } from '../request/header-values.ts';
import type { RoutedRequest, UserInfo } from '../request/request.ts';
import { identified, refused, UNKNOWN, type Authenticator } from './authenticator.ts';
import type { AuthorityPool } from './authority-pool.ts';
import { extraOf } from './extra-keys.ts';

export interface RequestHeaderOptions {
  readonly authorities: Pick<AuthorityPool, 'problemOf'>;
  /** Common names of proxies; none: all that are verified. */
  readonly allowedNames: readonly string[];
  /** All in lower case. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** Reads user, uid, groups and extra of the headers, and takes these headers off the request. */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const { authorities, allowedNames } = options;
  return {
    authenticate(request) {
      const certificate = request.connection.clientCertificate();
      if (certificate === undefined) return UNKNOWN;
      const problem = authorities.problemOf(certificate);
      if (problem !== '') return refused(problem);
      const { commonName } = certificate;
      if (allowedNames.length > 0 && !allowedNames.includes(commonName)) {
        return refused(`subject with cn=${commonName} is not in the allowed list`);
      }
      const name = firstValue(request, options.usernameHeaders);
      if (name === '') return UNKNOWN;
      const user: UserInfo = {
        name,
        uid: firstValue(request, options.uidHeaders),
        groups: options.groupHeaders
          .flatMap((header) => headerValues(request, header))
          .filter((group) => group !== ''),
        extra: extraOf(request, options.extraHeaderPrefixes),
      };
      forget(request, options);
      return identified(user);
    },
  };
}

function firstValue(request: RoutedRequest, headers: readonly string[]): string {
  for (const header of headers) {
    const [value = ''] = headerValues(request, header);
    if (value !== '') return value;
  }
  return '';
}

/** So that they are not believed again further on. */
function forget(request: RoutedRequest, options: RequestHeaderOptions): void {
  const { usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes } = options;
  for (const header of [...usernameHeaders, ...uidHeaders, ...groupHeaders]) {
    if (request.headers[header] !== undefined) request.forgetHeader(header);
  }
  for (const header of Object.keys(request.headers)) {
    if (extraHeaderPrefixes.some((prefix) => header.startsWith(prefix))) {
      request.forgetHeader(header);
    }
  }
}
