/**
 * Which issuers of tokens are believed: from `--authentication-config`, or from the `--oidc-…`
 * flags. The file is looked at every few seconds; what is wrong with a new one is logged, and the
 * one before stays in force.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { formatJson } from '../../../api/json/json-text.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import type { ConfigurationMeters } from '../../../actors/authentication/authentication-meters.ts';
import {
  readAuthenticationConfiguration,
  type AuthenticationConfiguration,
} from '../../../actors/authentication/oidc/authentication-configuration.ts';
import type { ConfiguredIssuers } from '../../../actors/authentication/oidc/configured-issuers.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import type { JsonValue } from '../../../api/json/json.ts';
import { followFile } from '../../files/follow-files.ts';
import type { AuthenticationSettings } from '../../flags/sections/authentication-settings.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';

const LOOK_MS = 2_000;

/** What is in force at the start. @throws StartupError */
export function authenticationConfigurationOf(
  options: AuthenticationSettings,
): AuthenticationConfiguration {
  const { authenticationConfig: path } = options;
  if (path === undefined) return fromFlags(options);
  const read = configurationIn(readText('--authentication-config', path));
  if (typeof read !== 'string') return read;
  throw new StartupError(`--authentication-config ${path}: ${read}`);
}

export interface ReloadParts {
  readonly issuers: ConfiguredIssuers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meters: ConfigurationMeters;
  /** Ends it. */
  readonly until: AbortSignal;
}

/** Follows the file; does nothing where none was named. */
export function followConfiguration(path: string | undefined, parts: ReloadParts): void {
  if (path === undefined) return;
  const { issuers, clock, logger, meters, until } = parts;
  const text = readText('--authentication-config', path);
  const anonymous = anonymousIn(text);
  meters.inForce(text);
  followFile({
    ...{ file: path, text, everyMs: LOOK_MS, clock, until },
    async take(next) {
      const read = configurationIn(next);
      if (typeof read === 'string') throw new Error(read);
      if (anonymousIn(next) !== anonymous) {
        throw new Error('anonymous: Forbidden: changed from initial configuration file');
      }
      const problem = await issuers.replace(read);
      if (problem !== undefined) throw new Error(problem);
      meters.reloaded(true);
      meters.inForce(next);
      logger.info({ path }, 'the authentication configuration was read anew');
    },
    failed(error) {
      meters.reloaded(false);
      const message = 'the authentication configuration is no good; the old one stays';
      logger.error({ path, err: error }, message);
    },
  });
}

function configurationIn(text: string): AuthenticationConfiguration | string {
  let data: JsonValue | undefined;
  try {
    // YAML of a mapping, which is what is asked for next.
    data = parse(text, { maxAliasCount: 100 }) as JsonValue | undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  }
  const read = readAuthenticationConfiguration(data);
  return read.ok ? read.configuration : read.problem;
}

/** To be compared: it cannot be changed while the server runs. */
function anonymousIn(text: string): string {
  const read = configurationIn(text);
  return typeof read === 'string' ? '' : formatJson(read.anonymous ?? null);
}

function fromFlags(options: AuthenticationSettings): AuthenticationConfiguration {
  const { oidcIssuerUrl: url, oidcClientId: audience, oidcUsernameClaim: claim } = options;
  if (url === undefined || audience === undefined) return { jwt: [], anonymous: undefined };
  const { oidcCaFile, oidcGroupsClaim = '', oidcGroupsPrefix = '' } = options;
  const nothing = { claim: '', expression: '', prefix: undefined };
  const rules = [...options.oidcRequiredClaim].map(([required, requiredValue]) => {
    return { claim: required, requiredValue, expression: '', message: '' };
  });
  return {
    anonymous: undefined,
    jwt: [
      {
        issuer: {
          url,
          discoveryURL: '',
          certificateAuthority:
            oidcCaFile === undefined ? '' : readText('--oidc-ca-file', oidcCaFile),
          audiences: [audience],
          audienceMatchPolicy: '',
          egressSelectorType: '',
        },
        claimValidationRules: rules,
        username: { claim, expression: '', prefix: usernamePrefix(options, url) },
        groups:
          oidcGroupsClaim === ''
            ? nothing
            : { claim: oidcGroupsClaim, expression: '', prefix: oidcGroupsPrefix },
        uid: { claim: '', expression: '' },
        extra: [],
        userValidationRules: [],
      },
    ],
  };
}

function usernamePrefix(options: AuthenticationSettings, url: string): string {
  const { oidcUsernamePrefix: prefix = '', oidcUsernameClaim: claim } = options;
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${url}#` : prefix;
}

/** @throws StartupError */
export function readText(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${flag} ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
}
