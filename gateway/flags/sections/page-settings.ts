/** Pages beside the server's own. */
import { type HeadlampClusters, parseHeadlampClusters } from '../headlamp-clusters.ts';
import { parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface PageSettings {
  /** Where Headlamp's files are; undefined: it is not served. */
  readonly headlampDir: string | undefined;
  /** Which clusters its page is told of. */
  readonly headlampClusters: HeadlampClusters;
}

/** The flags of {@link PageSettings}. */
export const PAGE_SETTINGS: SettingsOf<PageSettings> = {
  headlampDir: {
    flag: 'headlamp-dir',
    placeholder: 'DIR',
    help: 'the folder of the built page of Headlamp, with its index.html: it is served below /everwatch/headlamp/, with this server as its cluster',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  headlampClusters: {
    flag: 'headlamp-clusters',
    placeholder: 'NAME=PLACE,...',
    help: 'moments and forks that Headlamp shows as clusters of these names beside that of now: before=/at/2026-11-20T10:00:00Z/still,try=/forks/try',
    takes: 'list',
    default: [],
    parse: parseHeadlampClusters,
  },
};
