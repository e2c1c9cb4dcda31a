/**
 * What a network policy may say, and warnings about its ranges of addresses. A range that the old policy
 * has somewhere may stand anywhere in the new one, however wrong it is.
 *
 * In Kubernetes: ValidateNetworkPolicy, pkg/apis/networking/validation; networkPolicyWarnings,
 * registry/networking/networkpolicy.
 */
import { remembered } from '../../../json/work-in-slices.ts';
import type { LabelSelector } from '../../../generated/kinds/meta-v1.ts';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicySpec,
  NetworkPolicyPort,
} from '../../../generated/kinds/networking-v1.ts';
import { items, type ListOf } from '../../../json/go-values.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { isInRange, parseIpRange } from '../../rules/ip-address.ts';
import { ipRangeWarnings, validateLegacyIpRange } from '../../rules/ip-validation.ts';
import {
  validateLabelSelector,
  withoutSelectorValues,
} from '../../rules/label-selector-validation.ts';
import {
  invalidFor,
  portNameProblems,
  portNumberProblems,
  ofEach,
} from '../../rules/value-validation.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];

interface Leniency {
  readonly allowsSelectorValues: boolean;
  readonly ranges: readonly string[];
}

/** What is wrong with a new policy. */
export function validatePolicy(policy: NetworkPolicy): FieldErrors {
  return validateSpec(policy.spec, { allowsSelectorValues: false, ranges: [] });
}

/** As lenient as the old policy was wrong. */
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
    ...ofEach(spec.ingress, ({ ports, from }, index) => {
      const field = indexPath('spec.ingress', index);
      return [...validatePorts(field, ports), ...validatePeers(`${field}.from`, from, leniency)];
    }),
    ...ofEach(spec.egress, ({ ports, to }, index) => {
      const field = indexPath('spec.egress', index);
      return [...validatePorts(field, ports), ...validatePeers(`${field}.to`, to, leniency)];
    }),
    ...validateTypes(spec),
  ];
}

function validatePorts(field: string, ports: ListOf<NetworkPolicyPort>): FieldErrors {
  return ofEach(ports, (port, at) => validatePort(indexPath(`${field}.ports`, at), port));
}

function validatePeers(
  field: string,
  peers: ListOf<NetworkPolicyPeer>,
  leniency: Leniency,
): FieldErrors {
  return ofEach(peers, (peer, at) => validatePeer(indexPath(field, at), peer, leniency));
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

function validatePort(field: string, rule: NetworkPolicyPort): FieldErrors {
  const { protocol } = rule;
  return [
    ...(protocol === undefined || PROTOCOLS.includes(protocol)
      ? []
      : [notSupported(`${field}.protocol`, protocol, PROTOCOLS)]),
    ...validatePortRange(field, rule),
  ];
}

function validatePortRange(field: string, { port, endPort: end }: NetworkPolicyPort): FieldErrors {
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

function validatePeer(
  field: string,
  { podSelector, namespaceSelector, ipBlock: block }: NetworkPolicyPeer,
  leniency: Leniency,
): FieldErrors {
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
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
  selector: LabelSelector | undefined,
  { allowsSelectorValues }: Leniency,
): FieldErrors {
  const errors = validateLabelSelector(field, selector);
  return allowsSelectorValues ? withoutSelectorValues(errors) : errors;
}

function validateBlock(
  field: string,
  { cidr, except: exceptions }: IPBlock,
  { ranges }: Leniency,
): FieldErrors {
  if (cidr === '') return [required(`${field}.cidr`)];
  const whole = parseIpRange(cidr);
  const errors = validateLegacyIpRange(`${field}.cidr`, cidr, ranges);
  if (whole === undefined) return errors;
  return [
    ...errors,
    ...ofEach(exceptions, (except, index) => {
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

interface Peer {
  readonly field: string;
  readonly peer: NetworkPolicyPeer;
}

/** All peers, in the order in which they stand. */
function peersOf(spec: NetworkPolicySpec): Peer[] {
  const ingress = items(spec.ingress).flatMap(({ from }, index) =>
    peersIn(`${indexPath('spec.ingress', index)}.from`, from),
  );
  const egress = items(spec.egress).flatMap(({ to }, index) =>
    peersIn(`${indexPath('spec.egress', index)}.to`, to),
  );
  return [...ingress, ...egress];
}

function peersIn(field: string, peers: ListOf<NetworkPolicyPeer>): Peer[] {
  return items(peers).map((peer, at) => ({ field: indexPath(field, at), peer }));
}

/** The block of addresses of a peer, if it has one. */
function blocksOf({ ipBlock }: NetworkPolicyPeer): readonly IPBlock[] {
  return ipBlock === undefined ? [] : [ipBlock];
}

/** In Kubernetes: networkPolicyWarnings, registry/networking/networkpolicy. */
export function policyWarnings(policy: NetworkPolicy): readonly string[] {
  return ofEach(
    remembered(() => peersOf(policy.spec)),
    ({ field, peer }) =>
      blocksOf(peer).flatMap((block) => [
        ...ipRangeWarnings(`${field}.ipBlock.cidr`, block.cidr),
        ...ofEach(block.except, (except, index) =>
          ipRangeWarnings(indexPath(`${field}.ipBlock.except`, index), except),
        ),
      ]),
  );
}
