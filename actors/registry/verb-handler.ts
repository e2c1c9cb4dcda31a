/**
 * What a verb of a resource is: a path of stages, of a read or of a write. Stored
 * resources share one set of verbs, which `registry.ts` knows; a resource or a subresource that is
 * answered and never stored brings its own.
 */
import type { ReadPath, WritePath } from './stage.ts';

export type VerbHandler = ReadPath | WritePath;

/** By verb, as `create`. */
export type VerbHandlers = Readonly<Record<string, VerbHandler>>;

/** By subresource; '' is the resource itself. */
export type ResourceHandlers = ReadonlyMap<string, VerbHandlers>;
