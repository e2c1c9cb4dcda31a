/**
 * What a network policy may say. A range of addresses that the old policy has somewhere may stand
 * anywhere in the new one, however wrong it is.
 *
 * In Kubernetes: ValidateNetworkPolicy, pkg/apis/networking/validation.
 */
import type { NetworkPolicy, NetworkPolicySpec } from '../../../generated/kinds/networking-v1.ts';
import { items } from '../../../json/go-values.ts';
import { isJsonObject, type JsonObject, int32At, objectAt, stringAt } from '../../../json/json.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { isInRange, parseIpRange } from '../../rules/ip-address.ts';
import { validateLegacyIpRange } from '../../rules/ip-validation.ts';
import { validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { withoutSelectorValues } from '../../rules/lenient-selectors.ts';
import {
  invalidFor,
  isMissing,
  objectsAt,
  portNameProblems,
  portNumberProblems,
  stringsAt,
} from '../../rules/value-validation.ts';
import { blocksOf, peersOf } from './peers.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];

interface Leniency {
  readonly allowsSelectorValues: boolean;
  readonly ranges: readonly string[];
}

export function validatePolicy(policy: NetworkPolicy): FieldErrors {
  return validateSpec(policy.spec, { allowsSelectorValues: false, ranges: [] });
}

export function validatePolicyChange(policy: NetworkPolicy, old: NetworkPolicy): FieldErrors {
  const oldSpec = old.spec;
  const ranges = peersOf(oldSpec).flatMap(({ peer }) =>
    blocksOf(peer).flatMap((block) => [block.cidr, ...items(block.except)]),
  );
  return validateSpec(policy.spec, {
    allowsSelectorValues: validateLabelSelector('', oldSpec.podSelector).length > 0,
    ranges,
  });
}

function validateSpec(spec: NetworkPolicySpec, leniency: Leniency): FieldErrors {
  return [
    ...validateSelector('spec.podSelector', spec.podSelector, leniency),
    ...validateRules(spec, 'ingress', 'from', leniency),
    ...validateRules(spec, 'egress', 'to', leniency),
    ...validateTypes(spec),
  ];
}

function validateRules(
  spec: NetworkPolicySpec,
  direction: string,
  peersKey: string,
  leniency: Leniency,
): FieldErrors {
  return objectsAt(spec, direction).flatMap((rule, index) => {
    const field = indexPath(`spec.${direction}`, index);
    return [
      ...objectsAt(rule, 'ports').flatMap((port, at) =>
        validatePort(indexPath(`${field}.ports`, at), port),
      ),
      ...objectsAt(rule, peersKey).flatMap((peer, at) =>
        validatePeer(indexPath(`${field}.${peersKey}`, at), peer, leniency),
      ),
    ];
  });
}

function validateTypes(spec: NetworkPolicySpec): FieldErrors {
  const types = items(spec.policyTypes);
  const field = 'spec.policyTypes';
  if (types.length > POLICY_TYPES.length) {
    return [invalidValue(field, types, 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, index) =>
    POLICY_TYPES.includes(type) ? [] : [notSupported(indexPath(field, index), type, POLICY_TYPES)],
  );
}

function validatePort(field: string, rule: JsonObject): FieldErrors {
  const protocol = stringAt(rule, 'protocol');
  return [
    ...(isMissing(rule['protocol']) || PROTOCOLS.includes(protocol)
      ? []
      : [notSupported(`${field}.protocol`, protocol, PROTOCOLS)]),
    ...validatePortRange(field, rule),
  ];
}

function validatePortRange(field: string, rule: JsonObject): FieldErrors {
  const { port } = rule;
  const end = int32At(rule, 'endPort');
  const endField = `${field}.endPort`;
  if (typeof port === 'string') {
    const detail = 'may not be specified when `port` is non-numeric';
    return [
      ...(end === undefined ? [] : [invalidValue(endField, end, detail)]),
      ...invalidFor(`${field}.port`, port, portNameProblems(port)),
    ];
  }
  if (typeof port !== 'number') {
    const detail = 'may not be specified when `port` is not specified';
    return end === undefined ? [] : [invalidValue(endField, end, detail)];
  }
  const errors = invalidFor(`${field}.port`, port, portNumberProblems(port));
  if (end === undefined) return errors;
  return [
    ...errors,
    ...(end < port
      ? [invalidValue(endField, port, 'must be greater than or equal to `port`')]
      : []),
    ...invalidFor(endField, end, portNumberProblems(end)),
  ];
}

function validatePeer(field: string, peer: JsonObject, leniency: Leniency): FieldErrors {
  const { podSelector, namespaceSelector } = peer;
  const block = objectAt(peer, 'ipBlock');
  const hasSelector = isJsonObject(podSelector) || isJsonObject(namespaceSelector);
  const errors = [
    ...validateSelector(`${field}.podSelector`, podSelector, leniency),
    ...validateSelector(`${field}.namespaceSelector`, namespaceSelector, leniency),
    ...(block === undefined ? [] : validateBlock(`${field}.ipBlock`, block, leniency)),
  ];
  if (block === undefined) {
    return hasSelector ? errors : [...errors, required(field, 'must specify a peer')];
  }
  const detail = 'may not specify both ipBlock and another peer';
  return hasSelector ? [...errors, forbiddenField(field, detail)] : errors;
}

function validateSelector(
  field: string,
  selector: JsonObject[string],
  { allowsSelectorValues }: Leniency,
): FieldErrors {
  const errors = validateLabelSelector(field, selector);
  return allowsSelectorValues ? withoutSelectorValues(errors) : errors;
}

function validateBlock(field: string, block: JsonObject, { ranges }: Leniency): FieldErrors {
  const cidr = stringAt(block, 'cidr');
  if (cidr === '') return [required(`${field}.cidr`)];
  const whole = parseIpRange(cidr);
  const errors = validateLegacyIpRange(`${field}.cidr`, cidr, ranges);
  if (whole === undefined) return errors;
  return [
    ...errors,
    ...stringsAt(block, 'except').flatMap((except, index) => {
      const path = indexPath(`${field}.except`, index);
      const part = parseIpRange(except);
      const isInside =
        part === undefined || (isInRange(whole, part.address) && whole.bits < part.bits);
      return [
        ...validateLegacyIpRange(path, except, ranges),
        ...(isInside ? [] : [invalidValue(path, except, 'must be a strict subset of `cidr`')]),
      ];
    }),
  ];
}
