/**
 * Defaults of a FlowSchema.
 *
 * In Kubernetes: SetDefaults_FlowSchemaSpec, pkg/apis/flowcontrol/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfZero, structAt } from '../../default-field.ts';

const MATCHING_PRECEDENCE = 1000;

export function setFlowSchemaDefaults(flowSchema: JsonObject): void {
  setIfZero(structAt(flowSchema, 'spec'), 'matchingPrecedence', MATCHING_PRECEDENCE);
}
