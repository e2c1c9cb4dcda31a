/**
 * What comes of writes of kinds that are served only where they are switched on. Made with
 * kube-apiserver's answers.
 */
import type { JsonObject } from '../../json/json.ts';
import type { RuleCase } from './judge.fixture.ts';
import { cluster, meta } from './written-objects.fixture.ts';

/** Of an authority, and of none. */
const AUTHORITY = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBcDCCARWgAwIBAgIUebixI+2p4957lmta2iXF/o+nUNowCgYIKoZIzj0EAwIw',
  'DDEKMAgGA1UEAwwBYTAgFw0yNjExMjMyMjUyNTJaGA8yMTI2MTAzMDIyNTI1Mlow',
  'DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOBevGcfAd8G',
  'm6xCwRuaAJyZWTIFHx2A0GXYhjZe0ixKtW9+N8jUlRH300nzM+fl11MfyrQAGF/U',
  'lWU7Zh97Vp2jUzBRMB0GA1UdDgQWBBR2iHsvMO6oHFcID0rNwFxxdPAy2jAfBgNV',
  'HSMEGDAWgBR2iHsvMO6oHFcID0rNwFxxdPAy2jAPBgNVHRMBAf8EBTADAQH/MAoG',
  'CCqGSM49BAMCA0kAMEYCIQDo++LlS0bbkcP2bAghfs6esJePJkJgKkPE6JFG0Jrm',
  'WwIhAP6Nhf+TGI3YyH/8EPZOm4J6frxgI+nn6g3noudJ0Zh+',
  '-----END CERTIFICATE-----',
  '',
].join('\n');
const LEAF = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBcjCCARigAwIBAgIUWXX3+YBtgsDtC/7fFLnraUV0MnMwCgYIKoZIzj0EAwIw',
  'DzENMAsGA1UEAwwEbGVhZjAgFw0yNjExMjMyMjUyNTJaGA8yMTI2MTAzMDIyNTI1',
  'MlowDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMFD',
  'suhAaicqkfETlS52ddWqb55eF/9AtmQ9+rcwbtlC2xuVjBxe5N9I855D+g7oidlb',
  '3fct5OCFdOfZQjdDiTCjUDBOMB0GA1UdDgQWBBSzloEpRwdUJkDjCUVey40e0wBR',
  '/zAfBgNVHSMEGDAWgBSzloEpRwdUJkDjCUVey40e0wBR/zAMBgNVHRMBAf8EAjAA',
  'MAoGCCqGSM49BAMCA0gAMEUCIQDwzaqV7vfOm/7NkO+lbaaZPdoCXQyTIvKrtC/T',
  'C7lqRQIgMBQQcmwMKcHHNFAIpagnN/yQS8l0vXoJrJ8UwFTVCWY=',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

const bundle = (trustBundle: string, spec: JsonObject = {}, name = 'one'): JsonObject => ({
  ...{ apiVersion: 'certificates.k8s.io/v1beta1', kind: 'ClusterTrustBundle' },
  metadata: cluster({ name }),
  spec: { trustBundle, ...spec },
});

const candidate = (spec: JsonObject, apiVersion = 'coordination.k8s.io/v1beta1'): JsonObject => ({
  ...{ apiVersion, kind: 'LeaseCandidate', metadata: meta() },
  spec: { leaseName: 'a', binaryVersion: '1.36.0', strategy: 'example.com/a', ...spec },
});

const migration = (resource: JsonObject, status: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: 'storagemigration.k8s.io/v1beta1', kind: 'StorageVersionMigration' },
  ...{ metadata: cluster(), spec: { resource }, status },
});

const condition = (type: string, status = 'True') => ({
  ...{ type, status, reason: 'A', message: 'a', lastTransitionTime: '2026-01-01T00:00:00Z' },
});

/** The conditions of a status that goes back. */
const BACK = [condition('Succeeded', 'False'), condition('Failed')];
const SHOWN = JSON.stringify(
  BACK.map(({ type, status, lastTransitionTime, reason, message }) => ({
    ...{ type, status, lastTransitionTime, reason, message },
  })),
);

const PODS = { group: '', resource: 'pods' };
const SUCCEEDED = migration(PODS, { resourceVersion: '7', conditions: [condition('Succeeded')] });
const bad = (detail: string) => `spec.trustBundle: Invalid value: "<value omitted>": ${detail}`;

