import { X509Certificate } from 'node:crypto';

import { describe, expect, it } from 'vitest';
import { parseCertificate } from '../../../api/x509/certificate.ts';
import { authorityNames } from './authority-names.ts';
import { makeAuthority } from './certificate-maker.ts';

const HOUR_MS = 3_600_000;
const validity = { notBefore: Date.now() - HOUR_MS, notAfter: Date.now() + HOUR_MS };

describe('authorityNames', () => {
  it.each(['an authority', 'a'.repeat(64)])(
    'keeps the name of %s, and a key that signs nothing',
    async (name) => {
      const { certificate } = await makeAuthority(name, validity);
      const [named = ''] = authorityNames([certificate]);
      const [is, was] = [new X509Certificate(named), new X509Certificate(certificate)];
      expect(parseCertificate(is.raw).rawSubject).toBe(parseCertificate(was.raw).rawSubject);
      expect(is.ca).toBe(false);
      expect(is.checkIssued(was)).toBe(true);
      expect(was.checkIssued(is)).toBe(false);
    },
  );
});
