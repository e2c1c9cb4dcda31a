/**
 * `/debug/flags/v`: how much is logged, changed without a restart. A PUT brings klog's verbosity as
 * a number; 4 and more show every request, 8 and more everything.
 *
 * In Kubernetes: DebugFlags, apiserver/pkg/server/routes.
 */
import type { Answer } from '../../actors/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request.ts';
import { textAnswer, type Route } from './route.ts';

export type SetLevel = (level: 'info' | 'debug' | 'trace') => void;

const BODY_BYTES_MAX = 64;
const DEBUG_FROM = 4;
const TRACE_FROM = 8;

export function logLevelRoute(setLevel: SetLevel): Route {
  return (request) => {
    if (request.info.path !== '/debug/flags/v') return undefined;
    if (request.method !== 'PUT') return textAnswer(406, 'unsupported http method');
    return changed(request, setLevel);
  };
}

function changed(request: AuthenticatedRequest, setLevel: SetLevel): Promise<Answer> {
  return new Promise((resolve) => {
    request.readBody(BODY_BYTES_MAX, (body) => {
      if (!body.ok) {
        const why = body.status.message ?? '';
        resolve(textAnswer(400, `error reading request body: ${why}`));
        return;
      }
      const text = body.bytes.toString();
      if (!/^\d{1,9}$/.test(text)) {
        const why = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`;
        resolve(textAnswer(400, `failed set klog.logging.verbosity ${text}: ${why}`));
        return;
      }
      setLevel(levelOf(Number(text)));
      resolve(textAnswer(200, `successfully set klog.logging.verbosity to ${text}`));
    });
  });
}

function levelOf(verbosity: number): 'info' | 'debug' | 'trace' {
  if (verbosity >= TRACE_FROM) return 'trace';
  return verbosity >= DEBUG_FROM ? 'debug' : 'info';
}
