/** A binding of a policy, compiled: where the policy holds, with what, and what follows. */
import {
  isJsonObject,
  type JsonObject,
  objectAt,
  stringAt,
  textsAt,
} from '../../../api/json/json.ts';
import { compileMatch, type MatchResources } from '../matching/match-resources.ts';
import { compileParamRef, type ParamRef } from './policy-parameters.ts';

export interface PolicyBinding {
  readonly name: string;
  readonly policy: string;
  /** undefined: wherever the policy is about something. */
  readonly match: MatchResources | undefined;
  readonly paramRef: ParamRef | undefined;
  /** Of validating policies: `Deny`, `Warn`, `Audit`. */
  readonly actions: readonly string[];
}

export function compileBinding(object: JsonObject): PolicyBinding {
  const spec = objectAt(object, 'spec');
  const match = spec?.['matchResources'];
  return {
    name: stringAt(objectAt(object, 'metadata'), 'name'),
    policy: stringAt(spec, 'policyName'),
    match: isJsonObject(match) ? compileMatch(match) : undefined,
    paramRef: compileParamRef(spec),
    actions: textsAt(spec, 'validationActions'),
  };
}
