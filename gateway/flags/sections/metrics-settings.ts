/**
 * Which families of figures are shown, and which values their labels may have, as told by flags.
 *
 * In Kubernetes: component-base/metrics/options.go and component-base/metrics/api/v1/config.go.
 */
import { goJson } from '../../../api/json/go-format.ts';
import type { AllowedLabels } from '../../metrics/label-allow-list.ts';
import { versionInfo } from '../../routes/version.ts';
import { asObject, keysProblem, labelsInManifest } from './allowed-labels.ts';
import type { ReadTextFile } from '../config-file.ts';
import { quoted } from '../flag-values.ts';
import { elementsOf, type SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface MetricsSettings {
  /** Whether families are shown that upstream has deprecated and hidden. */
  readonly showHiddenMetrics: boolean;
  /** Families that are not shown. */
  readonly disabledMetrics: readonly string[];
  readonly allowMetricLabels: AllowedLabels;
  /** A file with the same; '': none. */
  readonly allowMetricLabelsManifest: string;
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
  allowMetricLabels: {
    flag: 'allow-metric-labels',
    placeholder: 'FAMILY,LABEL=VALUE,…',
    help: 'the values that a label of a family may have; all others are shown as "unexpected". May be given several times',
    takes: 'list',
    form: 'whole',
    default: [],
    parse: parseLabels,
  },
  allowMetricLabelsManifest: {
    flag: 'allow-metric-labels-manifest',
    placeholder: 'FILE',
    help: 'the same as YAML, "FAMILY,LABEL": "VALUE,…" in each line',
    takes: 'text',
    default: '',
    parse: (text) => text,
  },
};

/** The manifest as if it were flags. @throws StartupError where it is no good, or both are given. */
export function withManifest<Options extends MetricsSettings>(
  options: Options,
  readFile: ReadTextFile,
): Options {
  const { allowMetricLabels: labels, allowMetricLabelsManifest: manifest } = options;
  if (manifest === '') return options;
  const allowMetricLabels = labelsInManifest(manifest, readFile);
  if (labels.size === 0) return { ...options, allowMetricLabels };
  const both = {
    ...(options.showHiddenMetrics && { showHiddenMetricsForVersion: previousVersion() }),
    ...(options.disabledMetrics.length > 0 && { disabledMetrics: [...options.disabledMetrics] }),
    allowListMapping: asObject(labels),
    allowListMappingManifest: manifest,
  };
  throw new StartupError(
    `metrics: Invalid value: ${goJson(both)}: cannot specify both allowListMapping and ` +
      'allowListMappingManifest',
  );
}

function previousVersion(): string {
  const { major, minor } = versionInfo();
  return `${major}.${String(Number(minor) - 1)}`;
}

function parseVersion(text: string): boolean {
  const previous = previousVersion();
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
    `metrics.disabledMetrics: Invalid value: ${goJson([...texts])}: must be fully qualified ` +
      `metric names matching ${quoted(FAMILY.source)}, got ${quoted(wrong)}`,
  );
}

function parseLabels(texts: readonly string[]): AllowedLabels {
  const labels = new Map(texts.flatMap(pairsOf));
  const problem = keysProblem(labels, 'metrics.allowListMapping');
  if (problem !== undefined) throw new StartupError(problem);
  return labels;
}

/** As pflag's string_to_string.go: one pair is taken as it is, several are a line of CSV. */
function pairsOf(text: string): (readonly [string, string])[] {
  const isOne = text.split('=').length <= 2;
  const pairs = isOne ? [withoutQuotes(text)] : elementsOf(text, 'csv');
  return pairs.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals >= 0) return [pair.slice(0, equals), pair.slice(equals + 1)];
    throw new StartupError(`${isOne ? text : pair} must be formatted as key=value`);
  });
}

function withoutQuotes(text: string): string {
  const first = /[^"]/.exec(text)?.index ?? 0;
  let end = text.length;
  while (end > first && text[end - 1] === '"') end -= 1;
  return text.slice(first, end);
}
