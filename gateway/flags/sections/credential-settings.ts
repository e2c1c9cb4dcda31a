/** Which credentials are taken beside tokens of service accounts and of issuers. */
import { parseBoolean, parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface CredentialSettings {
  readonly tokenAuthFile: string | undefined;
  readonly clientCaFile: string | undefined;
  readonly anonymousAuth: boolean;
}

export const CREDENTIAL_SETTINGS: SettingsOf<CredentialSettings> = {
  tokenAuthFile: {
    flag: 'token-auth-file',
    placeholder: 'FILE',
    help: 'users known by bearer tokens, one a line: token,user,uid,"group1,group2"',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  clientCaFile: {
    flag: 'client-ca-file',
    placeholder: 'FILE',
    help: "PEM certificates of authorities whose client certificates are accepted beside our own's",
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  anonymousAuth: {
    flag: 'anonymous-auth',
    placeholder: 'BOOLEAN',
    help: 'whether requests without credentials are let in as system:anonymous; never with AlwaysAllow',
    takes: 'boolean',
    default: 'true',
    parse: parseBoolean,
  },
};
