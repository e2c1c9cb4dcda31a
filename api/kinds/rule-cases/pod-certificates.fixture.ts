/**
 * What comes of requests for certificates of pods. The certificates begin two minutes before NOW. Made with
 * kube-apiserver's answers.
 */
import type { JsonObject } from '../../json/json.ts';
import type { RuleCase } from './judge.fixture.ts';
import { meta } from './written-objects.fixture.ts';

/** Requests that their keys have signed: of P-256, of P-224, of RSA with 2048 bits. */
export const STUB =
  'MIG6MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJd66vaboCC2CQeKCm9/NdHNYgA4iqI+ojDzZuMu1irg7aIQlj5LdrQp5ZESHVcGaaxGkqiob+aPWcYfp9oUFRGgADAKBggqhkjOPQQDAgNIADBFAiBZ0Ch1PsPTjRVPcCE8RXRy8j0/Aad3F5Xv8UMOe/ckfQIhAO3XjIR5ZXW1VdsdbZ1NYGQwFWA1tsM3HtWmJVaJ2ChZ';
const STUB_OF_P224 =
  'MIGnMFcCAQAwADBOMBAGByqGSM49AgEGBSuBBAAhAzoABExSQJk9kwNa57gcTTbs1iOFh/2ecXHa+dx9Ns0OlmIxzloKJUY6ioP6QkgBmc0qZpVwJV5K5zq0oAAwCgYIKoZIzj0EAwIDQAAwPQIdAPAJywGWivo7IebTipCxw2EJ+8zAY7eBEYEtiskCHGpv+4sE7oY6O9Bd6OfBsKAt2pCOFlcX6pPwZaI=';
const STUB_OF_RSA =
  'MIICRTCCAS0CAQAwADCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAPHRMSRaZfwuNR8AYMfms4KJi1tzyyQR36c+l1cF33Lm3Ydo3V6Q6zyRqzUVqMIxW8Q/Dyp6tM1I9wDg8oDkD39bPvfausrcOgCQoEAM6THMtIRIr9bWFcNe9mh/o/1p68lI8DJlwEBcflkkzsu/+mxSs47JPz+muhfvbz2/rU0AvF3GbBVp8AFSMc8FDTMVVgxqb0lQjyFuS7ESMAJkqByJ3hhfCV/wp4nJMoDaPgKy+2e+RBRu5DpNgNwxmzkjZzl3FcCnWeA/BQSE6RXLEc5OFMJrRY2Wofi5i/+3HbfclwtDO4ShR8uGTpsYWVcAkHdppCUITGtF9Azi6fmPZYkCAwEAAaAAMA0GCSqGSIb3DQEBCwUAA4IBAQA5rPSOg7rq1/DFVd5TjV+l/jLKvbSglxubpX1lb5P8A4/RvGRWOLAEq/QJVvOogBUOyeSxBAZ5dU9dK+oDX59Xf+9OkvMeiBWRj+ARON9t5lgao8kepDe6erEMZZKTxsETeQYT2GLwm+rD8wHRA2o3osjZPWU32uwLlDYmk7MkWQcWH+eqvRz16FRJPQn3sxaiJv0b9z1fk21ZA/Reu2igqdqY+mMV1NvqZ2jla+GA8hP1CmfAQucuFYA0StGtP+UAPHjC6yJS5ka6WtnxRtqJYg+gidCE+QTxnOi0CuCXQdzDZsCgkmBCtHoNciXLe0NOUSvloFBBKaZYdRsLrk1b';
/** A key of Ed25519. */
export const ED25519_KEY = 'MCowBQYDK2VwAyEAmGzT4lT6jQyb3RPBLdtqD5sOZdxEfUY4V/7vx7QjcHw=';
/** The uid of the pod, signed by that key. */
export const ED25519_PROOF =
  '3nktkYjnL29POKVuDL34FCiNGxUaX6s+fUBSMj76XA2E3t7Nc14pCweevENJ+OoarPUQOS8clDYUzpRiGCzwCQ==';
