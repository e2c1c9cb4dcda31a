/** Pages beside the server's own. */
import { parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface PageSettings {
  /** Where Headlamp's files are; undefined: it is not served. */
  readonly headlampDir: string | undefined;
}

/** The flags of {@link PageSettings}. */
export const PAGE_SETTINGS: SettingsOf<PageSettings> = {
  headlampDir: {
    flag: 'headlamp-dir',
    placeholder: 'DIR',
    help: 'the folder of the built page of Headlamp, with its index.html: it is served below /everwatch/headlamp/, with this server as its only cluster',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
};
