import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Explanation, Item } from '../api';
import { AttributionBar, Swatch } from '../components/attribution';
import { HeatMap } from '../components/heat_map';
import { Match, Predicted, RawSwitch } from '../components/meaning';
import { PageHead } from '../components/layout';
import { ItemHit } from '../components/newcomer';
import { PersonSearch, Search } from '../components/search';
import { Empty, Loading, NoRatings } from '../components/states';
import { FailedFor } from '../components/unknown_person';
import { storageOf, useApp } from '../context';
import { useAsked } from '../lib/asked';
import { commonScale, heatMap } from '../lib/attribution';
import * as format from '../lib/format';
import { hasMeaning, shareText } from '../lib/meaning';
import { load, profileOf, subjectOf } from '../lib/profile';
import { href, replace, weightParams, weightsOf } from '../lib/router';

export function WhyPage({ params }: { params: URLSearchParams }) {
  const { api, criteria } = useApp();
  const isNew = params.has('new');
  const user = isNew ? undefined : (params.get('user') ?? undefined);
  const item = params.get('item') ?? undefined;
  const weights = weightsOf(params);
  const rest = weightParams(weights);
  const profile = useMemo(() => profileOf(load(storageOf('localStorage')), criteria), [criteria]);
  const subject = subjectOf(isNew, user, profile);

  const first = useAsked(
    !isNew && user === undefined ? (signal) => api.users('', 1, undefined, signal) : undefined,
    [isNew, user],
  );
  const best = useAsked(
    subject && item === undefined
      ? (signal) => api.recommend({ subject, weights, top: 1 }, signal)
      : undefined,
    [JSON.stringify(subject), item],
  );
  const asked = useAsked(
    subject && item !== undefined
      ? (signal) => api.explain(subject, item, weights, signal)
      : undefined,
    [JSON.stringify(subject), item, JSON.stringify(weights)],
  );

  // Without a person or an item in the address: the first person, the first item of the list.
  const firstUser = first.answer?.users[0]?.id;
  const firstItem = best.answer?.items[0]?.item;
  const who: Record<string, string> = isNew ? { new: '1' } : user !== undefined ? { user } : {};
  useEffect(() => {
    if (!isNew && user === undefined && firstUser !== undefined)
      replace('why', { user: firstUser, item, ...rest });
    else if (item === undefined && firstItem !== undefined)
      replace('why', { ...who, item: firstItem, ...rest });
  }, [isNew, user, item, firstUser, firstItem]);

  const error = first.error ?? best.error ?? asked.error;
  if (criteria.length === 0 || first.answer?.users.length === 0) return <NoRatings />;
  return (
    <>
      <PageHead title="Why this item?">
        A score is a sum over ratings. Here it is taken apart: nothing is estimated, and the parts
        add up to the score.
      </PageHead>
      <div class="stack">
        <section class="card picker" aria-label="Person and item">
          {isNew ? (
            <div class="field">
              <span>Person</span>
              <a class="button" href={href('recommend', { ...who, ...rest })}>
                You, with {format.plural(profile.length, 'rating')}
              </a>
            </div>
          ) : (
            <PersonSearch user={user} picked={(id) => replace('why', { user: id, ...rest })} />
          )}
          <Search<Item>
            label="Item"
            placeholder="Title or id"
            value={asked.answer?.title || item || ''}
            find={(text, signal) => api.items({ q: text, limit: 8 }, signal).then((r) => r.items)}
            idOf={(hit) => hit.id}
            show={(hit) => <ItemHit item={hit} />}
            picked={(hit) => replace('why', { ...who, item: hit.id, ...rest })}
          />
        </section>
        {error && (
          <FailedFor error={error} again={asked.again} user={user} page="why" params={rest} />
        )}
        {isNew && profile.length === 0 && (
          <Empty title="You have not rated anything yet">
            <p>
              <a href={href('recommend', { new: '1' })}>Rate an item or two</a>, then ask why.
            </p>
          </Empty>
        )}
        {!error && subject && !asked.answer && <Loading what="the explanation" />}
        {asked.answer && <Explained explanation={asked.answer} weights={weights} />}
      </div>
    </>
  );
}

