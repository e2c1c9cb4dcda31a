/**
 * What a definition need not be, because it was not before: rules that came later than the
 * definitions that break them are asked of new ones only.
 *
 * In Kubernetes: validationOptions of apiextensions-apiserver/pkg/apis/apiextensions/validation.
 */
export interface Leniency {
  readonly needsKnownReview: boolean;
  /** Its objects are there already, under its names. */
  readonly needsSameNames: boolean;
  readonly needsSchema: boolean;
  readonly needsKnownTypes: boolean;
  readonly needsStructure: boolean;
  readonly needsPrunedDefaults: boolean;
  readonly needsAtomicSets: boolean;
  readonly needsListKeys: boolean;
  readonly allowsInvalidCaBundle: boolean;
  /** By version; '' for all. */
  readonly tooManyFields: ReadonlySet<string>;
  /** Versions whose rules may cost what they cost. */
  readonly sameSchemas: ReadonlySet<string>;
}

/** What is asked of a new definition. Its webhook is not called yet, so its bundle can wait. */
export const OF_NEW: Leniency = {
  needsKnownReview: true,
  needsSameNames: false,
  needsSchema: true,
  needsKnownTypes: true,
  needsStructure: true,
  needsPrunedDefaults: true,
  needsAtomicSets: true,
  needsListKeys: true,
  allowsInvalidCaBundle: true,
  tooManyFields: new Set(),
  sameSchemas: new Set(),
};

/** Where in the schema of a definition a validation is, and what applies there. */
export interface SchemaPlace {
  /** The path of the field that has this part of the schema. */
  readonly path: string;
  readonly isRoot: boolean;
  /** Inside what describes the kind, version or metadata of an object. */
  readonly isInMeta: boolean;
  /** Why there may be no default; undefined: there may. */
  readonly noDefaults: string | undefined;
  readonly leniency: Leniency;
}
