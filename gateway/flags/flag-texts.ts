/**
 * What the flags of this process are, as texts, for `/flagz` and for the warnings of the start: those that
 * were given, and the defaults. Secrets stand in files, and only the files' names are flags.
 */
import type { ServeOptions } from './serve-settings.ts';
import { type SaidFlags, TAKEN_FLAGS, takenWarnings } from './taken-flags.ts';

const SAID = new WeakMap<ServeOptions, SaidFlags>();
const NOTHING: SaidFlags = { texts: new Map(), isGiven: () => false };

/** Keeps, beside the options, the flags from which they were made. */
export function rememberFlags(options: ServeOptions, said: SaidFlags): void {
  SAID.set(options, said);
}

/** The flags from which the options were made; none where they were not made from flags. */
export function saidFlags(options: ServeOptions): SaidFlags {
  return SAID.get(options) ?? NOTHING;
}

/** The flags' texts by their names without dashes, and which of them have no effect. */
export function flagzOf(options: ServeOptions) {
  return { flags: saidFlags(options).texts, withoutEffect: TAKEN_FLAGS };
}

/** What an operator should know of the flags that were given: a sentence for each warning. */
export function startWarnings(options: ServeOptions): string[] {
  return [...takenWarnings(saidFlags(options)), ...options.features.featureGates.warnings()];
}
