/** The paths by which an operator looks into the process itself, and changes how much it logs. */
import type { Answer, DocumentAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../../actors/request/request.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { firstOf, HTML, type Route } from './route.ts';
import type { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';
import type { Clock, Random } from '../../api/meta/clock.ts';
import { profilesRoute } from './profiles.ts';
import { zPagesRoute } from './zpages.ts';

type SetVerbosity = (verbosity: number) => void;

const ROOT = '/debug/flags';
const BODY_BYTES_MAX = 64;

const INDEX: DocumentAnswer = {
  kind: 'Document',
  code: 200,
  headers: { 'Content-Type': HTML },
  body: Buffer.from(
    '<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n/debug/flags/<br>\n<br>\n' +
      'flags:<br>\n<table>\n<tr>v<br>\n</table>\n<br>\nfull flags configurable<br>\n</body>\n</html>\n',
  ),
};

/**
 * `/debug/flags/v`: how much is logged, changed without a restart. A PUT brings the number that `-v`
 * takes at the start. Every other path below `/debug/flags` is the list of the flags that can be changed
 * so, which is this one.
 *
 * In Kubernetes: DebugFlags, apiserver/pkg/server/routes.
 */
export function verbosityRoute(setVerbosity: SetVerbosity): Route {
  return (request) => {
    const { path } = request.info;
    if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return undefined;
    if (path !== `${ROOT}/v`) return INDEX;
    if (request.method !== 'PUT') return line(406, 'unsupported http method');
    return changed(request, setVerbosity);
  };
}

async function changed(request: AuthenticatedRequest, setVerbosity: SetVerbosity): Promise<Answer> {
  const body = await request.readBody(BODY_BYTES_MAX);
  if (!body.ok) return line(400, `error reading request body: ${body.status.message ?? ''}`);
  const text = body.bytes.toString();
  const why = problemOf(text);
  if (why !== undefined) return line(400, why);
  setVerbosity(Number(text));
  return line(200, `successfully set klog.logging.verbosity to ${text}`);
}

/** As Go reads a number of 32 bits that has no sign, and klog one that has. */
function problemOf(text: string): string | undefined {
  const parsing = (name: string): string => `strconv.${name}: parsing ${goQuote(text)}`;
  if (!/^[0-9]+$/.test(text)) return `${parsing('ParseUint')}: invalid syntax`;
  if (Number(text) >= 2 ** 32) return `${parsing('ParseUint')}: value out of range`;
  if (Number(text) < 2 ** 31) return undefined;
  return `failed set klog.logging.verbosity ${text}: ${parsing('ParseInt')}: value out of range`;
}

/** With the line that upstream ends, and of no charset. */
function line(code: number, text: string): DocumentAnswer {
  const headers = { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' };
  return { kind: 'Document', code, headers, body: Buffer.from(`${text}\n`) };
}

/** What the paths below `/debug`, `/flagz` and `/statusz` tell of, and what they may change. */
export interface DebugParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** All flags and what they are set to. */
  readonly flags: ReadonlyMap<string, string>;
  /** Of them, those that have none. */
  readonly withoutEffect?: ReadonlySet<string>;
  /** Those of `/flagz` and `/statusz`. */
  readonly featureGates?: FeatureGates;
  /** Whether there are profiles, and the level of the log can be changed. */
  readonly profiling: boolean;
  readonly setVerbosity: SetVerbosity;
}

const ALWAYS: readonly string[] = ['/flagz', '/statusz'];
const PROFILING: readonly string[] = ['/debug/flags/v', '/debug/pprof', '/debug/pprof/profile'];

export function debugPaths({ profiling }: DebugParts): readonly string[] {
  return profiling ? [...ALWAYS, ...PROFILING] : ALWAYS;
}

export function debugRoute(
  parts: DebugParts,
  paths: (request: ReceivedRequest) => Iterable<string>,
): Route {
  return firstOf([zPagesRoute({ ...parts, paths }), debugToolsRoute(parts)]);
}

/** Those that are reached through `--debug-socket-path` too, where there are any. */
export function debugToolsRoute({
  profiling,
  clock,
  setVerbosity,
}: Pick<DebugParts, 'clock' | 'profiling' | 'setVerbosity'>): Route {
  return profiling
    ? firstOf([profilesRoute(clock), verbosityRoute(setVerbosity)])
    : () => undefined;
}
