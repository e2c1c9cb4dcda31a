/**
 * Which families of figures are shown, as told by flags.
 *
 * In Kubernetes: component-base/metrics/options.go.
 */
import { versionInfo } from '../routes/version.ts';
import { quoted } from './flag-values.ts';
import type { SettingsOf } from './setting.ts';
import { StartupError } from './startup-error.ts';

export interface MetricsSettings {
  /** Whether families are shown that upstream has deprecated and hidden. */
  readonly showHiddenMetrics: boolean;
  /** Families that are not shown. */
  readonly disabledMetrics: readonly string[];
}

const FAMILY = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

export const METRICS_SETTINGS: SettingsOf<MetricsSettings> = {
  showHiddenMetrics: {
    flag: 'show-hidden-metrics-for-version',
    placeholder: 'VERSION',
    help: 'the previous minor version of Kubernetes, to show families in /metrics that have been deprecated and hidden since',
    takes: 'text',
    default: '',
    parse: parseVersion,
  },
  disabledMetrics: {
    flag: 'disabled-metrics',
    placeholder: 'FAMILY,...',
    help: 'families to leave out of /metrics',
    takes: 'list',
    default: [],
    parse: parseFamilies,
  },
};

function parseVersion(text: string): boolean {
  const { major, minor } = versionInfo();
  const previous = `${major}.${String(Number(minor) - 1)}`;
  if (text === '' || text === previous) return text !== '';
  throw new StartupError(
    `metrics.showHiddenMetricsForVersion: Invalid value: ${quoted(text)}: must be omitted or ` +
      `have the value '${previous}'; only the previous minor version is allowed`,
  );
}

function parseFamilies(texts: readonly string[]): readonly string[] {
  const wrong = texts.find((text) => text !== '' && !FAMILY.test(text));
  if (wrong === undefined) return texts.filter((text) => text !== '');
  throw new StartupError(
    `metrics.disabledMetrics: Invalid value: ${JSON.stringify(texts)}: must be fully qualified ` +
      `metric names matching ${quoted(FAMILY.source)}, got ${quoted(wrong)}`,
  );
}
