/**
 * Defaults of what a webhook or an admission policy looks at: everything in every namespace, in
 * whatever equivalent version, unless it says less.
 *
 * In Kubernetes: SetDefaults_MatchResources and SetDefaults_Rule,
 * pkg/apis/admissionregistration/v1.
 */
import type { JsonObject } from '../../json/json.ts';
import { forEachIn, setIfAbsent, withObject } from '../default-field.ts';

export function setMatchPolicyDefaults(match: JsonObject): void {
  setIfAbsent(match, 'matchPolicy', 'Equivalent');
  setIfAbsent(match, 'namespaceSelector', {});
  setIfAbsent(match, 'objectSelector', {});
}

/** The MatchResources at `key`; nothing happens where there is none. */
export function setMatchResourcesDefaults(owner: JsonObject, key: string): void {
  withObject(owner, key, (match) => {
    setMatchPolicyDefaults(match);
    setRuleDefaults(match, 'resourceRules');
    setRuleDefaults(match, 'excludeResourceRules');
  });
}

export function setRuleDefaults(owner: JsonObject, key: string): void {
  forEachIn(owner, key, (rule) => {
    setIfAbsent(rule, 'scope', '*');
  });
}
