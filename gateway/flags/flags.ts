/**
 * The flags of `everwatch serve`, and how they, the configuration file and the defaults become
 * one `ServeOptions`. A flag wins over the file, the file over the default.
 *
 * The help shows them under headings, each with what it says beneath it. There are more than a hundred,
 * with long names, so columns would leave the texts no room.
 */
import { Command, CommanderError, type Help, Option } from 'commander';

import { type ConfigValue, parseConfigFile, type ReadTextFile } from './config-file.ts';
import {
  AUTHENTICATION_SETTINGS,
  checkAuthenticationOptions,
} from './sections/authentication-settings.ts';
import {
  AUTHORIZATION_SETTINGS,
  checkAuthorizationOptions,
} from './sections/authorization-settings.ts';
import { ADMISSION_SETTINGS, checkAdmissionOptions } from './sections/admission-settings.ts';
import { AUDIT_SETTINGS, checkAuditOptions } from './sections/audit-settings.ts';
import { elementsOf, type Setting } from './setting.ts';
import { checkKafkaOptions, KAFKA_SETTINGS } from './sections/kafka-settings.ts';
import { checkLoggingOptions, LOGGING_SETTINGS } from './sections/logging-settings.ts';
import { MEMORY_SETTINGS } from './sections/memory-settings.ts';
import { METRICS_SETTINGS, withManifest } from './sections/metrics-settings.ts';
import { checkServiceOptions, SERVICE_SETTINGS } from './sections/service-settings.ts';
import {
  configKeyOf,
  SERVE_SECTIONS,
  SERVE_SETTINGS,
  type ServeOptions,
  type ServeSections,
} from './serve-settings.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';
import { checkTlsOptions, servingFiles, TLS_SETTINGS } from './sections/tls-settings.ts';
import { checkTakenFlags, OTHER_SETTINGS, TAKEN_FLAGS, TAKEN_SETTINGS } from './taken-flags.ts';
import {
  checkFlagText,
  invalidArgument,
  meansNothing,
  refusesAsPflag,
  upstreamFlags,
} from './upstream-flags.ts';
import {
  AGGREGATION_SETTINGS,
  EGRESS_SETTINGS,
  KUBELET_SETTINGS,
} from './sections/kubelet-settings.ts';
import { ENCRYPTION_SETTINGS, RETENTION_SETTINGS } from './sections/storage-settings.ts';
import { FAIRNESS_SETTINGS, REQUEST_SETTINGS } from './sections/request-settings.ts';
import { LIFECYCLE_SETTINGS, TRACING_SETTINGS } from './sections/lifecycle-settings.ts';
import { LISTENING_SETTINGS } from './sections/listening-settings.ts';
import { TOKEN_WEBHOOK_SETTINGS } from './sections/token-webhook-settings.ts';
import { WORKER_SETTINGS } from './sections/worker-settings.ts';
import { checkWorkerOptions } from './worker-refusals.ts';

/** The command with all its flags, grouped for `--help`; the caller gives it its action. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .summary('serve the Kubernetes API from an event log')
    .description(
      'Serve the Kubernetes API from an event log. The first start makes certificates and ' +
        'an admin.kubeconfig in the data directory, and says how to use it.',
    );
  for (const setting of asShown([...SERVE_SETTINGS, CONFIG])) {
    command.addOption(optionOf(setting).helpGroup(`${headingOf(setting.flag)}:`));
  }
  return command
    .allowExcessArguments(true)
    .configureHelp({ formatItem: formatFlag })
    .addHelpText(
      'after',
      '\nDurations are written as in 30s, 5m or 1h30m. Lists are separated by commas, and a list\n' +
        'flag that is given several times adds to itself; one that shows no dots takes one element\n' +
        'at a time. Of other flags the last one counts.\n' +
        '\nExample:\n' +
        '  everwatch serve --data-dir /var/lib/everwatch --bind-address 0.0.0.0',
    );
}

/** Stands in no configuration file, and in no table of what one can hold. */
const CONFIG: Setting<string> = {
  flag: 'config',
  placeholder: 'FILE',
  help: "YAML file with the same settings, keys as in 'securePort'",
  takes: 'text',
  default: undefined,
  parse: (path) => path,
};

function optionOf(setting: Setting): Option {
  const { flag, short, placeholder, help } = setting;
  const value = setting.takes === 'boolean' ? `[${placeholder}]` : `<${placeholder}>`;
  const byDefault = setting.takes === 'list' ? setting.default?.join(',') : setting.default;
  const shown = byDefault === undefined || byDefault === '' ? '' : ` (default: ${byDefault})`;
  const names = short === undefined ? `--${flag}` : `-${short}, --${flag}`;
  const option = new Option(`${names} ${value}`, `${help}${shown}`);
  // The defaults stay out of commander, or a flag could not be told from its absence.
  if (setting.takes === 'list') {
    return option.argParser((text: string, before: string[] | undefined) => {
      checkText(setting, text);
      return [...(before ?? []), ...elementsOf(text, setting.form ?? 'csv')];
    });
  }
  return option.argParser((given: string) => {
    // Behind one dash commander takes the equals sign for a part of the value.
    const text = short === undefined ? given : given.replace(/^=/, '');
    checkText(setting, text);
    return text;
  });
}

