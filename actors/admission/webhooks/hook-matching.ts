/**
 * Whether a webhook wants to be asked about what is done: its selectors, and its conditions.
 *
 * In Kubernetes: ShouldCallHook, apiserver/pkg/admission/plugin/webhook/generic.
 */
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { forbidden, type Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { AdmissionVariables } from '../expressions/admission-variables.ts';
import { AskedDecisions } from '../expressions/check-authority.ts';
import { meetsConditions } from '../expressions/match-conditions.ts';
import { selects, type Selected } from '../matching/object-selection.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { WebhookHook } from './webhook-hook.ts';

/** @param object as it is by now. */
export function isSelected(
  { selection }: WebhookHook,
  attributes: AdmissionAttributes,
  object: AdmissionAttributes['object'],
): Selected {
  const { served, operation, subresource, namespace, objects, oldObject } = attributes;
  const where = { served, operation, subresource, namespace, objects };
  return selects(selection, { ...where, object, oldObject });
}

export function isWanted(
  { conditions, failurePolicy }: WebhookHook,
  attributes: AdmissionAttributes,
  versioned: VersionedObjects,
  authorizer: Authorizer,
): MaybePromise<Selected> {
  if (conditions.length === 0) return 'yes';
  const decisions = new AskedDecisions(authorizer);
  return decisions.settled((): Selected => {
    const variables = new AdmissionVariables({ attributes, versioned, decisions });
    const met = meetsConditions(conditions, variables, failurePolicy);
    if (met.error !== undefined) return unfit(attributes, met.error);
    return met.matches ? 'yes' : 'no';
  });
}

function unfit({ served, name }: AdmissionAttributes, why: string): Status {
  const { group, resource } = served.facts;
  return forbidden({ group, resource }, name, why);
}
