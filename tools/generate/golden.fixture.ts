/**
 * What upstream keeps in its source tree and tests compare with; it is read where Go's module
 * cache has it and never committed. Elsewhere such tests are skipped with one loud line, or fail
 * when EVERWATCH_REQUIRE_ALL=1 says that this machine is meant to have everything.
 */
import { readFileSync } from 'node:fs';
import { isJsonObject } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { findGoPackage } from './go-modules.ts';

/** The folder of k8s.io/kubernetes, or undefined, said aloud. */
export function findKubernetes(): string | undefined {
  const folder = findGoPackage('k8s.io/kubernetes');
  if (folder !== undefined) return folder;
  const line = 'SKIPPED goldens of kube-apiserver: go mod download k8s.io/kubernetes@v1.36.3';
  if (process.env['EVERWATCH_REQUIRE_ALL'] === '1') throw new Error(line);
  console.warn(line);
  return undefined;
}

export function readObject(path: string): JsonObject {
  return parseObject(readFileSync(path, 'utf8'));
}

export function parseObject(text: string | Uint8Array): JsonObject {
  const value = JSON.parse(Buffer.from(text).toString()) as JsonValue;
  if (!isJsonObject(value)) throw new Error('not a JSON object');
  return value;
}
