/** The peers of a network policy, and what others may read in their ranges of addresses. */
import { isJsonObject, stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { indexPath } from '../../../field/field-path.ts';
import { ipRangeWarnings } from '../../rules/ip-warnings.ts';
import { objectsAt, specOf, stringsAt } from '../../rules/value-validation.ts';

export interface Peer {
  readonly field: string;
  readonly peer: JsonObject;
}

const PEERS: readonly (readonly [string, string])[] = [
  ['ingress', 'from'],
  ['egress', 'to'],
];

/** All peers, in the order in which they stand. */
export function peersOf(spec: JsonObject): Peer[] {
  return PEERS.flatMap(([direction, key]) =>
    objectsAt(spec, direction).flatMap((rule, index) =>
      objectsAt(rule, key).map((peer, at) => ({
        field: indexPath(`${indexPath(`spec.${direction}`, index)}.${key}`, at),
        peer,
      })),
    ),
  );
}

/** The block of addresses of a peer, if it has one. */
export function blocksOf(peer: JsonObject): JsonObject[] {
  return isJsonObject(peer['ipBlock']) ? [peer['ipBlock']] : [];
}

/** In Kubernetes: networkPolicyWarnings, registry/networking/networkpolicy. */
export function policyWarnings(policy: KubeObject): readonly string[] {
  return peersOf(specOf(policy)).flatMap(({ field, peer }) =>
    blocksOf(peer).flatMap((block) => [
      ...ipRangeWarnings(`${field}.ipBlock.cidr`, stringAt(block, 'cidr')),
      ...stringsAt(block, 'except').flatMap((except, index) =>
        ipRangeWarnings(indexPath(`${field}.ipBlock.except`, index), except),
      ),
    ]),
  );
}