/** Each text of a flag is judged, also where a later one counts. @throws StartupError */
function checkText(setting: Setting, text: string): void {
  const { flag } = setting;
  checkFlagText(flag, text);
  if (!refusesAsPflag(flag)) return;
  try {
    if (setting.takes === 'list') setting.parse([text]);
    else setting.parse(text);
  } catch (error) {
    if (error instanceof StartupError) throw invalidArgument(flag, text, error.message);
    throw error;
  }
}

/**
 * `argv` is what stands behind `serve`.
 *
 * @throws StartupError that names the flag, or the file and its key.
 */
export function parseServeOptions(argv: readonly string[], readFile: ReadTextFile): ServeOptions {
  const command = serveCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  try {
    command.parse([...argv], { from: 'user' });
    refuseArguments(command);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new StartupError(error.message.replace(/^error: /, ''), { cause: error });
  }
  return serveOptionsOf(command.opts(), readFile);
}

/**
 * Refuses what is no flag, by an error of commander. Arguments that are empty are none, as upstream: scripts give them for
 * flags that they leave out.
 *
 * In Kubernetes: Args of NewAPIServerCommand, cmd/kube-apiserver/app/server.go.
 */
export function refuseArguments(command: Command): void {
  const count = command.args.filter((argument) => argument !== '').length;
  if (count === 0) return;
  const name = command.parent === null ? '' : ` for '${command.name()}'`;
  command.error(
    `error: too many arguments${name}. Expected 0 arguments but got ${String(count)}.`,
    {
      code: 'commander.excessArguments',
    },
  );
}

/** `flags` as commander gives them: what was not on the command line is not in it. */
export function serveOptionsOf(
  flags: Readonly<Record<string, unknown>>,
  readFile: ReadTextFile,
): ServeOptions {
  const file = flags['config'];
  const inFile =
    typeof file === 'string' ? readConfig(file, readFile) : new Map<string, ConfigValue>();

  const texts = new Map<string, string>();
  function valueOf(setting: Setting): unknown {
    const key = configKeyOf(setting.flag);
    const flag = givenText(flags, setting.flag);
    texts.set(setting.flag, textOf(flag ?? inFile.get(key) ?? setting.default));
    if (isConfigValue(flag)) return parsed(setting, flag, `--${setting.flag}`);
    const entry = inFile.get(key);
    if (entry !== undefined) return parsed(setting, entry, `${String(file)}: ${key}`);
    return setting.default === undefined ? undefined : parsed(setting, setting.default, '');
  }
  const isGiven = (flag: string): boolean => {
    const key = configKeyOf(flag);
    return flags[key] !== undefined || inFile.has(key);
  };
  for (const setting of [...TAKEN_SETTINGS, ...OTHER_SETTINGS]) valueOf(setting);
  checkTakenFlags({ texts });
  const sections = checked(eachSection(valueOf), readFile, isGiven);
  return { ...sections, said: { texts, isGiven } };
}

/** Flags that are another name of a flag. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['audit-webhook-initial-backoff', 'audit-webhook-batch-initial-backoff'],
]);

/** What the command line says of a flag; undefined where it says nothing, in kube-apiserver's sense. */
function givenText(flags: Readonly<Record<string, unknown>>, flag: string): unknown {
  const other = OTHER_NAMES.get(flag);
  const given = flags[configKeyOf(flag)] ?? (other && flags[configKeyOf(other)]);
  // A boolean flag without a value comes as true.
  if (given === true) return upstreamFlags().get(flag)?.bare ?? 'true';
  return typeof given === 'string' && meansNothing(flag, given) ? undefined : given;
}

/** Each section's options, by the names that its table has for them. */
function eachSection(valueOf: (setting: Setting) => unknown): ServeSections {
  const sections = Object.entries<Readonly<Record<string, Setting>>>(SERVE_SECTIONS);
  // The tables are keyed by the options' names and typed by them, one by one.
  return Object.fromEntries(
    sections.map(([section, settings]) => {
      const entries = Object.entries(settings);
      return [section, Object.fromEntries(entries.map(([name, one]) => [name, valueOf(one)]))];
    }),
  ) as unknown as ServeSections;
}

/** What the settings say together. @throws StartupError where they contradict one another. */
function checked(
  given: ServeSections,
  readFile: ReadTextFile,
  isGiven: (flag: string) => boolean,
): ServeSections {
  checkLoggingOptions({ ...given.logging, ...given.features });
  checkTlsOptions(given.listening);
  const options = {
    ...given,
    listening: servingFiles(given.listening),
    metrics: withManifest(given.metrics, readFile),
  };
  checkKafkaOptions(options.log);
  checkAuthenticationOptions(options.authentication);
  checkAuthorizationOptions(options.authorization, isGiven);
  checkAdmissionOptions(options.admission);
  checkAuditOptions(options.audit);
  checkServiceOptions(options.services);
  checkWorkerOptions(options);
  return options;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}

