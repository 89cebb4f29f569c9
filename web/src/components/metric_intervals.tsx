// One measure of every method, with the interval that holds its true mean: a bar and a line on it.
import type { ComparisonResult } from '../api';

export function MetricIntervals({ result, metric }: { result: ComparisonResult; metric: string }) {
  const rows = result.methods.flatMap(({ name, metrics }) => {
    const value = metrics[metric];
    return value ? [{ name, ...value }] : [];
  });
  const most = Math.max(...rows.map(({ mean, high }) => Math.max(mean, high ?? 0)), 1e-12);
  const share = (value: number) => `${(100 * Math.max(0, value)) / most}%`;
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={metric}>
      <table class="gains">
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col" aria-hidden="true" />
            <th scope="col" class="num">
              {metric}
            </th>
            <th scope="col" class="num">
              95 % interval
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, mean, low, high }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="gain-track metric-track" aria-hidden="true">
                <span class="gain-bar" style={{ left: 0, width: share(mean) }} />
                {low !== null && high !== null && (
                  <span class="gain-error" style={{ left: share(low), width: share(high - low) }} />
                )}
              </td>
              <td class="num">{mean.toFixed(4)}</td>
              <td class="num">
                {low !== null && high !== null ? `${low.toFixed(4)} to ${high.toFixed(4)}` : '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
