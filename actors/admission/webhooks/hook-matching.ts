/**
 * Whether a webhook wants to be asked about what is done: its selectors, and its conditions.
 *
 * In Kubernetes: ShouldCallHook, apiserver/pkg/admission/plugin/webhook/generic.
 */
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { forbidden, type Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { AdmissionVariables } from '../expressions/admission-variables.ts';
import { AskedDecisions } from '../expressions/check-authority.ts';
import { meetsConditions, noteConditions } from '../expressions/match-conditions.ts';
import { selects, type Selected } from '../matching/object-selection.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';
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
  hook: WebhookHook,
  attributes: AdmissionAttributes,
  versioned: VersionedObjects,
  { authorizer, meters }: Pick<AdmissionWorld, 'authorizer' | 'meters'>,
): MaybePromise<Selected> {
  const { conditions, failurePolicy, name, isMutating } = hook;
  if (conditions.length === 0) return 'yes';
  const decisions = new AskedDecisions(authorizer);
  const met = decisions.settled(() => {
    const variables = new AdmissionVariables({ attributes, versioned, decisions });
    return meetsConditions(conditions, variables, { failurePolicy, now: () => meters.now() });
  });
  return andThen(met, (result): Selected => {
    const type = isMutating ? 'admit' : 'validate';
    const { operation } = attributes;
    noteConditions(meters, { name, kind: 'webhook', type, operation }, result);
    if (result.error !== undefined) return unfit(attributes, result.error);
    return result.matches ? 'yes' : 'no';
  });
}

function unfit({ served, name }: AdmissionAttributes, why: string): Status {
  const { group, resource } = served.facts;
  return forbidden({ group, resource }, name, why);
}
