/** What NodeRestriction looks at, and what it says of it. */
import type { Status } from '../../../../api/meta/status.ts';
import type { Authorizer } from '../../../authorization/authorizer.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';

/** What a node asks for. */
export interface NodeWrite {
  readonly node: string;
  readonly attributes: AdmissionAttributes;
  readonly world: NodeWorld;
}

export interface NodeWorld {
  readonly authorizer: Authorizer;
}

/** Why not; '' for no reason. A Status where it is no refusal. */
export type NodeProblem = string | Status;
