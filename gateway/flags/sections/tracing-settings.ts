/** What a server can be told about tracing. */
import { parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface TracingSettings {
  readonly tracingConfigFile: string | undefined;
}

export const TRACING_SETTINGS: SettingsOf<TracingSettings> = {
  tracingConfigFile: {
    flag: 'tracing-config-file',
    placeholder: 'FILE',
    help: 'a TracingConfiguration of apiserver.config.k8s.io: to which collector spans are sent, by OTLP over gRPC or HTTP, and of how many requests',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
};
