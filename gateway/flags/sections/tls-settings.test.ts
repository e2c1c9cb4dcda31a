/** The errors are those of a kube-apiserver 1.36 that was started with the same flags. */
import { describe, expect, it } from 'vitest';
import { parsed, problem } from '../given-flags.fixture.ts';
import { insecureCipherSuites } from './tls-settings.ts';

const HTTP2_SUITE = 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256';
const PAIR =
  'for "--tls-sni-cert-key" flag: expected comma separated certificate and key file paths';
const NO_HTTP2 =
  'error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required ' +
  'AES_128_GCM_SHA256 cipher (need at least one of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or ' +
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)';

describe('a flag of TLS', () => {
  it.each([
    ['--tls-min-version=1.2', '--tls-min-version: unknown tls version "1.2"'],
    [
      '--tls-cipher-suites=FOO',
      "--tls-cipher-suites: Cipher suite FOO not supported or doesn't exist",
    ],
    ['--tls-cipher-suites=TLS_RSA_WITH_AES_128_GCM_SHA256', NO_HTTP2],
    [
      '--tls-curve-preferences=x',
      'invalid argument "x" for "--tls-curve-preferences" flag: strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      '--tls-curve-preferences=70000',
      '--tls-curve-preferences: curve preference 70000 is out of range (must be 1-65535)',
    ],
    ['--tls-curve-preferences=23,23', '--tls-curve-preferences: duplicate curve preference 23'],
    [
      '--tls-curve-preferences=30',
      '--tls-curve-preferences: curve preference 30 is not supported by the current Go version',
    ],
    ['--tls-sni-cert-key=a', `invalid argument "a" ${PAIR}`],
    ['--tls-sni-cert-key=a,b,c', `invalid argument "a,b,c" ${PAIR}`],
    [
      '--tls-sni-cert-key=a,b:',
      'invalid argument "a,b:" for "--tls-sni-cert-key" flag: empty names list is not allowed',
    ],
  ])('%s is refused', (flag, words) => {
    expect(problem([flag])).toBe(words);
  });

  it('takes what kube-apiserver takes', () => {
    const argv = [
      ...['--tls-min-version=VersionTLS13', '--tls-cipher-suites=TLS_RSA_WITH_AES_128_GCM_SHA256'],
      ...['--tls-curve-preferences=29,23', '--tls-sni-cert-key=a.crt,a.key'],
      '--tls-sni-cert-key= b.crt , b.key : *.b.io, b.io',
    ];
    const options = parsed(argv);
    expect(options).toMatchObject({
      tlsMinVersion: 'TLSv1.3',
      tlsCurvePreferences: [29, 23],
      tlsSniCertKey: [
        { certFile: 'a.crt', keyFile: 'a.key', names: [] },
        { certFile: 'b.crt', keyFile: 'b.key', names: ['*.b.io', 'b.io'] },
      ],
    });
    expect(insecureCipherSuites(options)).toEqual(['TLS_RSA_WITH_AES_128_GCM_SHA256']);
    expect(insecureCipherSuites(parsed([`--tls-cipher-suites=${HTTP2_SUITE}`]))).toEqual([]);
  });

  it('names a directory of certificates, unless files are named', () => {
    const named = ['--tls-cert-file=x.crt', '--tls-private-key-file=x.key'];
    expect(parsed(['--cert-dir=/c'])).toMatchObject({
      tlsCertFile: '/c/apiserver.crt',
      tlsPrivateKeyFile: '/c/apiserver.key',
    });
    const both = parsed(['--cert-dir=/c', ...named]);
    expect([both.tlsCertFile, both.certDir]).toEqual(['x.crt', undefined]);
  });
});
