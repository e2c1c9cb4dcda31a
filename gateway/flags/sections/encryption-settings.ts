/** What a server can be told about encryption at rest: the table of its flags. */
import { parseBoolean, parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface EncryptionSettings {
  readonly encryptionProviderConfig: string | undefined;
  readonly encryptionProviderConfigAutomaticReload: boolean;
}

export const ENCRYPTION_SETTINGS: SettingsOf<EncryptionSettings> = {
  encryptionProviderConfig: {
    flag: 'encryption-provider-config',
    placeholder: 'FILE',
    help: 'an EncryptionConfiguration: which resources lie encrypted in the log, and with which keys',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  encryptionProviderConfigAutomaticReload: {
    flag: 'encryption-provider-config-automatic-reload',
    placeholder: 'BOOLEAN',
    help: 'whether to take over what changes in the file of --encryption-provider-config',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
};
