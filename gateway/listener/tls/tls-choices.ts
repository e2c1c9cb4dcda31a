/**
 * Versions, cipher suites and curves of TLS under the names that Go gives them, as Node takes them.
 *
 * Cipher suites of TLS 1.3 are always on, as in Go, and the order of a list means nothing. What this
 * build of OpenSSL does not have (RC4, 3DES; the post-quantum curves before OpenSSL 3.5) is left out.
 *
 * In Kubernetes: ciphersuites_flag.go and curves_flag.go, component-base/cli/flag.
 */
import {
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureVersion,
  type TlsOptions,
} from 'node:tls';

export interface TlsChoices {
  /** As Node names it: `TLSv1.2`. */
  readonly tlsMinVersion: SecureVersion;
  /** Go's names; none: Node's own list. */
  readonly tlsCipherSuites: readonly string[];
  /** Go's numbers; none: Node's own list. */
  readonly tlsCurvePreferences: readonly number[];
}

/** Go's names of versions, as flags have them, by Node's. */
export const TLS_VERSIONS: ReadonlyMap<string, SecureVersion> = new Map([
  ['VersionTLS10', 'TLSv1'],
  ['VersionTLS11', 'TLSv1.1'],
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);

/** The suites of TLS 1.3 have no name here, as they cannot be chosen. */
const SUITES: readonly (readonly [go: string, openssl: string])[] = [
  ['TLS_AES_128_GCM_SHA256', ''],
  ['TLS_AES_256_GCM_SHA384', ''],
  ['TLS_CHACHA20_POLY1305_SHA256', ''],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
];

/** Those that Go calls insecure. */
const INSECURE_SUITES: readonly (readonly [go: string, openssl: string])[] = [
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_RC4_128_SHA', ''],
  ['TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA', ''],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
  ['TLS_ECDHE_RSA_WITH_RC4_128_SHA', ''],
  ['TLS_RSA_WITH_3DES_EDE_CBC_SHA', ''],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['TLS_RSA_WITH_RC4_128_SHA', ''],
];

/** What OpenSSL calls each suite; '' where it cannot be chosen. */
export const CIPHER_SUITES: ReadonlyMap<string, string> = new Map([...SUITES, ...INSECURE_SUITES]);

/** Go's names of the suites that Go calls secure, for help texts and validation. */
export const PREFERRED_CIPHER_SUITES: readonly string[] = SUITES.map(([go]) => go);

/** Go's names of suites that a flag may name, with a warning. */
export const INSECURE_CIPHER_SUITES: readonly string[] = INSECURE_SUITES.map(([go]) => go);

/** By Go's numbers, in the order in which Go prefers them. */
export const TLS_CURVES: ReadonlyMap<number, string> = new Map([
  [4_588, 'X25519MLKEM768'],
  [4_587, 'SecP256r1MLKEM768'],
  [4_589, 'SecP384r1MLKEM1024'],
  [29, 'X25519'],
  [23, 'P-256'],
  [24, 'P-384'],
  [25, 'P-521'],
]);

/** HTTP/2 has to find one of these (RFC 9113, 9.2.2). */
const HTTP2_SUITES = [
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
];

/** What of the choices would keep a server from its start, in Go's words; undefined: nothing. */
export function choicesProblem(choices: TlsChoices): string | undefined {
  const { tlsCipherSuites: suites, tlsMinVersion, tlsCurvePreferences: curves } = choices;
  const speaksHttp2 = suites.length === 0 || HTTP2_SUITES.some((suite) => suites.includes(suite));
  if (!speaksHttp2 && tlsMinVersion !== 'TLSv1.3') {
    return (
      'error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required ' +
      `AES_128_GCM_SHA256 cipher (need at least one of ${HTTP2_SUITES.join(' or ')})`
    );
  }
  if (curves.length === 0 || curvesOf(curves) !== '') return undefined;
  return `no curve of --tls-curve-preferences is known to OpenSSL ${process.versions.openssl}`;
}

/** The options of node:tls that say the same. */
export function choiceOptions(choices: TlsChoices): TlsOptions {
  const { tlsMinVersion: minVersion, tlsCurvePreferences: curves } = choices;
  const ciphers = ciphersOf(choices);
  return {
    minVersion,
    ...(ciphers === '' ? {} : { ciphers }),
    ...(curves.length === 0 ? {} : { ecdhCurve: curvesOf(curves) }),
  };
}

function ciphersOf({ tlsCipherSuites: suites, tlsMinVersion }: TlsChoices): string {
  const names = suites.map((suite) => CIPHER_SUITES.get(suite) ?? '').filter((one) => one !== '');
  // OpenSSL speaks the old versions at its lowest level only.
  const isOld = tlsMinVersion === 'TLSv1' || tlsMinVersion === 'TLSv1.1';
  const list = names.length === 0 && isOld ? [DEFAULT_CIPHERS] : [...new Set(names)];
  return [...list, ...(isOld ? ['@SECLEVEL=0'] : [])].join(':');
}

function curvesOf(numbers: readonly number[]): string {
  const chosen = [...TLS_CURVES].filter(([number, name]) => {
    return numbers.includes(number) && isCurveKnown(name);
  });
  return chosen.map(([, name]) => name).join(':');
}

function isCurveKnown(ecdhCurve: string): boolean {
  try {
    createSecureContext({ ecdhCurve });
    return true;
  } catch {
    return false; // There is no list of them to look into.
  }
}
