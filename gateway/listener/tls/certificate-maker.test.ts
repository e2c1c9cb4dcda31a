/** Certificates that are made, as OpenSSL and Go's rules (api/x509) read them. */
import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseCertificate } from '../../../api/x509/certificate.ts';
import { makeAuthority, makeLeaf } from './certificate-maker.ts';

const validity = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2051, 0, 1) };
const authority = await makeAuthority('an authority', validity);
const leaf = await makeLeaf(authority, {
  commonName: 'köniz',
  organizations: ['system:masters', 'second'],
  use: 'server',
  names: [
    { type: 'dns', value: 'a.example' },
    { type: 'ip', value: '192.0.2.7' },
    { type: 'ip', value: '2001:db8::1' },
  ],
  validity,
});

describe('a certificate that was made', () => {
  it('is signed by its authority, and names it', () => {
    const [root, is] = [authority, leaf].map((pair) => new X509Certificate(pair.certificate));
    expect(root?.ca).toBe(true);
    expect(is?.ca).toBe(false);
    expect(is?.checkIssued(root as X509Certificate)).toBe(true);
    expect(is?.verify((root as X509Certificate).publicKey)).toBe(true);
    expect(root?.verify(root.publicKey)).toBe(true);
    expect(is?.subject).toBe('O=system:masters\nO=second\nCN=köniz');
    expect(is?.subjectAltName).toBe(
      'DNS:a.example, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:1',
    );
    expect(is?.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  it('has a key whose first line says what it is, as kubeadm writes it', () => {
    for (const { key } of [authority, leaf]) {
      expect(key.split('\n')[0]).toBe('-----BEGIN EC PRIVATE KEY-----');
    }
  });

  it('is read by the rules of Go', () => {
    const raw = (text: string) => parseCertificate(new X509Certificate(text).raw);
    const [root, is] = [raw(authority.certificate), raw(leaf.certificate)];
    expect(is).toMatchObject({ version: 3, ...validity });
    expect(is.rawIssuer).toBe(root.rawSubject);
    expect(is.serialNumber).not.toBe(root.serialNumber);
    expect(is.authorityKeyId).toEqual(root.subjectKeyId);
  });
});
