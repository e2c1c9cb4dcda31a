/** Where in a schema a validation is, and what applies there. */
import type { Leniency } from './leniency.ts';

/** Where in the schema we are. */
export interface SchemaPlace {
  readonly path: string;
  readonly isRoot: boolean;
  /** Inside what describes the kind, version or metadata of an object. */
  readonly isInMeta: boolean;
  /** Why there may be no default; undefined: there may. */
  readonly noDefaults: string | undefined;
  readonly leniency: Leniency;
}
