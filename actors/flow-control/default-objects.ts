/**
 * The flow schemas and priority levels that every cluster has, as upstream's own code makes them:
 * mandatory ones, which are put right whenever a client changes them, and suggested ones, which
 * operators may take over.
 *
 * In Kubernetes: apiserver/pkg/apis/flowcontrol/bootstrap.
 */
import { readGenerated } from '../../api/generated/read-generated.ts';
import type {
  FlowSchema,
  PriorityLevelConfiguration,
} from '../../api/generated/kinds/flowcontrol-v1.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';

export interface DefaultObjects {
  readonly levels: readonly ObjectOf<PriorityLevelConfiguration>[];
  readonly schemas: readonly ObjectOf<FlowSchema>[];
}

export interface AllDefaultObjects {
  readonly mandatory: DefaultObjects;
  readonly suggested: DefaultObjects;
}

let read: AllDefaultObjects | undefined;

/** Not to be changed; with all that the API would add to them. */
export function defaultObjects(): AllDefaultObjects {
  read ??= JSON.parse(readGenerated('flow-control.json')) as AllDefaultObjects; // Generated so.
  return read;
}
