/** `everwatch diff`: what changed in a whole control plane between two moments. */
import { formatTime } from '../../../api/meta/clock.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { objectOf, summarizeChanges } from '../../../projections/past/object-revisions.ts';
import { type FieldChange, fieldChanges } from '../../../projections/past/field-changes.ts';
import { schemaOfObject } from '../../../projections/past/field-path.ts';
import type { LogBounds } from '../../../projections/past/log-source.ts';
import { isSecret, redactedChanges } from '../../../projections/past/secret-redaction.ts';
import { stateDifferences, type ObjectDifference } from '../../../projections/past/state-diff.ts';
import { nameOf, namespaceOf, type LoggedEvent } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { StartupError } from '../../process/startup-error.ts';
import { shownResource } from '../tool/resource-kinds.ts';
import type { Tool } from '../tool/run-tool.ts';
import { changeValue, objectDiff, shownChanges, type ShownParts } from '../tool/shown-object.ts';
import { colouredDiff, formatTable, parseFormat, type Format } from '../tool/tool-output.ts';

/**
 * The flags of the command; `from` and `to` are moments (see moment.ts), `to` is now unless said.
 */
export interface DiffOptions {
  /** The earlier moment. */
  readonly from?: string;
  /** The later moment. */
  readonly to?: string;
  /** Whose objects are compared; undefined: those of all. */
  readonly namespace?: string;
  /** The form that is printed, as -o has it. */
  readonly output?: string;
  /** Whether each change is shown as a unified diff. */
  readonly diff?: boolean;
  /** Whether a change of the status alone is none. */
  readonly ignoreStatus?: boolean;
  /** Whether a change of managers alone is none. */
  readonly ignoreManagedFields?: boolean;
  /** Whether values of Secrets are shown as they are. */
  readonly showSecrets?: boolean;
  /** Whether the command ends with 1 where there is a difference. */
  readonly exitCode?: boolean;
}

const HEADER = ['CHANGE', 'OBJECT', 'NAMESPACE', 'REVISION', 'TIME', 'USER', 'SUMMARY'];
const DIFFERENT = 1;

/** A difference that the options select. */
interface Seen {
  readonly difference: ObjectDifference;
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  readonly changes: readonly FieldChange[];
}

export async function diff(
  tool: Tool,
  words: readonly string[],
  options: DiffOptions,
): Promise<number> {
  const format = parseFormat(options.output ?? 'table');
  if (options.from === undefined) throw new StartupError('--from: say from which moment on');
  const [from, to] = [
    await tool.moments.versionAt(options.from, '--from'),
    await tool.moments.versionAt(options.to ?? 'now', '--to'),
  ];
  const resources = await resourcesOf(tool, words);
  const bounds = await tool.source.bounds();
  const [latest, flag] = from > to ? [from, '--from'] : [to, '--to'];
  if (latest > bounds.newest) {
    const newest = String(bounds.newest);
    throw new StartupError(
      `${flag}: version ${String(latest)} is yet to come, ${newest} is the newest`,
    );
  }
  const isWanted = wantedObjects({ from, to, resources, bounds, namespace: options.namespace });
  noticeWhatIsGone(tool, isWanted.unreadable);
  const states = [from, to].map((version) => tool.source.stateAt(version, tool.signal));
  const [before, after] = states;
  if (before === undefined || after === undefined) throw new Error('there are two states');
  const parts = partsOf(options, format);
  const seen: Seen[] = [];
  let count = 0;
  for await (const difference of stateDifferences(before, after, isWanted.test)) {
    const one = seenOf(difference, parts);
    if (one === undefined) continue;
    count += 1;
    // Tables and lists need all of them; the others go out one by one.
    if (format === 'jsonl' || format === 'yaml') await tool.output.writeValue(valueOf(one), format);
    else if (options.diff === true && format === 'table') await showDiff(tool, one, parts);
    else seen.push(one);
  }
  if (format === 'json') await tool.output.writeValues(seen.map(valueOf), 'json');
  if (format === 'table' && options.diff !== true) await showTable(tool, seen, { from, to });
  return options.exitCode === true && count > 0 ? DIFFERENT : 0;
}

/** undefined: all. */
async function resourcesOf(
  { kinds }: Tool,
  words: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const names = words.flatMap((word) => word.split(',')).filter((name) => name !== '');
  if (names.length === 0) return undefined;
  return new Set((await Promise.all(names.map((name) => kinds.resolve(name)))).map(storageOf));
}

function storageOf({ storage }: { readonly storage: string }): string {
  return storage;
}

