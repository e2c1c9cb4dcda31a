/** What a server can be told about admission: the table of its flags, and which fit together. */
import { DEFAULT_PLUGIN_NAMES, PLUGIN_NAMES } from '../../../actors/admission/plugin-names.ts';
import {
  readAdmissionConfiguration,
  type AdmissionConfiguration,
} from '../../configuration/admission-configuration.ts';
import { parseBoolean, parseCount, parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface AdmissionSettings {
  /** Whether containers may do on their node what its root may. */
  readonly allowPrivileged: boolean;
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  /** The old way: these and no others, and where it is empty none; undefined: not said. */
  readonly admissionControl: readonly string[] | undefined;
  /** Read when the flag is: a server that cannot read it does not start. */
  readonly admissionControlConfigFile: AdmissionConfiguration | undefined;
  readonly defaultNotReadyTolerationSeconds: number;
  readonly defaultUnreachableTolerationSeconds: number;
}

const BY_DEFAULT = [...DEFAULT_PLUGIN_NAMES].join(', ');

export const ADMISSION_SETTINGS: SettingsOf<AdmissionSettings> = {
  allowPrivileged: {
    flag: 'allow-privileged',
    placeholder: 'BOOLEAN',
    help: 'whether pods may have privileged containers, and on Windows processes of the host',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
  enableAdmissionPlugins: {
    flag: 'enable-admission-plugins',
    placeholder: 'NAME,...',
    help: `admission plug-ins to ask beside those that are on by default, which are ${BY_DEFAULT}. The order does not matter. There are ${PLUGIN_NAMES.join(', ')}`,
    takes: 'list',
    default: [],
    parse: namesIn,
  },
  disableAdmissionPlugins: {
    flag: 'disable-admission-plugins',
    placeholder: 'NAME,...',
    help: 'admission plug-ins not to ask although they are on by default',
    takes: 'list',
    default: [],
    parse: namesIn,
  },
  admissionControl: {
    flag: 'admission-control',
    placeholder: 'NAME,...',
    help: 'the old way to say it: these admission plug-ins and no others',
    takes: 'list',
    default: undefined,
    parse: namesIn,
  },
  admissionControlConfigFile: {
    flag: 'admission-control-config-file',
    placeholder: 'FILE',
    help: 'an AdmissionConfiguration (apiserver.config.k8s.io/v1), which tells plug-ins what they have to know',
    takes: 'text',
    default: undefined,
    parse: (file) => readAdmissionConfiguration(parseText(file)),
  },
  defaultNotReadyTolerationSeconds: {
    flag: 'default-not-ready-toleration-seconds',
    placeholder: 'SECONDS',
    help: 'how long pods stay on a node that is not ready, where they do not say themselves',
    takes: 'text',
    default: '300',
    parse: parseCount,
  },
  defaultUnreachableTolerationSeconds: {
    flag: 'default-unreachable-toleration-seconds',
    placeholder: 'SECONDS',
    help: 'how long pods stay on a node that cannot be reached, where they do not say themselves',
    takes: 'text',
    default: '300',
    parse: parseCount,
  },
};

function namesIn(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== '');
}

/**
 * In Kubernetes: AdmissionOptions.Validate, apiserver/pkg/server/options/admission.go.
 *
 * @throws StartupError when flags do not fit together, or ask for what is not there.
 */
export function checkAdmissionOptions(options: AdmissionSettings): void {
  const { enableAdmissionPlugins: enabled, disableAdmissionPlugins: disabled } = options;
  const { admissionControl: only } = options;
  const isSaidTwice = only !== undefined && (enabled.length > 0 || disabled.length > 0);
  const problems = [
    ...(isSaidTwice ? [SAID_TWICE] : []),
    ...unknownIn('admission-control', only ?? []),
    ...unknownIn('enable-admission-plugins', enabled),
    ...unknownIn('disable-admission-plugins', disabled),
  ];
  const both = [...new Set(enabled)].filter((name) => disabled.includes(name)).sort();
  if (both.length > 0) {
    const names = `[${both.join(' ')}]`;
    problems.push(`${names} in enable-admission-plugins and disable-admission-plugins overlapped`);
  }
  const [first, ...more] = problems;
  if (first !== undefined) {
    throw new StartupError(more.length === 0 ? first : `[${problems.join(', ')}]`);
  }
}

const SAID_TWICE =
  'admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive';

const KNOWN: ReadonlySet<string> = new Set(PLUGIN_NAMES);

function unknownIn(flag: string, names: readonly string[]): string[] {
  const unknown = names.filter((name) => !KNOWN.has(name));
  return unknown.map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`);
}