/** Of the key of the first request for a day, with its authority; for half an hour; of another key; with names that are none. */
export const CHAIN = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBCDCBrqADAgECAgECMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAmNhMB4XDTI2',
  'MTEyMTA4NTgwMFoXDTI2MTEyMjA4NTgwMFowDjEMMAoGA1UEAxMDcG9kMFkwEwYH',
  'KoZIzj0CAQYIKoZIzj0DAQcDQgAEl3rq9pugILYJB4oKb3810c1iADiKoj6iMPNm',
  '4y7WKuDtohCWPkt2tCnlkRIdVwZprEaSqKhv5o9Zxh+n2hQVETAKBggqhkjOPQQD',
  'AgNJADBGAiEArN8XFm7Hp0aiVG+fHVVOPFl0RjVU4HF7aIJ9bY2lzqkCIQCsI/ko',
  'galhNgFU7p4LuundSUELX3nE4TpL8TKPwsTw2Q==',
  '-----END CERTIFICATE-----',
  '-----BEGIN CERTIFICATE-----',
  'MIIBOjCB4aADAgECAgEBMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAmNhMB4XDTI2',
  'MTEyMTA3NTgwMFoXDTI3MDEwMjAwNTgwMFowDTELMAkGA1UEAxMCY2EwWTATBgcq',
  'hkjOPQIBBggqhkjOPQMBBwNCAAQHUTXMnAt3qrvSDiwDiH8Qu5E8O45FZW6K/9Eh',
  'SWmfdZ58/6a+VRbAMWC2J5vjSjus/lcRLcZx0AQJceNIYHMuozIwMDAPBgNVHRMB',
  'Af8EBTADAQH/MB0GA1UdDgQWBBQq1aGRc0sPEOES3hlesnlqli9BrTAKBggqhkjO',
  'PQQDAgNIADBFAiADAaoK9iy9UVcaGj+96dxoQg/jInUIQubPqIX482asXwIhAORw',
  'aKfqc7/xqeH0uKg8JFclouUb24MCmUXEJGt0Idx8',
  '-----END CERTIFICATE-----',
  '',
].join('\n');
const SHORT = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBBjCBrqADAgECAgECMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAmNhMB4XDTI2',
  'MTEyMTA4NTgwMFoXDTI2MTEyMTA5MjgwMFowDjEMMAoGA1UEAxMDcG9kMFkwEwYH',
  'KoZIzj0CAQYIKoZIzj0DAQcDQgAEl3rq9pugILYJB4oKb3810c1iADiKoj6iMPNm',
  '4y7WKuDtohCWPkt2tCnlkRIdVwZprEaSqKhv5o9Zxh+n2hQVETAKBggqhkjOPQQD',
  'AgNHADBEAiBSyJjdt23ks4j2lqO3T36dkKbq7KzoxMpHAsFTBZsHHgIgDv/AtSzh',
  '6484r+4kEh3O0zhS+OSPAsak0pv3N//K1+I=',
  '-----END CERTIFICATE-----',
  '',
].join('\n');
const OTHER = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBCDCBrqADAgECAgECMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAmNhMB4XDTI2',
  'MTEyMTA4NTgwMFoXDTI2MTEyMjA4NTgwMFowDjEMMAoGA1UEAxMDcG9kMFkwEwYH',
  'KoZIzj0CAQYIKoZIzj0DAQcDQgAEB1E1zJwLd6q70g4sA4h/ELuRPDuORWVuiv/R',
  'IUlpn3WefP+mvlUWwDFgtieb40o7rP5XES3GcdAECXHjSGBzLjAKBggqhkjOPQQD',
  'AgNJADBGAiEAwKv0ZcTkaHBYmes879a3tAcAsoP2QbR0phXetrMTDxMCIQDywbX/',
  'Ml/N4DRQwVk8mPF9+NRFiGu5MEKOUdZ9XjUBMg==',
  '-----END CERTIFICATE-----',
  '',
].join('\n');
const NAMED = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBHzCBx6ADAgECAgECMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAmNhMB4XDTI2',
  'MTEyMTA4NTgwMFoXDTI2MTEyMjA4NTgwMFowDjEMMAoGA1UEAxMDcG9kMFkwEwYH',
  'KoZIzj0CAQYIKoZIzj0DAQcDQgAEl3rq9pugILYJB4oKb3810c1iADiKoj6iMPNm',
  '4y7WKuDtohCWPkt2tCnlkRIdVwZprEaSqKhv5o9Zxh+n2hQVEaMXMBUwEwYDVR0R',
  'BAwwCoIEYS4uYoICLmMwCgYIKoZIzj0EAwIDRwAwRAIgOnhCvw4GEnfIcP2u1z/p',
  'KGYEB2keU5WrfjcjLRc9gLkCIBCEE8+0Jpni1s4oUefAnRHsyQx1yyky8BSJ+QFX',
  'rDRE',
  '-----END CERTIFICATE-----',
  '',
].join('\n');
const OF_KEY = [
  '-----BEGIN CERTIFICATE-----',
  'MIHXMH+gAwIBAgIBAjAKBggqhkjOPQQDAjANMQswCQYDVQQDEwJjYTAeFw0yNjEx',
  'MjEwODU4MDBaFw0yNjExMjIwODU4MDBaMA4xDDAKBgNVBAMTA3BvZDAqMAUGAytl',
  'cAMhAJhs0+JU+o0Mm90TwS3bag+bDmXcRH1GOFf+78e0I3B8MAoGCCqGSM49BAMC',
  'A0gAMEUCIFZQNiXMxr6zzHEMEoqhrzbxexOqUvX3Ij2RISiJiz3aAiEAl3+FYnpA',
  'zuJ0u4VOxSPCDmgovx4SAN1yWE1k+dTAAhs=',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

const condition = (type: string, status = 'True'): JsonObject => ({
  ...{ type, status, reason: 'A', message: 'a', lastTransitionTime: '2026-01-01T00:00:00Z' },
});
const request = (spec: JsonObject = {}, status: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: 'certificates.k8s.io/v1beta1', kind: 'PodCertificateRequest' },
  metadata: meta(),
  spec: {
    ...{ signerName: 'a.b/c', podName: 'p', podUID: 'u-pod', nodeName: 'n', nodeUID: 'u-n' },
    ...{ serviceAccountName: 's', serviceAccountUID: 'u-s', stubPKCS10Request: STUB },
    ...spec,
  },
  status,
});
const older = {
  stubPKCS10Request: null,
  pkixPublicKey: ED25519_KEY,
  proofOfPossession: ED25519_PROOF,
};
const issued = (certificateChain: string, more: JsonObject = {}): JsonObject => ({
  ...{ conditions: [condition('Issued')], certificateChain },
  ...{ notBefore: '2026-11-21T08:58:00Z', notAfter: '2026-11-22T08:58:00Z' },
  ...{ beginRefreshAt: '2026-11-22T00:00:00Z', ...more },
});
const writes = (
  when: string,
  { spec = {}, status }: { readonly spec?: JsonObject; readonly status: JsonObject },
  errors: readonly string[],
): RuleCase => ({
  ...{ when, do: 'status', old: request(spec), object: request(spec, status), errors },
});
const shown = (chain: string): string => JSON.stringify(chain);

