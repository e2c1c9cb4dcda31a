/** What a server can be told of its directory, and of what it keeps and reads there. */
import {
  parseBoolean,
  parseCount,
  parseReadConsistency,
  parseText,
  type ReadConsistency,
} from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface StorageSettings {
  readonly dataDir: string;
  readonly keyFile: string | undefined;
  readonly readConsistency: ReadConsistency;
  /** Events between two snapshots; 0: none are taken. */
  readonly snapshotEvery: number;
  /** undefined: they are kept in a topic. */
  readonly snapshotDir: string | undefined;
  readonly readOnly: boolean;
}

export const STORAGE_SETTINGS: SettingsOf<StorageSettings> = {
  dataDir: {
    flag: 'data-dir',
    placeholder: 'DIR',
    help: 'where the log, the store and the certificates live; made when it is not there',
    takes: 'text',
    default: './everwatch-data',
    parse: parseText,
  },
  keyFile: {
    flag: 'key-file',
    placeholder: 'FILE',
    help: 'a secret, the same for all replicas: the keys they share are kept in the log, encrypted with it',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  readConsistency: {
    flag: 'read-consistency',
    placeholder: 'WHICH',
    help: 'linearizable: reads see all that was acknowledged before, on any replica; fresh: they trust the end that the Kafka leader reports, which costs no record',
    takes: 'text',
    default: 'linearizable',
    parse: parseReadConsistency,
  },
  snapshotEvery: {
    flag: 'snapshot-every',
    placeholder: 'EVENTS',
    help: 'on Kafka, how many events lie between two snapshots, from which new replicas start; 0 for none',
    takes: 'text',
    default: '100000',
    parse: parseCount,
  },
  snapshotDir: {
    flag: 'snapshot-dir',
    placeholder: 'DIR',
    help: 'keep the snapshots here, where all servers can read them, and not in a topic of their own',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  readOnly: {
    flag: 'read-only',
    placeholder: 'BOOLEAN',
    help: 'serve what the log says and write nothing to it',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
};
