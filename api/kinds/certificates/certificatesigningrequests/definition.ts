/**
 * Certificate signing requests. One is made, approved or denied, then signed, each through a way
 * of writing of its own; none of them changes the spec. The server writes the requester into it,
 * whatever the client said about that.
 *
 * In Kubernetes: registry/certificates/certificates (csrApprovalStrategy, preserveConditionInstances,
 * populateConditionTimestamps).
 */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
} from '../../../generated/kinds/certificates-v1.ts';
import { items } from '../../../json/go-values.ts';
import { formatTime, type Clock } from '../../../meta/clock.ts';
import { nameIsPathSegment } from '../../../meta/names.ts';
import type { ObjectOf } from '../../../meta/object-meta.ts';
import { defineKind, type Kind } from '../../kind.ts';
import type { Requester, UpdateRules } from '../../strategy.ts';
import { carryOver, emptyStatus } from '../../strategy-of.ts';
import { conditionsOfType, validateRequest, validateRequestChange } from './validation.ts';

/** What the server says of the requester: name, uid, groups and whatever else is known. */
const REQUESTER_FIELDS = ['username', 'uid', 'groups', 'extra'] as const;

/** `clock` tells when a condition was written. */
export function certificateSigningRequests(clock: Clock): Kind {
  return defineKind('certificates.k8s.io/v1/certificatesigningrequests', {
    fields: { 'spec.signerName': (request) => request.spec.signerName },
    rules: {
      validateName: nameIsPathSegment,
      status: {
        initial: emptyStatus,
        prepareForUpdate(request, old) {
          keepDecision(request, old);
          stampConditions(request, old, clock);
        },
        validateUpdate: (request, old) => validateRequestChange(request, old, 'status'),
      },
      prepareForCreate: writeRequester,
      prepareForUpdate: (request, old) => carryOver(request, old, 'spec'),
      validate: validateRequest,
      validateUpdate: (request, old) => validateRequestChange(request, old, 'request'),
      subresources: { approval: approvalOf(clock) },
    },
  });
}

/** The subresource `approval` writes the conditions and nothing else. */
function approvalOf(clock: Clock): UpdateRules<ObjectOf<CertificateSigningRequest>> {
  return {
    prepareForUpdate(request, old) {
      stampConditions(request, old, clock);
      const status = { ...old.status };
      carryOver(status, request.status, 'conditions');
      carryOver(request, old, 'spec');
      request.status = status;
    },
    validateUpdate: (request, old) => validateRequestChange(request, old, 'approval'),
  };
}

function writeRequester(request: CertificateSigningRequest, requester?: Requester): void {
  const spec = { ...request.spec };
  for (const key of REQUESTER_FIELDS) Reflect.deleteProperty(spec, key);
  request.spec = requester === undefined ? spec : { ...spec, ...requesterFields(requester) };
}

function requesterFields({
  name,
  uid,
  groups,
  extra,
}: Requester): Pick<CertificateSigningRequestSpec, (typeof REQUESTER_FIELDS)[number]> {
  const more = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
  };
}

/** A signer that sends an approval or a denial back altered does not alter it. */
function keepDecision(request: CertificateSigningRequest, old: CertificateSigningRequest): void {
  let conditions = items(request.status.conditions);
  for (const decision of ['Approved', 'Denied']) {
    const kept = conditionsOfType(old, decision);
    if (kept.length !== conditionsOfType(request, decision).length) continue;
    conditions = conditions.map((one) => (one.type === decision ? (kept.shift() ?? one) : one));
  }
  setConditions(request, conditions);
}

/** Fills in the times that a writer left out. */
function stampConditions(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  clock: Clock,
): void {
  const now = formatTime(clock.now());
  const conditions = items(request.status.conditions).map((condition) => {
    const { lastUpdateTime, lastTransitionTime } = condition;
    return {
      ...condition,
      lastUpdateTime: lastUpdateTime ?? now,
      lastTransitionTime: lastTransitionTime ?? oldTransition(condition, old) ?? now,
    };
  });
  setConditions(request, conditions);
}

/** When the same condition became what it still is. */
function oldTransition(
  { type, status }: CertificateSigningRequestCondition,
  old: CertificateSigningRequest,
): string | null | undefined {
  const same = items(old.status.conditions).find(
    (one) => one.type === type && one.status === status && one.lastTransitionTime !== null,
  );
  return same?.lastTransitionTime;
}

function setConditions(
  request: CertificateSigningRequest,
  conditions: CertificateSigningRequestCondition[],
): void {
  const { conditions: _old, ...status } = request.status;
  request.status = { ...status, ...(conditions.length > 0 && { conditions }) };
}
