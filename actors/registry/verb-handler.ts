/**
 * Who answers a verb. Stored resources share one set of handlers, which `registry.ts` knows; a
 * resource or a subresource that is answered and never stored brings its own.
 */
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { Answer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';
import type { WriteRoom } from './write-room.ts';

export type VerbHandler = (
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
) => void;

/** By verb, as `create`. */
export type VerbHandlers = Readonly<Record<string, VerbHandler>>;

/** By subresource; '' is the resource itself. */
export type ResourceHandlers = ReadonlyMap<string, VerbHandlers>;
