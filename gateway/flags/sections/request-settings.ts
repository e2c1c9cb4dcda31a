/** What holds for every request. */
import type { RegularExpression } from '../../../api/meta/regular-expression.ts';
import {
  parseHstsDirectives,
  parseOrigins,
  parseSecondsOrDelay,
  parseTimeout,
} from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

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
