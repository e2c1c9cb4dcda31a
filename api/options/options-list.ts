/**
 * What a client may say about a list, a watch or a delete of a collection.
 *
 * A watch that starts at no particular version is turned into one that asks for the initial events,
 * as upstream's WatchList does, so `sendInitialEvents` may be true where the client said nothing.
 * In Kubernetes: ListOptions of apimachinery/pkg/apis/meta/internalversion, and its validation.
 */
import { goJson } from '../json/go-format.ts';
import { type FieldError, type FieldErrors, forbiddenField } from '../field/field-errors.ts';
import {
  EVERY_FIELD,
  parseFieldSelector,
  type FieldSelector,
} from '../selectors/field-selector.ts';
import {
  EVERY_LABEL,
  parseLabelSelector,
  type LabelSelector,
} from '../selectors/label-selector.ts';
import {
  invalidOptions,
  type ParsedOptions,
  queryBoolean,
  queryInteger,
  queryString,
  unsupported,
} from './options.ts';
import { badRequest } from '../meta/status.ts';

export type ResourceVersionMatch = '' | 'Exact' | 'NotOlderThan';

/** The query of a list or a watch. A limit of 0 is none. */
export interface ListOptions {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  /** Whether changes are wanted, instead of a page. */
  readonly watch: boolean;
  /** Whether the client takes bookmarks. */
  readonly allowWatchBookmarks: boolean;
  /** '' when none was given. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: ResourceVersionMatch;
  /** undefined when the server decides. */
  readonly timeoutSeconds: number | undefined;
  /** None where it is 0 or less. */
  readonly limit: number;
  /** '' when this is not a following page. */
  readonly continue: string;
  /** Whether a watch begins with what there is; undefined: as its version says. */
  readonly sendInitialEvents: boolean | undefined;
  /** Which part of the objects is wanted, by a range of hashes; '' for all. */
  readonly shardSelector: string;
}

const EMPTY: ParsedOptions<ListOptions> = {
  ok: true,
  options: {
    labelSelector: EVERY_LABEL,
    fieldSelector: EVERY_FIELD,
    watch: false,
    allowWatchBookmarks: false,
    resourceVersion: '',
    resourceVersionMatch: '',
    timeoutSeconds: undefined,
    limit: 0,
    continue: '',
    sendInitialEvents: undefined,
    shardSelector: '',
  },
};

/**
 * Which fields the selector may name is not judged here: see `unsupportedField`.
 *
 * @param query As in the URL, without the question mark.
 * @param watchLists Whether a watch may begin with what is there: upstream's gate WatchList.
 */
export function parseListOptions(query: string, watchLists = true): ParsedOptions<ListOptions> {
  if (query === '') return EMPTY;
  const decoded = decode(query);
  if (!decoded.ok) return refused(decoded.message);
  const { timeoutSeconds, limit, labels, fields } = decoded;
  const start: Start = {
    watch: queryBoolean(query, 'watch') ?? false,
    resourceVersion: queryString(query, 'resourceVersion'),
    match: queryString(query, 'resourceVersionMatch'),
    continue: queryString(query, 'continue'),
    sendInitialEvents: queryBoolean(query, 'sendInitialEvents'),
  };
  const version = watchLists ? withInitialEvents(start) : start;
  const errors = version.watch ? validateWatch(version, watchLists) : validateList(version);
  if (errors.length > 0) return { ok: false, status: invalidOptions('ListOptions', errors) };
  const { watch, resourceVersion, match, sendInitialEvents } = version;
  return {
    ok: true,
    // Every field by name: taking an object apart with a spread is slower than all the rest.
    options: {
      labelSelector: labels,
      fieldSelector: fields,
      watch,
      allowWatchBookmarks: queryBoolean(query, 'allowWatchBookmarks') ?? false,
      resourceVersion,
      resourceVersionMatch: match === 'Exact' || match === 'NotOlderThan' ? match : '',
      timeoutSeconds,
      limit: limit ?? 0,
      continue: version.continue,
      sendInitialEvents,
      shardSelector: queryString(query, 'shardSelector'),
    },
  };
}

/**
 * The one name to which `metadata.name=` narrows a list, so that the list can be authorized like a
 * get. '' where there is none: also when any option cannot be decoded, as upstream has it, and for
 * a name that no path can hold.
 */
