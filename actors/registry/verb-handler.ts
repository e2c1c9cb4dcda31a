/**
 * What a verb of a resource is: a function for a read, a path of stages for a write. Stored
 * resources share one set of verbs, which `registry.ts` knows; a resource or a subresource that is
 * answered and never stored brings its own.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { Answer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { WritePath } from './stage.ts';
import type { ReadContext } from './write-context.ts';

/** At once where nothing has to be waited for. What it throws is answered 500. */
export type Reader = (
  context: ReadContext,
  request: AuthenticatedRequest,
  served: ServedResource,
) => MaybePromise<Answer>;

export type VerbHandler = Reader | WritePath;

/** By verb, as `create`. */
export type VerbHandlers = Readonly<Record<string, VerbHandler>>;

/** By subresource; '' is the resource itself. */
export type ResourceHandlers = ReadonlyMap<string, VerbHandlers>;
