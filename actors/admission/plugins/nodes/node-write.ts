/** What NodeRestriction looks at, and what it says of it. */
import type { MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../../api/meta/status.ts';
import type { Authorizer } from '../../../authorization/authorizer.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';

/** A write by a node, with the types of its objects where the check is for one kind. */
export interface NodeWrite<Attributes = AdmissionAttributes> {
  /** The name of the node that writes. */
  readonly node: string;
  readonly attributes: Attributes;
  readonly world: NodeWorld;
}

/** What NodeRestriction asks beside the objects. */
export interface NodeWorld {
  readonly authorizer: Authorizer;
  /** Nodes get tokens for audiences that their pods do not name; undefined: they do not. */
  readonly givesNodesAnyAudience?: boolean | undefined;
}

/** Why the node may not; '' where it may. A Status where the answer is no refusal. */
export type NodeProblem = string | Status;

/** Judges a write of one kind by a node. */
export type NodeCheck<Attributes = AdmissionAttributes> = (
  write: NodeWrite<Attributes>,
) => MaybePromise<NodeProblem>;
