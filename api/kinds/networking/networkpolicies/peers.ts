/** The peers of a network policy, and what others may read in their ranges of addresses. */
import { items, type ListOf } from '../../../json/go-values.ts';
import type {
  IPBlock,
  NetworkPolicyPeer,
  NetworkPolicySpec,
  NetworkPolicy,
} from '../../../generated/kinds/networking-v1.ts';
import { indexPath } from '../../../field/field-path.ts';
import { ipRangeWarnings } from '../../rules/ip-warnings.ts';

export interface Peer {
  readonly field: string;
  readonly peer: NetworkPolicyPeer;
}

/** All peers, in the order in which they stand. */
export function peersOf(spec: NetworkPolicySpec): Peer[] {
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
export function blocksOf({ ipBlock }: NetworkPolicyPeer): readonly IPBlock[] {
  return ipBlock === undefined ? [] : [ipBlock];
}

/** In Kubernetes: networkPolicyWarnings, registry/networking/networkpolicy. */
export function policyWarnings(policy: NetworkPolicy): readonly string[] {
  return peersOf(policy.spec).flatMap(({ field, peer }) =>
    blocksOf(peer).flatMap((block) => [
      ...ipRangeWarnings(`${field}.ipBlock.cidr`, block.cidr),
      ...items(block.except).flatMap((except, index) =>
        ipRangeWarnings(indexPath(`${field}.ipBlock.except`, index), except),
      ),
    ]),
  );
}
