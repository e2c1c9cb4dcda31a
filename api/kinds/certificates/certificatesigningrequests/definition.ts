/**
 * Certificate signing requests. One is made, approved or denied, then signed, each through a way
 * of writing of its own; none of them changes the spec.
 * Who asks is written by the server, whatever the client said about that.
 *
 * In Kubernetes: registry/certificates/certificates.
 */
import type { CertificateSigningRequest } from '../../../generated/kinds/certificates-v1.ts';
import type { Clock } from '../../../meta/clock.ts';
import type { JsonObject, JsonValue } from '../../../json/json.ts';
import { nameIsPathSegment } from '../../../meta/names.ts';
import type { Requester } from '../../strategy.ts';
import { defineKind, type Kind } from '../../kind.ts';
import { carryOver, emptyStatus } from '../../strategy-of.ts';
import { approvalOf } from './approval.ts';
import { keepDecision, stampConditions } from './conditions.ts';
import { validateRequest, validateRequestChange } from './validation.ts';

/** What the server says of the requester: name, uid, groups and whatever else is known. */
const REQUESTER_FIELDS: readonly string[] = ['username', 'uid', 'groups', 'extra'];

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

function writeRequester(request: CertificateSigningRequest, requester?: Requester): void {
  const spec = { ...request.spec };
  for (const key of REQUESTER_FIELDS) Reflect.deleteProperty(spec, key);
  request.spec = requester === undefined ? spec : { ...spec, ...requesterFields(requester) };
}

function requesterFields({ name, uid, groups, extra }: Requester): JsonObject {
  const more = Object.entries(extra).map(([key, values]): [string, JsonValue] => [
    key,
    [...values],
  ]);
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
  };
}
