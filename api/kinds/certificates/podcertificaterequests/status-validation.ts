/**
 * What a signer may write: that a request is issued, with a certificate of the key that was asked for;
 * that it is denied, or that it failed. Nothing changes afterwards.
 *
 * In Kubernetes: ValidatePodCertificateRequestStatusUpdate, pkg/apis/certificates/validation.
 */
import type {
  PodCertificateRequest,
  PodCertificateRequestStatus,
} from '../../../generated/kinds/certificates-v1beta1.ts';
import type { Condition } from '../../../generated/kinds/meta-v1.ts';
import {
  type FieldErrors,
  invalidUnshown,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import { items, type Time } from '../../../json/go-values.ts';
import { isEmail } from '../../../structural-schema/format-email.ts';
import { type Certificate, parseCertificate } from '../../../x509/certificate.ts';
import { type PemBlock, pemBlocksIn } from '../../../x509/pem-blocks.ts';
import { sameValue } from '../../rules/same-value.ts';
import { validateMetaConditions } from '../../rules/status-validation.ts';
import { requestedKey } from './key-validation.ts';

const ENDS = ['Issued', 'Denied', 'Failed'] as const;
const CONDITIONS = 'status.conditions';
const CHAIN = 'status.certificateChain';
const CHAIN_BYTES_MAX = 100 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NANOSECONDS_PER_MS = 1_000_000;

type Status = PodCertificateRequestStatus;

/** @param now in milliseconds since 1970. */
export function validateStatus(
  request: PodCertificateRequest,
  old: PodCertificateRequest,
  now: number,
): FieldErrors {
  const { status } = request;
  const conditions = items(status.conditions);
  const wrong = [...validateKinds(conditions), ...validateMetaConditions(CONDITIONS, conditions)];
  if (wrong.length > 0) return wrong;
  const same = (other: Status, detail: string): FieldErrors =>
    sameValue(status, other) ? [] : [invalidUnshown('status', detail)];
  if (ENDS.some((type) => isSet(old.status, type))) {
    return same(old.status, 'immutable after PodCertificateRequest is issued, denied, or failed');
  }
  if (isSet(status, 'Denied') || isSet(status, 'Failed')) {
    const detail =
      'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
    return same({ conditions: [...conditions] }, detail);
  }
  if (isSet(status, 'Issued')) return validateIssued(request, old, now);
  const unless = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"';
  return same(old.status, unless);
}

/** Upstream's paths have a dot in front of the index. */
function validateKinds(conditions: readonly Condition[]): FieldErrors {
  const known: readonly string[] = ENDS;
  const atMostOne = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
  let count = 0;
  return conditions.flatMap(({ type, status }, index) => {
    const path = `${CONDITIONS}.[${String(index)}]`;
    if (!known.includes(type)) return [notSupported(`${path}.type`, type, known)];
    count += 1;
    return [
      ...(count > 1 ? [invalidValue(`${path}.type`, type, atMostOne)] : []),
      ...(status === 'True' ? [] : [notSupported(`${path}.status`, status, ['True'])]),
    ];
  });
}

function isSet(status: Status, type: (typeof ENDS)[number]): boolean {
  return items(status.conditions).some((one) => one.type === type && one.status === 'True');
}

function validateIssued(
  { spec, status }: PodCertificateRequest,
  { spec: asked }: PodCertificateRequest,
  now: number,
): FieldErrors {
  const { certificateChain: chain = '' } = status;
  if (Buffer.byteLength(chain) > CHAIN_BYTES_MAX) return [tooLong(CHAIN, CHAIN_BYTES_MAX)];
  const [block, ...others] = pemBlocksIn(chain);
  const wrong = (detail: string): FieldErrors => [invalidValue(CHAIN, chain, detail)];
  if (block === undefined) {
    return wrong('issued certificate chain must contain at least one certificate');
  }
  if (block.type !== 'CERTIFICATE') {
    return wrong('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  }
  const leaf = certificateIn(block);
  if (leaf === undefined) return wrong('leaf certificate does not parse as valid X.509');
  const names = validateNames(leaf);
  const key = requestedKey(asked.stubPKCS10Request, asked.pkixPublicKey);
  if (key === undefined) return [...names, invalidKey(asked)];
  const isOfKey = leaf.publicKey?.keyObject().equals(key.keyObject()) === true;
  if (!isOfKey) {
    return [...names, ...wrong('leaf certificate was not issued to the requested public key')];
  }
  const times = validateTimes(status, leaf, { now, maxSeconds: spec.maxExpirationSeconds ?? 0 });
  if (names.length + times.length > 0) return [...names, ...times];
  return others.flatMap((one) => validateOther(one, wrong)).slice(0, 1);
}

function certificateIn({ bytes }: PemBlock): Certificate | undefined {
  try {
    return parseCertificate(bytes);
  } catch {
    return undefined;
  }
}

function validateNames({ names: { dns, emails } }: Certificate): FieldErrors {
  const wrong = (shown: string, detail: string): FieldErrors => [
    invalidValue(CHAIN, shown, `leaf certificate${detail}`),
  ];
  return [
    ...dns.flatMap((name) => [
      ...(name === '' ? wrong(name, ' should not contain empty DNSName') : []),
      ...(name.includes('..') ? wrong(name, "'s DNSName should not contain '..'") : []),
      ...(name.startsWith('.') || name.endsWith('.')
        ? wrong(name, "'s DNSName should not start or end with '.'")
        : []),
    ]),
    ...emails
      .filter((one) => !isEmail(one))
      .flatMap((one) => wrong(one, ' should not contain invalid EmailAddress')),
  ];
}

function invalidKey({ stubPKCS10Request: stub }: PodCertificateRequest['spec']) {
  return stub === null || stub === ''
    ? invalidUnshown('spec.pkixPublicKey', 'must be a valid PKIX-serialized public key')
    : invalidUnshown('spec.stubPKCS10Request', 'must be a valid PKCS#10 CSR');
}

interface Life {
  readonly now: number;
  readonly maxSeconds: number;
}

/** Upstream stops at the first that is wrong. */
function validateTimes(status: Status, leaf: Certificate, { now, maxSeconds }: Life): FieldErrors {
  const { notBefore, notAfter, beginRefreshAt } = status;
  const [before, after] = ['status.notBefore', 'status.notAfter'];
  const refresh = 'status.beginRefreshAt';
  const consistent = 'must be present and consistent with the issued certificate';
  const inRange = 'must be present and in the range [notbefore+10min, notafter-10min]';
  if (!isTold(notBefore) || !isTold(notAfter) || !isTold(beginRefreshAt)) {
    return [
      ...(isTold(notBefore) ? [] : [required(before, consistent)]),
      ...(isTold(notAfter) ? [] : [required(after, consistent)]),
      ...(isTold(beginRefreshAt) ? [] : [required(refresh, inRange)]),
    ];
  }
  const [begin, end] = [Date.parse(notBefore), Date.parse(notAfter)];
  const refreshed = Date.parse(beginRefreshAt);
  const lifetime = leaf.notAfter - leaf.notBefore;
  const shown = lifetime * NANOSECONDS_PER_MS;
  const encoded = (name: string) =>
    `must be set to the ${name} time encoded in the leaf certificate`;
  const longest = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${String(maxSeconds)})`;
  const checks: readonly (readonly [isRight: boolean, error: () => FieldErrors[number]])[] = [
    [begin === leaf.notBefore, () => invalidValue(before, notBefore, encoded('NotBefore'))],
    [
      Math.abs(begin - now) < 5 * MINUTE_MS,
      () =>
        invalidValue(
          before,
          notBefore,
          "must be set to within 5 minutes of kube-apiserver's current time",
        ),
    ],
    [end === leaf.notAfter, () => invalidValue(after, notAfter, encoded('NotAfter'))],
    [
      lifetime >= HOUR_MS,
      () => invalidValue(CHAIN, shown, 'leaf certificate lifetime must be >= 1 hour'),
    ],
    [lifetime <= maxSeconds * 1_000, () => invalidValue(CHAIN, shown, longest)],
    [
      refreshed >= begin + 10 * MINUTE_MS,
      () =>
        invalidValue(refresh, beginRefreshAt, 'must be at least 10 minutes after status.notBefore'),
    ],
    [
      refreshed <= end - 10 * MINUTE_MS,
      () =>
        invalidValue(refresh, beginRefreshAt, 'must be at least 10 minutes before status.notAfter'),
    ],
  ];
  const [wrong] = checks.filter(([isRight]) => !isRight);
  return wrong === undefined ? [] : [wrong[1]()];
}

function isTold(time: Time | undefined): time is string {
  return typeof time === 'string';
}

function validateOther(block: PemBlock, wrong: (detail: string) => FieldErrors): FieldErrors {
  if (block.type !== 'CERTIFICATE') {
    return wrong('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
  }
  if (certificateIn(block) !== undefined) return [];
  return wrong('intermediate certificate does not parse as valid X.509');
}
