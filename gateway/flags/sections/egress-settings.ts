/** What a server can be told about the ways out of its network. */
import { egressThrough, type EgressSelection } from '../../configuration/egress.ts';
import { readEgressConfiguration } from '../../configuration/egress-configuration.ts';
import { parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface EgressSettings {
  /** Read when the flag is: a server that cannot read it does not start. */
  readonly egressSelectorConfigFile: EgressSelection | undefined;
}

export const EGRESS_SETTINGS: SettingsOf<EgressSettings> = {
  egressSelectorConfigFile: {
    flag: 'egress-selector-config-file',
    placeholder: 'FILE',
    help: 'an EgressSelectorConfiguration (apiserver.k8s.io/v1beta1): through which proxies webhooks, nodes, pods and services are reached',
    takes: 'text',
    default: undefined,
    parse: (file) => egressThrough(readEgressConfiguration(parseText(file))),
  },
};