function wantedObjects(asked: {
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  readonly resources: ReadonlySet<string> | undefined;
  readonly bounds: LogBounds;
  readonly namespace: string | undefined;
}) {
  const { from, to, resources, bounds, namespace } = asked;
  const oldest = Math.min(from, to);
  const cuts = bounds.cuts;
  const cutOf = (resource: string): number =>
    Math.max(cuts?.everything ?? 0, cuts?.resources.get(resource) ?? 0);
  if (cuts !== undefined && oldest < cuts.everything) {
    const since = `the log reaches back to version ${String(cuts.everything)}`;
    throw new StartupError(`version ${String(oldest)} cannot be read any more: ${since}`);
  }
  // One side of these could not be read, and then everything would be new.
  const isGone = (resource: string): boolean => oldest < cutOf(resource);
  const unreadable = [...(cuts?.resources.keys() ?? [])].filter(
    (resource) => isGone(resource) && (resources?.has(resource) ?? true),
  );
  const test = ({ resource, path }: LoggedEvent): boolean => {
    if (resources !== undefined && !resources.has(resource)) return false;
    if (namespace !== undefined && namespaceOf(path) !== namespace) return false;
    return !isGone(resource);
  };
  return { test, unreadable };
}

function noticeWhatIsGone({ notice }: Tool, unreadable: readonly string[]): void {
  if (unreadable.length === 0) return;
  notice(
    `not compared, for their history does not reach back so far: ${unreadable.map(shownResource).join(', ')}`,
  );
}

/** People do not want to see managedFields; programs see everything unless they say so. */
function partsOf(options: DiffOptions, format: Format): ShownParts {
  const hidesManagedFields = options.ignoreManagedFields ?? format === 'table';
  return {
    secrets: options.showSecrets === true,
    managedFields: !hidesManagedFields,
    status: options.ignoreStatus !== true,
  };
}

/** undefined: nothing is different but what is ignored. */
function seenOf(difference: ObjectDifference, parts: ShownParts): Seen | undefined {
  const before = 'before' in difference ? objectOf(difference.before) : undefined;
  const after = 'after' in difference ? objectOf(difference.after) : undefined;
  if (before === undefined || after === undefined)
    return { difference, before, after, changes: [] };
  const all = fieldChanges(before, after, schemaOfObject(after));
  const changes = shownChanges(all, parts);
  const isUnseen = difference.kind === 'changed' && changes.length === 0;
  // It was written, so it is told, unless all that was written is ignored.
  if (isUnseen && changes.length < all.length) return undefined;
  return { difference, before, after, changes };
}

/** What the difference is told of: the later state, where there is one. */
function lastEvent(difference: ObjectDifference): LoggedEvent {
  return 'after' in difference ? difference.after : difference.before;
}

function summaryOf({ difference, after, changes }: Seen): string {
  if (difference.kind === 'added' || difference.kind === 'removed') return '';
  const shown = after !== undefined && isSecret(after) ? redactedChanges(changes) : changes;
  return summarizeChanges(shown);
}

async function showTable(
  { output, source, notice }: Tool,
  seen: readonly Seen[],
  { from, to }: { readonly from: ResourceVersion; readonly to: ResourceVersion },
): Promise<void> {
  const counts = { added: 0, removed: 0, changed: 0, replaced: 0 };
  const rows = seen.map((one) => {
    const { difference } = one;
    counts[difference.kind] += 1;
    const { resource, path, resourceVersion: version, time, user } = lastEvent(difference);
    // The log has the last writer of a removed object, not the user that removed it.
    const authors =
      difference.kind === 'removed' ? ['', '', ''] : [String(version), formatTime(time), user];
    const object = `${shownResource(resource)}/${nameOf(path)}`;
    return [difference.kind, object, namespaceOf(path), ...authors, summaryOf(one)];
  });
  if (rows.length > 0) await output.write(formatTable(HEADER, rows));
  const told = Object.entries(counts).flatMap(([kind, count]) =>
    count === 0 ? [] : [`${String(count)} ${kind}`],
  );
  const what = told.length === 0 ? 'nothing changed' : told.join(', ');
  notice(`${what} between versions ${String(from)} and ${String(to)} of ${source.name}`);
}

async function showDiff({ output }: Tool, one: Seen, parts: ShownParts): Promise<void> {
  const { difference, before, after } = one;
  const { resource, path } = lastEvent(difference);
  const namespace = namespaceOf(path);
  const shown = `${namespace === '' ? '' : `${namespace}/`}${shownResource(resource)}/${nameOf(path)}`;
  const nameAt = (event: LoggedEvent): string => `${shown} at ${String(event.resourceVersion)}`;
  const names = {
    before: 'before' in difference ? nameAt(difference.before) : '/dev/null',
    after: 'after' in difference ? nameAt(difference.after) : '/dev/null',
  };
  await output.write(colouredDiff(objectDiff(before, after, { names, parts }), output.hasColours));
}

function valueOf({ difference, before, after, changes }: Seen): JsonObject {
  const { resource, path } = lastEvent(difference);
  const event = 'after' in difference ? difference.after : undefined;
  return {
    change: difference.kind,
    resource,
    namespace: namespaceOf(path),
    name: nameOf(path),
    ...(event === undefined
      ? {}
      : {
          resourceVersion: event.resourceVersion,
          time: new Date(event.time).toISOString(),
          user: event.user,
          verb: event.verb,
          fieldManager: event.fieldManager,
        }),
    changes: changes.map(changeValue),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}
