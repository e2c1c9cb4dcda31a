/**
 * What holds for every request; and priority and fairness: how many requests are served at once, and
 * which come first.
 */
import {
  parseBoolean,
  parseCount,
  parseHstsDirectives,
  parseOrigins,
  parseSecondsOrDelay,
  parseTimeout,
} from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import type { RegularExpression } from '../../../api/meta/regular-expression.ts';

/** How many requests are served at once, and which come first. */
export interface FairnessSettings {
  readonly enablePriorityAndFairness: boolean;
  /** Reads; with fairness both are added up, and are the seats of the server. */
  readonly maxRequestsInFlight: number;
  readonly maxMutatingRequestsInFlight: number;
}

/** The flags of {@link FairnessSettings}. */
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

export interface RequestSettings {
  readonly requestTimeoutMs: number;
  /** Watches that ask for no end live at least that long, at most twice as long. */
  readonly minRequestTimeoutMs: number;
  readonly corsAllowedOrigins: readonly RegularExpression[];
  readonly hstsDirectives: readonly string[];
}

export const REQUEST_SETTINGS: SettingsOf<RequestSettings> = {
  requestTimeoutMs: {
    flag: 'request-timeout',
    placeholder: 'DURATION',
    help: 'how long a request may take; watches and logs are exempt',
    takes: 'text',
    default: '1m0s',
    parse: parseTimeout,
  },
  minRequestTimeoutMs: {
    flag: 'min-request-timeout',
    placeholder: 'SECONDS',
    help: 'how long a watch lives at least that asks for no end itself; at most twice as long',
    takes: 'text',
    default: '1800',
    parse: parseSecondsOrDelay,
  },
  corsAllowedOrigins: {
    flag: 'cors-allowed-origins',
    placeholder: 'REGEX,...',
    help: 'origins of web pages that may call the API, as in ^https://example\\.com$',
    takes: 'list',
    default: [],
    parse: parseOrigins,
  },
  hstsDirectives: {
    flag: 'strict-transport-security-directives',
    placeholder: 'LIST',
    help: 'for the HSTS header, as in max-age=31536000,includeSubDomains,preload',
    takes: 'list',
    default: [],
    parse: parseHstsDirectives,
  },
};
