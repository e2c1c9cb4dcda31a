/** Work that is done in parts, between which others have their turn. */

/** So many fields, items or values are gone through at a time, each with all that is within it. */
export const PART = 4_096;

export type Parts<Result> = Generator<undefined, Result, undefined>;
