/** `everwatch tail`: what happens, as it happens. */
import { parseJson } from '../../../api/json/json-text.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import { isJsonObject, objectAt, type JsonValue } from '../../../api/json/json.ts';
import { parseLabelSelector, type LabelSelector } from '../../../api/selectors/label-selector.ts';
import type { StringMap } from '../../../api/meta/object-meta.ts';
import { formatJudgedLine } from '../../../projections/past/judged-line.ts';
import type { JudgedEvent, LogQuery } from '../../../projections/past/log-source.ts';
import { objectOf } from '../../../projections/past/object-revisions.ts';
import { isChange, nameOf, namespaceOf } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { formatYaml } from '../../negotiation/yaml-codec.ts';
import { StartupError } from '../../process/startup-error.ts';
import { shownResource } from '../tool/resource-kinds.ts';
import type { Tool } from '../tool/run-tool.ts';
import { formatRow, parseFormat, printable, type Format } from '../tool/tool-output.ts';

/**
 * The flags of the command; `from` and `to` are moments, and `all` shows what took no effect, too.
 */
export interface TailOptions {
  /** The first moment that is shown. */
  readonly from?: string;
  /** The last moment that is shown. */
  readonly to?: string;
  /** Whose changes are shown; undefined: those of all. */
  readonly namespace?: string;
  /** Labels that the object must have. */
  readonly selector?: string;
  /** The form that is printed, as -o has it. */
  readonly output?: string;
  /** Whether records without effect are shown too. */
  readonly all?: boolean;
  /** Whether it waits for new records behind the last. */
  readonly follow: boolean;
}

const COLUMNS = ['REVISION', 'TIME', 'CHANGE', 'OBJECT', 'NAMESPACE', 'USER', 'VERB', 'MANAGER'];
const WIDTHS = [9, 20, 10, 40, 12, 20, 6, 0];

export async function tail(
  tool: Tool,
  words: readonly string[],
  options: TailOptions,
): Promise<number> {
  const format = parseFormat(options.output ?? 'jsonl', ['jsonl', 'table', 'yaml']);
  const labels = selectorOf(options.selector);
  const names = words.flatMap((word) => word.split(',')).filter((name) => name !== '');
  const resources = await Promise.all(names.map((name) => tool.kinds.resolve(name)));
  const isWanted = wanted(
    new Set(resources.map(({ storage }) => storage)),
    options.namespace,
    labels,
  );
  const query = await queryOf(
    tool,
    options,
    resources.length === 1 ? resources[0]?.storage : undefined,
  );
  if (format === 'table') await tool.output.write(formatRow(COLUMNS, WIDTHS));
  for await (const batch of tool.source.events(query, tool.signal)) {
    const shown = batch.filter(isWanted);
    if (shown.length > 0) await tool.output.write(shown.map((one) => textOf(one, format)).join(''));
    if (tool.signal.aborted) break;
  }
  return 0;
}

async function queryOf(
  { moments, source }: Tool,
  { from, to, all, follow }: TailOptions,
  resource: string | undefined,
): Promise<LogQuery> {
  const first =
    from === undefined
      ? resourceVersion((await source.bounds()).newest + 1)
      : await moments.firstFrom(from, '--from');
  return {
    from: first,
    follow: follow && to === undefined,
    effectiveOnly: all !== true,
    ...(to === undefined ? {} : { to: await moments.versionAt(to, '--to') }),
    ...(resource === undefined ? {} : { resource }),
  };
}

function selectorOf(text: string | undefined): LabelSelector | undefined {
  if (text === undefined) return undefined;
  const parsed = parseLabelSelector(text);
  if (parsed.ok) return parsed.selector;
  throw new StartupError(`-l: ${parsed.message}`);
}

function wanted(
  resources: ReadonlySet<string>,
  namespace: string | undefined,
  labels: LabelSelector | undefined,
): (judged: JudgedEvent) => boolean {
  const selects = resources.size > 0 || namespace !== undefined || labels !== undefined;
  return ({ event }) => {
    // A marker is of no object, so no selector lets it through.
    if (!isChange(event)) return !selects;
    if (resources.size > 0 && !resources.has(event.resource)) return false;
    if (namespace !== undefined && namespaceOf(event.path) !== namespace) return false;
    return labels === undefined || labels.matches(labelsOf(objectOf(event)));
  };
}

function labelsOf(object: JsonValue): StringMap | undefined {
  const labels = isJsonObject(object)
    ? objectAt(objectAt(object, 'metadata'), 'labels')
    : undefined;
  return labels as StringMap | undefined; // Validated before it was written.
}

function textOf(judged: JudgedEvent, format: Format): string {
  if (format === 'table') return rowOf(judged);
  const line = formatJudgedLine(judged).toString();
  return format === 'yaml' ? yamlOf(line) : line;
}

function yamlOf(line: string): string {
  return `---\n${formatYaml(parseJson(line))}`; // Just formatted as JSON.
}

function rowOf({ event, verdict }: JudgedEvent): string {
  const { resource, path, resourceVersion: version, time, type, user, verb } = event;
  const change = verdict === 'effective' || verdict === 'marker' ? type : `${type} (${verdict})`;
  const object = isChange(event) ? `${shownResource(resource)}/${nameOf(path)}` : '';
  const cells = [String(version), formatTime(time), change, object, namespaceOf(path)];
  return formatRow([...cells, user, verb, event.fieldManager].map(printable), WIDTHS);
}
