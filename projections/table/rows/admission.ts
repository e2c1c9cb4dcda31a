/**
 * Rows of the kinds of admissionregistration.k8s.io.
 *
 * In Kubernetes: printValidatingWebhook, printValidatingAdmissionPolicy and their neighbours,
 * pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, objectAt, stringAt, textsAt } from '../../../api/json/json.ts';
import { ageOf, type Cell, type CellsOf, nameOf } from '../cells.ts';

export function webhookConfigurationCells(configuration: JsonObject, now: number): Cell[] {
  const webhooks = itemsAt(configuration, 'webhooks').length;
  return [nameOf(configuration), webhooks, ageOf(configuration, now)];
}

/** `counted`: the list of the policy's spec whose length is shown. */
export function admissionPolicyCells(counted: 'validations' | 'mutations'): CellsOf {
  return (policy, now) => {
    const spec = objectAt(policy, 'spec');
    const params = objectAt(spec, 'paramKind');
    const kind = `${stringAt(params, 'apiVersion')}/${stringAt(params, 'kind')}`;
    const shown = params === undefined ? '<unset>' : kind;
    return [nameOf(policy), itemsAt(spec, counted).length, shown, ageOf(policy, now)];
  };
}

export function admissionPolicyBindingCells(binding: JsonObject, now: number): Cell[] {
  const spec = objectAt(binding, 'spec');
  const params = paramsOf(objectAt(spec, 'paramRef'));
  return [nameOf(binding), stringAt(spec, 'policyName'), params, ageOf(binding, now)];
}

/** Whether params live in a namespace cannot be told from here: without one it is `*`. */
function paramsOf(ref: JsonObject | undefined): string {
  const name = stringAt(ref, 'name');
  if (name !== '') {
    const namespace = stringAt(ref, 'namespace');
    return `${namespace === '' ? '*' : namespace}/${name}`;
  }
  const selector = objectAt(ref, 'selector');
  return selector === undefined ? '<unset>' : goText(selector);
}

/** A selector as Go's generated String method prints it. */
function goText(selector: JsonObject): string {
  const labels = objectAt(selector, 'matchLabels') ?? {};
  const keys = Object.keys(labels).sort();
  const pairs = keys.map((key) => `${key}: ${stringAt(labels, key)},`).join('');
  const expressions = itemsAt(selector, 'matchExpressions').map(expressionText).join('');
  const map = `MatchLabels:map[string]string{${pairs}}`;
  return `&LabelSelector{${map},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

function expressionText(expression: JsonObject): string {
  const key = stringAt(expression, 'key');
  const operator = stringAt(expression, 'operator');
  const values = textsAt(expression, 'values').join(' ');
  return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values}],},`;
}