function isConfigValue(value: unknown): value is ConfigValue {
  return typeof value === 'string' || Array.isArray(value);
}

function readConfig(file: string, readFile: ReadTextFile): ReadonlyMap<string, ConfigValue> {
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    throw new StartupError(`cannot read --config ${file}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
  const values = parseConfigFile(text, file);
  const known = new Set(SERVE_SETTINGS.map(({ flag }) => configKeyOf(flag)));
  for (const key of values.keys()) {
    if (!known.has(key)) throw new StartupError(`${file}: unknown key ${JSON.stringify(key)}`);
  }
  return values;
}

function parsed<Value>(setting: Setting<Value>, value: ConfigValue, where: string): Value {
  try {
    if (setting.takes === 'list') return setting.parse(typeof value === 'string' ? [value] : value);
    if (typeof value === 'string') return setting.parse(value);
    throw new StartupError('must be one value, not a list');
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const separator = where.startsWith('--') ? ': ' : ' ';
    throw new StartupError(`${where}${separator}${error.message}`, { cause: error });
  }
}

type Table = Readonly<Record<string, Pick<Setting, 'flag'>>>;

/** In the order in which they are shown. A flag is shown under the first that has it. */
const AREAS: readonly (readonly [heading: string, flags: readonly string[]])[] = [
  ['Begin here', ['data-dir', 'bind-address', 'secure-port', 'log', 'config']],
  [
    'Connections',
    [
      ...flagsOf(TLS_SETTINGS),
      ...flagsOf(LISTENING_SETTINGS, REQUEST_SETTINGS),
      ...['http2-max-streams-per-connection', 'goaway-chance'],
      ...flagsOf(EGRESS_SETTINGS),
    ],
  ],
  [
    'Authentication',
    [
      ...['anonymous-auth', 'client-ca-file', 'token-auth-file'],
      ...flagsOf(AUTHENTICATION_SETTINGS, TOKEN_WEBHOOK_SETTINGS),
    ],
  ],
  ['Authorization', flagsOf(AUTHORIZATION_SETTINGS)],
  ['Admission', flagsOf(ADMISSION_SETTINGS)],
  [
    'Audit and tracing',
    [...flagsOf(AUDIT_SETTINGS, TRACING_SETTINGS), 'audit-webhook-batch-initial-backoff'],
  ],
  ['Nodes', flagsOf(KUBELET_SETTINGS)],
  ['Aggregated API servers', flagsOf(AGGREGATION_SETTINGS)],
  ['Priority and fairness', flagsOf(FAIRNESS_SETTINGS)],
  ['Services', flagsOf(SERVICE_SETTINGS)],
  ['Encryption at rest', flagsOf(ENCRYPTION_SETTINGS)],
  [
    'What is served, and what runs beside it',
    [
      ...['runtime-config', 'feature-gates', 'controllers', 'allow-reset'],
      ...['headlamp-dir', 'headlamp-clusters'],
    ],
  ],
  [
    'Starting and stopping, processes and memory',
    [...flagsOf(LIFECYCLE_SETTINGS, WORKER_SETTINGS, MEMORY_SETTINGS), 'version'],
  ],
  ['What the server says', flagsOf(LOGGING_SETTINGS, METRICS_SETTINGS)],
  ['The past', [...flagsOf(RETENTION_SETTINGS), 'read-only', 'unsafe-no-fsync']],
  [
    'Several servers on Kafka',
    [
      ...['key-file', 'read-consistency', 'snapshot-every', 'snapshot-dir'],
      ...flagsOf(KAFKA_SETTINGS),
    ],
  ],
  ['Taken from kube-apiserver, without effect', [...TAKEN_FLAGS]],
];

/** What stands under no heading of its own stands under this one, at the end. */
const ELSE = 'More';

const INDENT = '        ';
const USUAL_WIDTH = 80;

function flagsOf(...tables: readonly Table[]): string[] {
  return tables.flatMap((table) => Object.values(table).map(({ flag }) => flag));
}

/** @param flag without dashes. */
export function headingOf(flag: string): string {
  return AREAS.find(([, flags]) => flags.includes(flag))?.[0] ?? ELSE;
}

/** @returns the settings in the order in which they are shown. */
function asShown<One extends Pick<Setting, 'flag'>>(settings: readonly One[]): One[] {
  const order = [...new Set(AREAS.flatMap(([, flags]) => flags))];
  const placeOf = ({ flag }: One) => (order.includes(flag) ? order.indexOf(flag) : order.length);
  return [...settings].sort((a, b) => placeOf(a) - placeOf(b));
}

/** In place of commander's two columns. */
function formatFlag(term: string, _width: number, text: string, help: Help): string {
  const width = Math.max(40, (help.helpWidth ?? USUAL_WIDTH) - INDENT.length);
  return `  ${term}\n${help.boxWrap(text, width).replaceAll(/^/gm, INDENT)}`;
}
