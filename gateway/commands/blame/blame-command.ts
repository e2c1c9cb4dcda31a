/** `everwatch blame`: which user and field manager gave each field of an object its value. */
import { formatTime } from '../../../api/meta/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { compareKeys } from '../../../api/json/typed-json-keys.ts';
import { blame, blamedFields, type BlamedValue } from '../../../projections/past/blame.ts';
import {
  type FieldPath,
  type FieldStep,
  formatFieldPath,
} from '../../../projections/past/field-path.ts';
import { isSecret, redactedAt } from '../../../projections/past/secret-redaction.ts';
import type { LoggedChange } from '../../../streams/event.ts';
import { formatYaml } from '../../negotiation/yaml-codec.ts';
import { StartupError } from '../../process/startup-error.ts';
import { namedOnCommandLine, objectOfLog, readLife } from '../tool/object-life.ts';
import type { Tool } from '../tool/run-tool.ts';
import { formatTable, parseFormat } from '../tool/tool-output.ts';

/** The flags of the command as commander gives them: undefined where a flag was not used. */
export interface BlameOptions {
  /** Of the object; undefined: the namespace of the source. */
  readonly namespace?: string;
  /** The form that is printed, as -o has it. */
  readonly output?: string;
  /** A moment of the past; undefined: now. */
  readonly at?: string;
  /** Whether values of Secrets are shown as they are. */
  readonly showSecrets?: boolean;
  /** Whether metadata.managedFields is shown. */
  readonly showManagedFields?: boolean;
}

type Blamed = BlamedValue<LoggedChange>;

const HEADER = ['REVISION', 'TIME', 'USER', 'MANAGER', 'FIELD'];

/** A line of YAML, and the change that it comes from. */
interface BlamedLine {
  readonly revision: LoggedChange;
  readonly text: string;
}

export async function showBlame(
  tool: Tool,
  words: readonly string[],
  options: BlameOptions,
): Promise<number> {
  const format = parseFormat(options.output ?? 'table');
  const named = await namedOnCommandLine(tool, words, options.namespace);
  const of = objectOfLog(named);
  const to =
    options.at === undefined ? undefined : await tool.moments.versionAt(options.at, '--at', of);
  const { revisions } = await readLife(tool, named, to);
  const steps = revisions.map(({ event, object }) => ({
    revision: event,
    object: event.type === 'deleted' ? undefined : withoutManagedFields(object, options),
  }));
  const blamed = blame(steps);
  if (blamed === undefined) {
    const last = revisions.at(-1)?.event.resourceVersion ?? 0;
    const instead = `see --at ${String(last - 1)}`;
    throw new StartupError(`${named.shown} was deleted at version ${String(last)}: ${instead}`);
  }
  if (format !== 'table') await tool.output.writeValues(fieldValues(blamed), format);
  else await tool.output.write(annotated(blamed, options.showSecrets === true));
  return 0;
}

function withoutManagedFields(object: JsonObject, { showManagedFields }: BlameOptions): JsonObject {
  const { metadata } = object;
  if (showManagedFields === true || !isJsonObject(metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function fieldValues(blamed: Blamed): JsonObject[] {
  return blamedFields(blamed).map(({ path, value, revision }) => ({
    path: formatFieldPath(path),
    value,
    resourceVersion: revision.resourceVersion,
    time: new Date(revision.time).toISOString(),
    user: revision.user,
    verb: revision.verb,
    fieldManager: revision.fieldManager,
  }));
}

function annotated(blamed: Blamed, showsSecrets: boolean): string {
  const hidesValues = isJsonObject(blamed.value) && isSecret(blamed.value) && !showsSecrets;
  const shown = (path: FieldPath, value: JsonValue): JsonValue =>
    hidesValues ? redactedAt(path, value) : value;
  const rows = linesOf(blamed, [], shown).map(({ revision, text }) => [
    String(revision.resourceVersion),
    formatTime(revision.time),
    revision.user,
    revision.fieldManager,
    text,
  ]);
  return formatTable(HEADER, rows);
}

type Shown = (path: FieldPath, value: JsonValue) => JsonValue;

/** As YAML is written for Kubernetes objects: lists are not indented below their key. */
function linesOf(blamed: Blamed, path: FieldPath, shown: Shown): BlamedLine[] {
  const { value, parts = [] } = blamed;
  if (Array.isArray(value)) {
    return parts.flatMap((part) => itemLines(part, [...path, part.step], shown));
  }
  return inYamlOrder(parts).flatMap((part) => {
    const key = typeof part.step === 'string' ? part.step : ''; // These are an object's.
    const here = [...path, key];
    if (part.parts === undefined || part.parts.length === 0) {
      return textLines(part, formatYaml({ [key]: shown(here, part.value) }));
    }
    const [first = ''] = formatYaml({ [key]: null }).split('\n');
    const head = { revision: part.revision, text: first.replace(/ null$/, '') };
    const inside = linesOf(part, here, shown);
    return [head, ...(Array.isArray(part.value) ? inside : inside.map(indented))];
  });
}

function inYamlOrder<Part extends { readonly step: FieldStep }>(parts: readonly Part[]): Part[] {
  const key = ({ step }: Part): string => (typeof step === 'string' ? step : '');
  return [...parts].sort((a, b) => compareKeys(key(a), key(b)));
}

function itemLines(item: Blamed, path: FieldPath, shown: Shown): BlamedLine[] {
  if (item.parts === undefined || item.parts.length === 0) {
    return textLines(item, formatYaml([shown(path, item.value)]));
  }
  return linesOf(item, path, shown).map((line, index) =>
    index === 0 ? { ...line, text: `- ${line.text}` } : indented(line),
  );
}

function textLines({ revision }: Blamed, text: string): BlamedLine[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ revision, text: line }));
}

function indented({ revision, text }: BlamedLine): BlamedLine {
  return { revision, text: `  ${text}` };
}
