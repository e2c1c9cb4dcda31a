/** Flags of priority and fairness: how many requests are served at once, and which come first. */
import { parseBoolean, parseCount } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface FairnessSettings {
  readonly enablePriorityAndFairness: boolean;
  /** Reads; with fairness both are added up, and are the seats of the server. */
  readonly maxRequestsInFlight: number;
  readonly maxMutatingRequestsInFlight: number;
}

export const FAIRNESS_SETTINGS: SettingsOf<FairnessSettings> = {
  enablePriorityAndFairness: {
    flag: 'enable-priority-and-fairness',
    placeholder: 'BOOLEAN',
    help: 'whether flow schemas and priority levels say which requests are served first; else reads and writes are only counted',
    takes: 'boolean',
    default: 'true',
    parse: parseBoolean,
  },
  maxRequestsInFlight: {
    flag: 'max-requests-inflight',
    placeholder: 'NUMBER',
    help: 'reads that are served at once; with priority and fairness, added to the writes, the seats that are shared out; 0 for no limit',
    takes: 'text',
    default: '400',
    parse: parseCount,
  },
  maxMutatingRequestsInFlight: {
    flag: 'max-mutating-requests-inflight',
    placeholder: 'NUMBER',
    help: 'writes that are served at once; with priority and fairness, added to the reads, the seats that are shared out; 0 for no limit',
    takes: 'text',
    default: '200',
    parse: parseCount,
  },
};
