/** Requests for certificates, and what became of them. */
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHTk1FRUNBUUF3RGpFTU1Bb0dBMVVFQXd3RGIyNWxNQ293QlFZREsyVndBeUVBWHJNZ2tIM0w1bjlvSjBsYwp5dUJXc3BUR2JJNWtlWENUeE11NmQveDVUTldnQURBRkJnTXJaWEFEUVFBL3c1aDVEQzBkRUxtL0hpRTljcnE3Ckt1d3c5Wk8zYlFWMFZPVmo0RlFwU3FBV0gxNW1JdWhFK1dOT09tWDZhdXhFWGdZYitxSUpmN2xiZTV5NTF3MEUKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';
const CERTIFICATE =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJNRENCNDZBREFnRUNBaFJJT2RmbmJDR3FTeFJGSXNjcHhyUFlienZscGpBRkJnTXJaWEF3RGpFTU1Bb0cKQTFVRUF3d0RiMjVsTUI0WERUSTJNVEV5TVRJek1UY3dORm9YRFRNMk1URXhPREl6TVRjd05Gb3dEakVNTUFvRwpBMVVFQXd3RGIyNWxNQ293QlFZREsyVndBeUVBWHJNZ2tIM0w1bjlvSjBsY3l1QldzcFRHYkk1a2VYQ1R4TXU2CmQveDVUTldqVXpCUk1CMEdBMVVkRGdRV0JCVG9ETTYySVlNMUVmQzBrbDFTRHVVdkJDYlB3ekFmQmdOVkhTTUUKR0RBV2dCVG9ETTYySVlNMUVmQzBrbDFTRHVVdkJDYlB3ekFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQVVHQXl0bApjQU5CQU15bWRiMS9GdXJMUkY5YXJmNWxyU28rR0lDckI3bXRxdTNrNWxkcFZ2eTV4QmJhVlIvRitReGF1b3R6Ck1aYk9GeWdLVlhIMkVsQmhrZHh3cERidFV3bz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=';

const common = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: metadata({ namespace: undefined }),
};
const spec = {
  request: REQUEST,
  signerName: 'example.com/signer',
  expirationSeconds: 3600,
  usages: ['digital signature', 'client auth'],
};
const approved = {
  type: 'Approved',
  status: 'True',
  reason: 'R',
  message: 'm',
  lastUpdateTime: '2020-01-01T00:00:00Z',
  lastTransitionTime: '2020-01-01T00:00:00Z',
};

export const certificateKinds: readonly ParityKind[] = [
  {
    name: 'CertificateSigningRequest',
    bases: [
      { ...common, spec, status: {} },
      { ...common, spec, status: { conditions: [approved], certificate: CERTIFICATE } },
      {
        ...common,
        spec: { ...spec, usages: ['any'] },
        status: { conditions: [{ ...approved, type: 'Failed' }] },
      },
    ],
  },
];