export const optionalCases: readonly RuleCase[] = [
  { when: 'a bundle has an authority', do: 'create', object: bundle(AUTHORITY), errors: [] },
  {
    when: 'a bundle has an authority twice',
    do: 'create',
    object: bundle(AUTHORITY + AUTHORITY),
    errors: [bad('duplicate trust anchor (indices [0 1])')],
  },
  {
    when: 'a bundle has what is no authority, and what is no certificate',
    do: 'create',
    object: bundle(`${LEAF}${AUTHORITY.replaceAll('CERTIFICATE', 'KEY')}`),
    errors: [bad('entry 0 does not have the CA bit set'), bad('entry 1 has bad block type: KEY')],
  },
  {
    when: 'a bundle is empty',
    do: 'create',
    object: bundle(''),
    errors: [bad('at least one trust anchor must be provided')],
  },
  {
    when: 'a bundle of a signer has its name',
    do: 'create',
    object: bundle(AUTHORITY, { signerName: 'a.b/c' }, 'a.b:c:d'),
    errors: [],
  },
  {
    when: 'the signer of a bundle changes, and its content does not, though it is wrong',
    do: 'update',
    old: bundle('x', { signerName: 'a.b/c' }, 'a.b:d:e'),
    object: bundle('x', { signerName: 'a.b/d' }, 'a.b:d:e'),
    errors: ['spec.signerName: Invalid value: "a.b/d": field is immutable'],
  },
  {
    when: 'a signer is no name',
    do: 'create',
    object: bundle(AUTHORITY, { signerName: 'ab/c' }, 'ab:c:d'),
    errors: [
      'spec.signerName: Invalid value: "ab": should be a domain with at least two segments separated by dots',
    ],
  },
  {
    when: 'a candidate says what it is',
    do: 'create',
    object: candidate({ emulationVersion: '1.35.0', strategy: 'OldestEmulationVersion' }),
    errors: [],
  },
  {
    when: 'a candidate of the older version says what it is',
    do: 'create',
    object: candidate({}, 'coordination.k8s.io/v1alpha2'),
    errors: [],
  },
  {
    when: 'a candidate says nothing',
    do: 'create',
    object: candidate({ leaseName: '', binaryVersion: '', strategy: '' }),
    errors: [
      'spec.leaseName: Required value',
      'spec.binaryVersion: Required value',
      'spec.strategy: Required value',
    ],
  },
  {
    when: 'versions of a candidate are none',
    do: 'create',
    object: candidate({ binaryVersion: '1.36', emulationVersion: '01.2.3' }),
    errors: [
      'spec.emulationVersion: Invalid value: "01.2.3": must be a valid semantic version',
      'spec.binaryVersion: Invalid value: "1.36": must be a valid semantic version',
    ],
  },
  {
    when: 'a candidate emulates what comes later',
    do: 'create',
    object: candidate({ binaryVersion: '1.36.0-beta.2', emulationVersion: '1.36.0-beta.10' }),
    errors: [
      'spec.binaryVersion: Invalid value: "1.36.0-beta.2": must be greater than or equal to `emulationVersion`',
    ],
  },
  {
    when: 'a candidate does not say what it emulates, and changes its lease',
    do: 'update',
    old: candidate({ leaseName: 'b' }),
    object: candidate({ strategy: 'OldestEmulationVersion' }),
    errors: [
      "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
      'spec.leaseName: Invalid value: "a": field is immutable',
    ],
  },
  {
    when: 'a candidate has a strategy that is none',
    do: 'create',
    object: candidate({ strategy: 'Youngest' }),
    errors: [
      'spec.strategy.strategy: Unsupported value: "Youngest": supported values: "OldestEmulationVersion"',
    ],
  },
  {
    when: 'a migration is of a resource',
    do: 'create',
    object: migration({ group: 'apps', resource: 'deployments' }, { resourceVersion: '7' }),
    errors: [],
    shows: { 'status.resourceVersion': null },
  },
  {
    when: 'a migration is of nothing',
    do: 'create',
    object: migration({ group: '', resource: '' }),
    errors: ['spec.resource.resource: Required value: resource is required to be set'],
  },
  {
    when: 'the status of a migration goes forward',
    do: 'status',
    old: migration(PODS, { resourceVersion: '7', conditions: [condition('Running')] }),
    object: SUCCEEDED,
    errors: [],
    shows: { 'status.conditions.0.type': 'Succeeded' },
  },
  {
    when: 'the status of a migration goes back',
    do: 'status',
    old: SUCCEEDED,
    object: migration(PODS, {
      resourceVersion: '08',
      conditions: BACK,
    }),
    errors: [
      'status.resourceVersion: Invalid value: "08": resource version is not well formed: 08',
      'status.resourceVersion: Invalid value: "08": field is immutable',
      `status.conditions: Invalid value: ${SHOWN}: Success condition cannot be set to false once it is true`,
    ],
  },
];
