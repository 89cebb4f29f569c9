// The parts of Chart.js that the pages use; loaded with the first chart.
import * as chart from 'chart.js';

chart.Chart.register(
  chart.BarController,
  chart.BarElement,
  chart.CategoryScale,
  chart.Filler,
  chart.LinearScale,
  chart.LineController,
  chart.LineElement,
  chart.PointElement,
  chart.Tooltip,
);

export { Chart } from 'chart.js';
