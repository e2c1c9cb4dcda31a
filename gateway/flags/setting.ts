/** One thing that a command can be told: a flag, a key of the configuration file, a default. */

import type { ListForm } from './list-text.ts';

interface SettingText {
  /** Without the dashes: `data-dir`. In the configuration file it is `dataDir`. */
  readonly flag: string;
  /** One letter that says the same behind one dash. */
  readonly short?: string;
  readonly placeholder: string;
  readonly help: string;
}

interface OneText<Value> extends SettingText {
  readonly takes: 'text' | 'boolean';
  /** undefined: there is no default, and the option is left undefined. */
  readonly default: string | undefined;
  readonly parse: (text: string) => Value;
}

interface ManyTexts<Value> extends SettingText {
  readonly takes: 'list';
  /** How a text of it is taken apart; `csv` unless said otherwise. */
  readonly form?: ListForm;
  readonly default: readonly string[];
  readonly parse: (texts: readonly string[]) => Value;
}

export type Setting<Value = unknown> = OneText<Value> | ManyTexts<Value>;

/** A setting for each option, typed by it. */
export type SettingsOf<Options> = {
  readonly [Name in keyof Options]: Setting<NonNullable<Options[Name]>>;
};
