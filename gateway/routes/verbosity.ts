/**
 * `/debug/flags/v`: how much is logged, changed without a restart. A PUT brings the number that `-v`
 * takes at the start. Every other path below `/debug/flags` is the list of the flags that can be changed
 * so, which is this one.
 *
 * In Kubernetes: DebugFlags, apiserver/pkg/server/routes.
 */
import type { Answer, DocumentAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { HTML, type Route } from './route.ts';

export type SetVerbosity = (verbosity: number) => void;

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
