import { useMemo, useState } from 'preact/hooks';
import type { Criterion, Recommendation, RecommendationList } from '../api';
import { commonScale, movement } from '../lib/attribution';
import { useGlide } from '../lib/flip';
import * as format from '../lib/format';
import { hasMeaning, shareText } from '../lib/meaning';
import { href, type Params } from '../lib/router';
import { AttributionBar, Legend } from './attribution';
import { Match, Predicted, RawSwitch } from './meaning';

interface Props {
  criteria: readonly Criterion[];
  list: RecommendationList;
  /** Items of the list with all weights equal, to show what moved. */
  neutral: readonly string[] | undefined;
  lit: number | undefined;
  point(criterion: number | undefined): void;
  whyParams: Record<string, string>;
}

export function RecommendedList({ criteria, list, neutral, lit, point, whyParams }: Props) {
  const order = list.items.map(({ item }) => item);
  const glide = useGlide(JSON.stringify(order));
  const rows = useMemo(
    () => list.items.map((r) => criteria.map(({ name }) => r.by_criterion?.[name] ?? 0)),
    [list, criteria],
  );
  const scale = useMemo(
    () => commonScale(rows.map((row, i) => [...row, list.items[i]?.dialled ?? 0])),
    [rows, list],
  );
  const dialled = list.items.some((row) => (row.dialled ?? 0) !== 0);
  const scores = format.scores(list.items[0]?.score ?? 0);
  const meaning = hasMeaning(list.items);
  const [wanted, setRaw] = useState(false);
  const raw = wanted || !meaning;
  const moved = neutral ? movement(neutral, order) : undefined;
  return (
    <>
      <div class="row-between">
        <Legend criteria={criteria} point={point} dialled={dialled} />
        <span class="small muted number">
          {raw && scores.unit && `scores ${scores.unit} `}
          {meaning && <RawSwitch raw={raw} changed={setRaw} />}
        </span>
      </div>
      <ol class="results" ref={glide}>
        {list.items.map((row, i) => (
          <li key={row.item} data-key={row.item} class="result">
            <Rank place={i + 1} moved={moved?.get(row.item)} />
            <h3 class="breakable">
              <a class="plain" href={href('items', { id: row.item })}>
                {row.title || row.item}
              </a>
            </h3>
            {raw || row.match == null ? (
              <span class="number score">{scores.text(row.score)}</span>
            ) : (
              <Match match={row.match} />
            )}
            <div class="parts">
              {list.basis === 'ratings' && row.linked && (
                <AttributionBar
                  criteria={criteria}
                  values={rows[i] ?? []}
                  scale={scale}
                  scores={scores}
                  lit={lit}
                  dialled={row.dialled}
                  {...(raw ? {} : { text: (value: number) => shareText(value, row.score) })}
                />
              )}
              {!raw && <Predicted criteria={criteria} predicted={row.predicted} />}
            </div>
            {list.basis === 'ratings' && !row.linked && (
              <p class="small muted">Not linked with anything rated; it fills the list up.</p>
            )}
            <WhyLink row={row} params={{ ...whyParams, item: row.item }} />
          </li>
        ))}
      </ol>
    </>
  );
}

function WhyLink({ row, params }: { row: Recommendation; params: Params }) {
  return (
    <a class="button quiet" href={href('why', params)} aria-label={`Why ${row.title || row.item}?`}>
      Why?
    </a>
  );
}

function Rank({ place, moved }: { place: number; moved: number | 'new' | undefined }) {
  return (
    <div class="rank">
      <span class="rank-place">{place}</span>
      {moved === 'new' && (
        <span class="rank-move up" title="Not in this list with equal weights">
          new
        </span>
      )}
      {typeof moved === 'number' && moved !== 0 && (
        <span
          class={`rank-move ${moved > 0 ? 'up' : 'down'}`}
          title={`${format.plural(Math.abs(moved), 'place')} ${moved > 0 ? 'up' : 'down'}, compared with equal weights`}
        >
          <span aria-hidden="true">{moved > 0 ? '▲' : '▼'}</span>
          <span class="hidden-text">{moved > 0 ? 'up' : 'down'} </span>
          {Math.abs(moved)}
        </span>
      )}
    </div>
  );
}
