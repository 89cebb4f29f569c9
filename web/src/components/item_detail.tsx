import { storageOf, useApp } from '../context';
import { useAsked } from '../lib/asked';
import * as format from '../lib/format';
import { load, save } from '../lib/profile';
import { go, href } from '../lib/router';
import type { Item } from '../api';
import { pictureOf } from '../lib/picture';
import { axis, ChartBox, tooltip } from './chart';
import { Picture } from './picture';
import { Failed, Loading } from './states';

export function ItemDetail({ id }: { id: string }) {
  const { api } = useApp();
  const { answer: item, error, again } = useAsked((signal) => api.item(id, signal), [id]);
  const similar = useAsked((signal) => api.similar(id, 10, signal), [id]);
  if (error)
    return (
      <div class="detail">
        <Failed error={error} again={again} />
      </div>
    );
  if (!item) return <Loading what="the item" />;
  const closest = similar.answer?.items[0]?.score ?? 0;
  return (
    <section class="stack detail" aria-label={item.title || item.id}>
      <div class="card">
        <h2 class="breakable">{item.title || item.id}</h2>
        <p class="muted small breakable">
          {item.title && item.title !== item.id && <>{item.id} · </>}
          rated by {format.plural(item.raters, 'person', 'people')}
        </p>
        <Picture item={item} size="large" />
        <Means item={item} />
        <Attributes item={item} />
        <div class="row-end">
          <button class="button" type="button" onClick={() => rateAsNewcomer(item)}>
            Rate it as a newcomer
          </button>
        </div>
      </div>
      <div class="card">
        <h2>Similar items</h2>
        <p class="small muted">Rated alike by the same people. The longest bar is the closest.</p>
        {similar.error && <Failed error={similar.error} again={similar.again} />}
        {similar.answer?.items.length === 0 && (
          <p class="muted">Nobody rated it together with another item.</p>
        )}
        <ol class="similar">
          {similar.answer?.items.map(({ item: other, title, score }) => (
            <li key={other}>
              <div class="row-between">
                <a class="breakable" href={href('items', { id: other })}>
                  {title || other}
                </a>
                <span class="number score">{format.scores(closest).text(score)}</span>
              </div>
              <div class="meter" aria-hidden="true">
                <span
                  style={{ width: `${closest > 0 ? Math.max(0, (score / closest) * 100) : 0}%` }}
                />
              </div>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function rateAsNewcomer({ id, title }: Item): void {
  const rated = load(storageOf('localStorage'));
  if (!rated.some(({ item }) => item === id))
    save(storageOf('localStorage'), [{ item: id, title: title || id, values: {} }, ...rated]);
  go('recommend', { new: '1' });
}

function Means({ item }: { item: Item }) {
  const { criteria } = useApp();
  const means = criteria.map(({ name }) => item.means[name] ?? null);
  const high = Math.max(...criteria.map(({ max }) => max), 1);
  const text = criteria.map(({ name }, c) => `${name} ${format.mean(means[c])}`).join(', ');
  return (
    <ChartBox
      label={`Average by criterion: ${text}`}
      height={36 + criteria.length * 30}
      inputs={[item]}
      table={{
        head: ['Criterion', 'Average'],
        rows: criteria.map(({ name }, c) => [name, format.mean(means[c])]),
      }}
      make={(colours) => ({
        type: 'bar',
        data: {
          labels: criteria.map(({ name }) => name),
          datasets: [
            {
              data: means,
              backgroundColor: criteria.map((_, c) => colours.criterion(c)),
              borderRadius: 4,
              barThickness: 14,
            },
          ],
        },
        options: {
          indexAxis: 'y',
          scales: {
            x: { ...axis(colours), min: 0, max: high },
            y: axis(colours, undefined, false),
          },
          plugins: {
            tooltip: tooltip(
              colours,
              ({ dataIndex }) => `average ${format.mean(means[dataIndex])}`,
            ),
          },
        },
      })}
    />
  );
}

function Attributes({ item }: { item: Item }) {
  const shown = pictureOf(item.attributes) !== undefined;
  const entries = Object.entries(item.attributes).filter(([name]) => !(shown && name === 'image'));
  if (entries.length === 0) return null;
  return (
    <dl class="attributes">
      {entries.map(([name, value]) => (
        <>
          <dt key={name}>{name}</dt>
          <dd class="breakable">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </>
      ))}
    </dl>
  );
}
