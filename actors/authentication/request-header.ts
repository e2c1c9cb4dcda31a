/**
 * Believes what a proxy in front of the server says of the user in headers (`X-Remote-User`, …), if
 * the proxy shows a certificate of the authority that was named for it. Nobody else's headers count:
 * the client CA is another one.
 *
 * The certificate has to be signed by the authority itself, without others between them.
 *
 * In Kubernetes: apiserver/pkg/authentication/request/headerrequest, and Verifier of x509.
 */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../api/meta/clock.ts';
import { headerValues } from '../header-values.ts';
import type { ClientCertificate, RoutedRequest, UserInfo } from '../request.ts';
import { identified, refused, UNKNOWN, type Authenticator } from './authenticator.ts';
import { extraKeyOf } from './extra-keys.ts';

export interface RequestHeaderOptions {
  /** PEM of one authority or several; asked each time, since the file may change. */
  readonly authorities: () => string;
  /** Common names of proxies; none: all that are verified. */
  readonly allowedNames: readonly string[];
  /** All in lower case. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export function requestHeaderAuthenticator(
  options: RequestHeaderOptions,
  clock: Pick<Clock, 'now'>,
): Authenticator {
  const proxies = new ProxyCertificates(options, clock);
  return {
    authenticate(request) {
      const certificate = request.connection.clientCertificate();
      if (certificate === undefined) return UNKNOWN;
      const problem = proxies.problemOf(certificate);
      if (problem !== undefined) return refused(problem);
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

class ProxyCertificates {
  readonly #options: RequestHeaderOptions;
  readonly #clock: Pick<Clock, 'now'>;
  #pem = '';
  #authorities: readonly X509Certificate[] = [];
  #problems = new WeakMap<
    ClientCertificate,
    { readonly problem: string; readonly expiry: number }
  >();

  constructor(options: RequestHeaderOptions, clock: Pick<Clock, 'now'>) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Why the certificate is no proxy's. */
  problemOf(certificate: ClientCertificate): string | undefined {
    const pem = this.#options.authorities();
    if (pem !== this.#pem) {
      this.#pem = pem;
      this.#authorities = certificatesIn(pem);
      this.#problems = new WeakMap();
    }
    let known = this.#problems.get(certificate);
    if (known === undefined) {
      known = this.#judge(certificate);
      this.#problems.set(certificate, known);
    }
    if (known.problem !== '') return known.problem;
    return this.#clock.now() > known.expiry
      ? 'the certificate of the proxy has expired'
      : undefined;
  }

  #judge({ raw, commonName }: ClientCertificate) {
    const leaf = new X509Certificate(raw);
    const expiry = Date.parse(leaf.validTo);
    const { allowedNames } = this.#options;
    const isSigned = this.#authorities.some(
      (authority) => leaf.checkIssued(authority) && leaf.verify(authority.publicKey),
    );
    if (!isSigned) return { problem: 'certificate signed by unknown authority', expiry };
    if (this.#clock.now() < Date.parse(leaf.validFrom)) {
      return { problem: 'the certificate of the proxy is not valid yet', expiry };
    }
    if (!isForClients(leaf)) {
      return { problem: 'the certificate of the proxy is not for clients', expiry };
    }
    if (allowedNames.length > 0 && !allowedNames.includes(commonName)) {
      return { problem: `subject with cn=${commonName} is not in the allowed list`, expiry };
    }
    return { problem: '', expiry };
  }
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USE = '2.5.29.37.0';

/** A certificate that does not say what it is for is for everything. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  // Node's types promise a list, and give undefined where the extension is missing.
  const uses = keyUsage as readonly string[] | undefined;
  return uses === undefined || uses.includes(CLIENT_AUTH) || uses.includes(ANY_USE);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @throws Error when one of them is none. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return [...pem.matchAll(CERTIFICATE)].map(([one]) => new X509Certificate(one));
}

function firstValue(request: RoutedRequest, headers: readonly string[]): string {
  for (const header of headers) {
    const [value = ''] = headerValues(request, header);
    if (value !== '') return value;
  }
  return '';
}

function extraOf(request: RoutedRequest, prefixes: readonly string[]): UserInfo['extra'] {
  const extra = new Map<string, readonly string[]>();
  for (const prefix of prefixes) {
    for (const header of Object.keys(request.headers)) {
      if (!header.startsWith(prefix)) continue;
      const key = extraKeyOf(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...headerValues(request, header)]);
    }
  }
  return Object.fromEntries(extra);
}

/** So that nobody further on believes them again. */
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
