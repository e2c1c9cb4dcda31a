/**
 * What the flags of this process are, as texts, for `/flagz`: those that were given, and the
 * defaults. Secrets stand in files, and only the files' names are flags.
 */
import type { ServeOptions } from './serve-settings.ts';

const TEXTS = new WeakMap<ServeOptions, ReadonlyMap<string, string>>();

export function rememberFlagTexts(options: ServeOptions, texts: ReadonlyMap<string, string>): void {
  TEXTS.set(options, texts);
}

/** By the flags' names without dashes. Empty where the options were not made from flags. */
export function flagTextsOf(options: ServeOptions): ReadonlyMap<string, string> {
  return TEXTS.get(options) ?? new Map();
}