function Explained({
  explanation,
  weights,
}: {
  explanation: Explanation;
  weights: Record<string, number>;
}) {
  const { criteria: names, by_criterion: by, score, baseline } = explanation;
  const heat = useMemo(
    () => heatMap(names, explanation.parts, baseline, explanation.dials),
    [explanation],
  );
  const meaning = hasMeaning([explanation]);
  const [wanted, setRaw] = useState(false);
  const raw = wanted || !meaning;
  const scores = raw ? format.scores(score) : sharesOf(score);
  const values = names.map((name) => by[name] ?? 0);
  const title = explanation.title || explanation.item;
  const weighted = Object.entries(weights).filter(([, weight]) => weight !== 1);
  const dialled = explanation.dials.reduce((sum, { value }) => sum + value, 0);
  const preference = names.map((name) => explanation.preference[name] ?? 0);
  const total = preference.reduce((s, v) => s + v, 0);
  return (
    <>
      <section class="card" aria-labelledby="why-title">
        <h2 id="why-title" class="breakable">
          {title}
        </h2>
        {explanation.basis === 'popularity' && (
          <p class="notice">
            This person has no ratings yet, so the score is the number of people who rated the item.
          </p>
        )}
        <div class="equation">
          <span class="total" data-score={score}>
            {!raw && explanation.match != null ? (
              <Match match={explanation.match} />
            ) : (
              scores.text(score)
            )}
          </span>
          <span class="muted">{raw ? `${scores.unit} =` : 'of its score'}</span>
          {names.map((name, c) => (
            <span key={name} class="term">
              <Swatch criterion={c} />
              {name} {scores.text(values[c] ?? 0)}
            </span>
          ))}
          {explanation.dials.map(({ criterion, weight, value }) => (
            <span key={criterion} class="term">
              <Swatch criterion={names.indexOf(criterion)} />
              {criterion} turned {weight > 1 ? 'up' : 'down'} {scores.text(value)}
            </span>
          ))}
          {baseline !== 0 && <span class="term">popularity {scores.text(baseline)}</span>}
          {meaning && <RawSwitch raw={raw} changed={setRaw} />}
        </div>
        <Predicted criteria={names.map((name) => ({ name }))} predicted={explanation.predicted} />
        <AttributionBar
          criteria={names.map((name) => ({ name, min: 0, max: 0 }))}
          values={values}
          scale={commonScale([[...values, dialled]])}
          scores={scores}
          dialled={dialled}
        />
        {explanation.notes?.map((note) => (
          <p key={note} class="notice why-note">
            {note}
          </p>
        ))}
        {total > 0 && (
          <p class="small muted why-note">
            How much this person weighs each criterion, by how it was rated:{' '}
            {names.map((name, c) => `${name} ${format.percent(preference[c]! / total)}`).join(', ')}
            .
          </p>
        )}
        {weighted.length > 0 && (
          <p class="small muted why-note">
            Turned: {weighted.map(([name, weight]) => `${name} ×${weight}`).join(', ')}.
          </p>
        )}
      </section>
      {heat.rows.length > 0 && (
        <section class="card" aria-labelledby="heat-title">
          <h2 id="heat-title">What each rating adds</h2>
          <p class="small muted">
            Strong colour: a large part of the score. Hatched: it takes away. Largest rows first;
            numbers are rounded{scores.unit && `, and to be read ${scores.unit}`}.
          </p>
          <HeatMap heat={heat} title={title} scores={scores} baseline={baseline} />
        </section>
      )}
    </>
  );
}

/** Parts as shares of a score: what the numbers are shown as, in the way that raw ones are. */
const sharesOf = (score: number): format.Scores => ({
  unit: '',
  text: (value) => shareText(value, score),
});
