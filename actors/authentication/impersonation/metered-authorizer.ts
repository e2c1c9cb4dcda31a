/**
 * Counts what authorizers are asked about impersonation.
 *
 * In Kubernetes: metricsAuthorizer, apiserver/pkg/endpoints/filters/impersonation.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import type { Attributes, Authorizer, Decision } from '../../authorization/authorizer.ts';
import type { ImpersonationMeters } from '../authentication-meters.ts';

export function meteredAuthorizer(
  authorizer: Authorizer,
  meters: Pick<ImpersonationMeters, 'asked'>,
  clock: Pick<Clock, 'now'>,
): Authorizer {
  return {
    authorize(attributes: Attributes) {
      const startedAt = clock.now();
      const mode = modeOf(attributes.request.verb);
      const settle = (decision: Decision): Decision => {
        meters.asked(mode, decision.verdict === 'allow', clock.now() - startedAt);
        return decision;
      };
      const answer = authorizer.authorize(attributes);
      return answer instanceof Promise ? answer.then(settle) : settle(answer);
    },
  };
}

const MODE = /^impersonate(?:-on)?:([^:]+)/;
const MODES: ReadonlySet<string> = new Set([
  'associated-node',
  'arbitrary-node',
  'serviceaccount',
  'user-info',
]);

/** @param verb as `impersonate:user-info` or `impersonate-on:user-info:list`; '' is the plain way. */
export function modeOf(verb: string): string {
  if (verb === '' || verb === 'impersonate') return 'legacy';
  const mode = MODE.exec(verb)?.[1] ?? '';
  return MODES.has(mode) ? mode : 'unknown';
}
