/**
 * Certificate signing requests. One is made, approved or denied, then signed, each through a way
 * of writing of its own; none of them changes the spec.
 * Who asks is written by whoever handles the create, after `prepareForCreate` took away what the
 * client said about that: see {@link REQUESTER_FIELDS}.
 *
 * In Kubernetes: registry/certificates/certificates.
 */
import type { Clock } from '../../../../api/meta/clock.ts';
import { nameIsPathSegment } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { selectable, stringIn, type Kind } from '../../kind.ts';
import { carryOver, emptyStatus, strategyOf } from '../../strategy-of.ts';
import { specOf } from '../../value-validation.ts';
import { approvalOf } from './approval.ts';
import { keepDecision, stampConditions } from './conditions.ts';
import { validateRequest, validateRequestChange } from './validation.ts';

/** What the server says of the requester: name, uid, groups and whatever else is known. */
export const REQUESTER_FIELDS: readonly string[] = ['username', 'uid', 'groups', 'extra'];

export function certificateSigningRequests(clock: Clock): Kind {
  return {
    group: 'certificates.k8s.io',
    version: 'v1',
    resource: 'certificatesigningrequests',
    fields: selectable({ 'spec.signerName': stringIn('spec', 'signerName') }),
    strategy: strategyOf({
      validateName: nameIsPathSegment,
      status: {
        initial: emptyStatus,
        prepareForUpdate(request, old) {
          keepDecision(request, old);
          stampConditions(request, old, clock);
        },
        validateUpdate: (request, old) => validateRequestChange(request, old, 'status'),
      },
      prepareForCreate: dropRequester,
      prepareForUpdate: (request, old) => carryOver(request, old, 'spec'),
      validate: validateRequest,
      validateUpdate: (request, old) => validateRequestChange(request, old, 'request'),
      subresources: { approval: approvalOf(clock) },
    }),
  };
}

function dropRequester(request: KubeObject): void {
  const spec = { ...specOf(request) };
  for (const key of REQUESTER_FIELDS) Reflect.deleteProperty(spec, key);
  request['spec'] = spec;
}
