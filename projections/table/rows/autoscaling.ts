/**
 * The row of a HorizontalPodAutoscaler, which is expected in the form of autoscaling/v2, whichever
 * version is asked for: v1 cannot say most metrics.
 *
 * In Kubernetes: printHorizontalPodAutoscaler and formatHPAMetrics, pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { ageOf, type Cell, listOf, nameOf, countAt, quantityText } from '../cells.ts';

/** How many metrics the cell shows. */
const METRICS_MAX = 2;

/** Where a type of metric keeps what it aims at. */
const keys: ReadonlyMap<string, string> = new Map([
  ['External', 'external'],
  ['Pods', 'pods'],
  ['Object', 'object'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
]);

export function horizontalPodAutoscalerCells(autoscaler: JsonObject, now: number): Cell[] {
  const spec = objectAt(autoscaler, 'spec');
  const status = objectAt(autoscaler, 'status');
  const target = objectAt(spec, 'scaleTargetRef');
  const min = spec?.['minReplicas'];
  return [
    nameOf(autoscaler),
    `${stringAt(target, 'kind')}/${stringAt(target, 'name')}`,
    metricsCell(itemsAt(spec, 'metrics'), itemsAt(status, 'currentMetrics')),
    typeof min === 'number' ? String(min) : '<unset>',
    countAt(spec, 'maxReplicas'),
    countAt(status, 'currentReplicas'),
    ageOf(autoscaler, now),
  ];
}

function metricsCell(metrics: readonly JsonObject[], statuses: readonly JsonObject[]): string {
  if (metrics.length === 0) return '<none>';
  const shown = metrics.map((metric, index) => metricText(metric, statuses[index]));
  return listOf(shown, METRICS_MAX, ', ');
}

function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  const type = stringAt(metric, 'type');
  const key = keys.get(type);
  if (key === undefined) return '<unknown type>';
  const source = objectAt(metric, key);
  const target = objectAt(source, 'target');
  const measured = objectAt(status, key);
  const current = objectAt(measured, 'current');
  // Only whole objects can be missing a measurement; a missing field of one reads <nil>.
  const whenMeasured = (field: string): string =>
    measured === undefined ? '<unknown>' : amount(current, field);
  switch (type) {
    case 'Pods':
      return `${whenMeasured('averageValue')}/${amount(target, 'averageValue')}`;
    case 'Resource':
    case 'ContainerResource':
      return `${stringAt(source, 'name')}: ${resourceText(target, current, whenMeasured)}`;
    default: {
      if (target?.['averageValue'] === undefined) {
        return `${whenMeasured('value')}/${amount(target, 'value')}`;
      }
      const average = quantityText(current?.['averageValue']) ?? '<unknown>';
      return `${average}/${amount(target, 'averageValue')} (avg)`;
    }
  }
}

function resourceText(
  target: JsonObject | undefined,
  current: JsonObject | undefined,
  whenMeasured: (field: string) => string,
): string {
  if (target?.['averageValue'] !== undefined) {
    return `${whenMeasured('averageValue')}/${amount(target, 'averageValue')}`;
  }
  return `${percent(current, '<unknown>')}/${percent(target, '<auto>')}`;
}

function percent(owner: JsonObject | undefined, otherwise: string): string {
  const utilization = owner?.['averageUtilization'];
  return typeof utilization === 'number' ? `${String(utilization)}%` : otherwise;
}

/** As Go prints a pointer to a quantity. */
function amount(owner: JsonObject | undefined, field: string): string {
  return quantityText(owner?.[field]) ?? '<nil>';
}