export function nameInListOptions(query: string): string {
  if (!queryString(query, 'fieldSelector').includes(NAME_FIELD)) return '';
  const decoded = decode(query);
  const name = decoded.ok ? decoded.fields.requiresExactMatch(NAME_FIELD) : undefined;
  return name !== undefined && isPathSegment(name) ? name : '';
}

/** The field that narrows a list to one object. */
export const NAME_FIELD = 'metadata.name';

/** In Kubernetes: IsPathSegmentName, apimachinery/pkg/api/validate/content. */
function isPathSegment(name: string): boolean {
  return name !== '.' && name !== '..' && !name.includes('/') && !name.includes('%');
}

/** The options that can be malformed; the others are any text. */
type Decoded =
  | {
      readonly ok: true;
      readonly timeoutSeconds: number | undefined;
      readonly limit: number | undefined;
      readonly labels: LabelSelector;
      readonly fields: FieldSelector;
    }
  | { readonly ok: false; readonly message: string };

function decode(query: string): Decoded {
  const timeoutSeconds = queryInteger(query, 'timeoutSeconds');
  if (!timeoutSeconds.ok) return timeoutSeconds;
  const limit = queryInteger(query, 'limit');
  if (!limit.ok) return limit;
  const labels = parseLabelSelector(queryString(query, 'labelSelector'));
  if (!labels.ok) return labels;
  const fields = parseFieldSelector(queryString(query, 'fieldSelector'));
  if (!fields.ok) return fields;
  return {
    ok: true,
    timeoutSeconds: timeoutSeconds.value,
    limit: limit.value,
    labels: labels.selector,
    fields: fields.selector,
  };
}

/** Where to start, as the client wrote it. */
interface Start {
  readonly watch: boolean;
  readonly resourceVersion: string;
  readonly match: string;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

/** In Kubernetes: SetListOptionsDefaults, with the feature gate WatchList on. */
function withInitialEvents(start: Start): Start {
  const { watch, resourceVersion, match, sendInitialEvents } = start;
  if (!watch || sendInitialEvents !== undefined || match !== '') return start;
  if (resourceVersion !== '' && resourceVersion !== '0') return start;
  return { ...start, sendInitialEvents: true, match: 'NotOlderThan' };
}

const MATCH = 'resourceVersionMatch';

function validateList(start: Start): FieldErrors {
  const { match, sendInitialEvents } = start;
  const errors: FieldError[] = match === '' ? [] : validateListMatch(start);
  if (sendInitialEvents !== undefined) {
    const sentence = 'sendInitialEvents is forbidden for list';
    errors.push(forbiddenField('sendInitialEvents', sentence));
  }
  return errors;
}

function validateListMatch({ match, resourceVersion, continue: token }: Start): FieldError[] {
  const errors: FieldError[] = [];
  if (resourceVersion === '') {
    const sentence = `${MATCH} is forbidden unless resourceVersion is provided`;
    errors.push(forbiddenField(MATCH, sentence));
  }
  if (token !== '') errors.push(forbiddenWithContinue());
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push(unsupported(MATCH, goJson(match), ['Exact', 'NotOlderThan', '']));
  }
  if (match === 'Exact' && resourceVersion === '0') {
    const sentence = `${MATCH} "exact" is forbidden for resourceVersion "0"`;
    errors.push(forbiddenField(MATCH, sentence));
  }
  return errors;
}

function validateWatch(start: Start, watchLists: boolean): FieldErrors {
  const { match, sendInitialEvents, continue: token } = start;
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    const sentence = `sendInitialEvents requires setting ${MATCH} to NotOlderThan`;
    errors.push(forbiddenField(MATCH, sentence));
  }
  if (sendInitialEvents !== undefined && !watchLists) {
    const sentence =
      'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    errors.push(forbiddenField('sendInitialEvents', sentence));
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    const sentence = `${MATCH} is forbidden for watch unless sendInitialEvents is provided`;
    errors.push(forbiddenField(MATCH, sentence));
  }
  if (match !== 'NotOlderThan') errors.push(unsupported(MATCH, goJson(match), ['NotOlderThan']));
  if (token !== '') errors.push(forbiddenWithContinue());
  return errors;
}

function forbiddenWithContinue(): FieldError {
  return forbiddenField(MATCH, `${MATCH} is forbidden when continue is provided`);
}

function refused(message: string): ParsedOptions<never> {
  return { ok: false, status: badRequest(message) };
}
