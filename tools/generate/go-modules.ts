/**
 * Finds the Go modules the facts come from in the local module cache; nothing is downloaded here.
 * `go mod download k8s.io/kubernetes@v1.36.3` and its like bring a missing one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Module path to the version whose facts are committed. */
const MODULE_VERSIONS: Readonly<Record<string, string>> = {
  'k8s.io/kubernetes': 'v1.36.3',
  'k8s.io/api': 'v0.36.3',
  'k8s.io/apimachinery': 'v0.36.3',
  'k8s.io/apiserver': 'v0.36.3',
  'k8s.io/apiextensions-apiserver': 'v0.36.3',
  'k8s.io/kube-aggregator': 'v0.36.3',
  'k8s.io/client-go': 'v0.36.3',
};

/**
 * The folder of a module or of a package in it: `k8s.io/api/core/v1`.
 * undefined when the module is none of ours or is not in the cache.
 */
export function findGoPackage(path: string): string | undefined {
  const root = moduleCache();
  if (root === undefined) return undefined;
  for (const [module, version] of Object.entries(MODULE_VERSIONS)) {
    if (path !== module && !path.startsWith(`${module}/`)) continue;
    const folder = join(root, `${module}@${version}`, path.slice(module.length));
    if (existsSync(folder)) return folder;
  }
  return undefined;
}

/** Like {@link findGoPackage}, but throws, naming the command that brings the module. */
export function goPackage(path: string): string {
  const folder = findGoPackage(path);
  if (folder !== undefined) return folder;
  const module = Object.keys(MODULE_VERSIONS).find((one) => path.startsWith(one)) ?? path;
  const version = MODULE_VERSIONS[module] ?? 'latest';
  throw new Error(`${path} is not in the module cache: run go mod download ${module}@${version}`);
}

let cacheFolder: string | undefined;

function moduleCache(): string | undefined {
  if (cacheFolder !== undefined) return cacheFolder;
  try {
    cacheFolder = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
  return cacheFolder;
}
