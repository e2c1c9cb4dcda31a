/**
 * `/version`: which Kubernetes clients may take this server for. Clients choose what they do by
 * major and minor, so these are upstream's; what we are is behind the plus sign.
 *
 * In Kubernetes: apiserver/pkg/server/routes/version.go and apimachinery/pkg/version.
 */
import { statusAnswer } from '../../actors/request/answer.ts';
import { routedAccept } from '../../actors/request/routed-media.ts';
import { methodNotAllowed } from '../../api/meta/status.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { jsonAnswer, type Route } from './route.ts';

/** Of this program, as in package.json. */
export const PRODUCT_VERSION = packageJson.version;

/** The release of Kubernetes whose behaviour and facts are here. */
export const KUBERNETES_VERSION = 'v1.36.3';

const PLATFORM_ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
]);

/** In Kubernetes: version.Info. Its commit, tree state and date say nothing here. */
export function versionInfo() {
  const architecture = PLATFORM_ARCHITECTURES.get(process.arch) ?? process.arch;
  return {
    major: '1',
    minor: '36',
    emulationMajor: '1',
    emulationMinor: '36',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '35',
    gitVersion: `${KUBERNETES_VERSION}+everwatch.${PRODUCT_VERSION}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node${process.versions.node}`,
    compiler: 'v8',
    platform: `${process.platform}/${architecture}`,
  };
}

export function versionRoute(): Route {
  const answer = jsonAnswer(versionInfo());
  return (request) => {
    const { path } = request.info;
    if (path !== '/version' && path !== '/version/') return undefined;
    if (request.method !== 'GET') return statusAnswer(methodNotAllowed());
    const unaccepted = routedAccept(request.headers, ['application/json']);
    return unaccepted === undefined ? answer : statusAnswer(unaccepted);
  };
}