export const podCertificateCases: readonly RuleCase[] = [
  {
    when: 'a pod’s certificate is asked for',
    do: 'create',
    object: request({}, issued(CHAIN)),
    errors: [],
    shows: { 'spec.maxExpirationSeconds': 86_400, status: {} },
  },
  {
    when: 'a pod’s certificate is asked for with a key and a proof',
    do: 'create',
    object: request(older),
    errors: [],
  },
  {
    when: 'the proof of a pod’s key is about another pod',
    do: 'create',
    object: request({ ...older, podUID: 'u-other' }),
    errors: [
      'spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature',
    ],
  },
  {
    when: 'a pod’s key is of a small curve',
    do: 'create',
    object: request({ stubPKCS10Request: STUB_OF_P224 }),
    errors: [
      'spec.stubPKCS10Request: Invalid value: "curve P-224": elliptic public keys must use curve P256, P384, or P521',
    ],
  },
  {
    when: 'a pod’s key is short, and its certificate is to live long',
    do: 'create',
    object: request({
      signerName: 'kubernetes.io/c',
      maxExpirationSeconds: 86_401,
      stubPKCS10Request: STUB_OF_RSA,
    }),
    errors: [
      'spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]',
      'spec.stubPKCS10Request: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096',
    ],
  },
  {
    when: 'a pod’s certificate is asked for in two ways',
    do: 'create',
    object: request({ ...older, stubPKCS10Request: STUB, podUID: '' }),
    errors: [
      'spec.podUID: Invalid value: "": must not be empty',
      'spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set',
    ],
  },
  writes('a pod’s certificate is issued', { status: issued(CHAIN) }, []),
  writes('a certificate of an older form is issued', { spec: older, status: issued(OF_KEY) }, []),
  writes('a pod’s certificate is denied', { status: { conditions: [condition('Denied')] } }, []),
  writes('a certificate is of another key', { status: issued(OTHER) }, [
    `status.certificateChain: Invalid value: ${shown(OTHER)}: leaf certificate was not issued to the requested public key`,
  ]),
  writes(
    'a certificate ends too early',
    { status: issued(SHORT, { notAfter: '2026-11-21T09:28:00Z' }) },
    [
      'status.certificateChain: Invalid value: 1800000000000: leaf certificate lifetime must be >= 1 hour',
    ],
  ),
  writes('a certificate has names that are none', { status: issued(NAMED) }, [
    `status.certificateChain: Invalid value: "a..b": leaf certificate's DNSName should not contain '..'`,
    `status.certificateChain: Invalid value: ".c": leaf certificate's DNSName should not start or end with '.'`,
  ]),
  writes(
    'a certificate is to be renewed at its end',
    { status: issued(CHAIN, { beginRefreshAt: '2026-11-22T08:49:00Z' }) },
    [
      'status.beginRefreshAt: Invalid value: "2026-11-22T08:49:00Z": must be at least 10 minutes before status.notAfter',
    ],
  ),
  writes(
    'a request failed, and brings a certificate',
    { status: { ...issued(CHAIN), conditions: [condition('Failed')] } },
    [
      'status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest',
    ],
  ),
  {
    when: 'a pod’s certificate is issued a second time',
    do: 'status',
    old: request({}, issued(CHAIN)),
    object: request({}, { conditions: [condition('Denied')] }),
    errors: [
      'status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed',
    ],
  },
  writes(
    'a request is in a state that is none, and in none that is true',
    { status: { conditions: [condition('Approved'), condition('Issued', 'False')] } },
    [
      'status.conditions.[0].type: Unsupported value: "Approved": supported values: "Issued", "Denied", "Failed"',
      'status.conditions.[1].status: Unsupported value: "False": supported values: "True"',
    ],
  ),
];
