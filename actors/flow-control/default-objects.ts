/**
 * The flow schemas and priority levels that every cluster has, as upstream's own code makes them:
 * mandatory ones, which are put right whenever somebody changes them, and suggested ones, which
 * operators may take over.
 *
 * In Kubernetes: apiserver/pkg/apis/flowcontrol/bootstrap.
 */
import { readGenerated } from '../../api/generated/read-generated.ts';
import type { JsonObject } from '../../api/json/json.ts';

export interface DefaultObjects {
  readonly levels: readonly JsonObject[];
  readonly schemas: readonly JsonObject[];
}

export interface AllDefaultObjects {
  readonly mandatory: DefaultObjects;
  readonly suggested: DefaultObjects;
}

let read: AllDefaultObjects | undefined;

/** Nobody may change them. With all that the API would add to them. */
export function defaultObjects(): AllDefaultObjects {
  read ??= JSON.parse(readGenerated('flow-control.json')) as AllDefaultObjects; // Generated so.
  return read;
}
