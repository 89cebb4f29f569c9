// The lists that two methods, or two settings of one, give the same person.
import { useEffect } from 'preact/hooks';
import type { ComparedLists, ComparisonResult } from '../api';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import * as format from '../lib/format';
import { href, replace } from '../lib/router';
import { PersonSearch } from './search';
import { Failed, Loading } from './states';

interface Props {
  job: number;
  result: ComparisonResult;
  params: URLSearchParams;
}

export function SideBySide({ job, result, params }: Props) {
  const { api } = useApp();
  const names = result.methods.filter((m) => m.left_out === null).map(({ name }) => name);
  const user = params.get('user') ?? undefined;
  const known = (name: string | null) => (name !== null && names.includes(name) ? name : undefined);
  const left = known(params.get('left')) ?? names[0] ?? '';
  const right = known(params.get('right')) ?? names.at(-1) ?? '';
  const first = useAsked(
    user === undefined ? (signal) => api.users('', 1, undefined, signal) : undefined,
    [user],
  );
  const change = (next: Record<string, string | undefined>) =>
    replace('quality', { user, left, right, ...next });
  const firstUser = first.answer?.users[0]?.id;
  useEffect(() => {
    if (user === undefined && firstUser !== undefined) change({ user: firstUser });
  }, [user, firstUser]);
  const lists = useAsked(
    user === undefined ? undefined : (signal) => api.comparedLists(job, user, signal),
    [job, user],
  );
  const choose = (label: string, value: string, name: string) => (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => change({ [name]: event.currentTarget.value })}>
        {names.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="card stack" aria-labelledby="one-person">
      <div>
        <h2 id="one-person">For one person, side by side</h2>
        <p class="small muted">
          Each method saw only what was not held back. A star marks what was held back and turned
          out to be liked.
        </p>
      </div>
      <div class="picker">
        <PersonSearch user={user} picked={(id) => change({ user: id })} />
        {choose('Left', left, 'left')}
        {choose('Right', right, 'right')}
      </div>
      {lists.error && <Failed error={lists.error} again={lists.again} />}
      {!lists.answer && lists.pending && <Loading what="the lists" />}
      {lists.answer && <Pair lists={lists.answer} left={left} right={right} />}
    </section>
  );
}

function Pair({ lists, left, right }: { lists: ComparedLists; left: string; right: string }) {
  const held = lists.held_back.filter(({ liked }) => liked).length;
  const pair = [left, right].map((name) => lists.lists.find((list) => list.name === name));
  const both = new Set(pair[0]?.items.map(({ item }) => item));
  const shared = pair[1]?.items.filter(({ item }) => both.has(item)).length ?? 0;
  return (
    <>
      <p class="small muted">
        {held === 0
          ? 'Nothing that this person likes was held back, so their lists cannot be judged. '
          : `${format.plural(held, 'liked item')} held back. `}
        {left !== right && `${shared} of ${pair[1]?.items.length ?? 0} items are in both lists.`}
      </p>
      <div class="grid-2">
        {pair.map(
          (list, side) => list && <OneList key={side} list={list} other={pair[1 - side]} />,
        )}
      </div>
    </>
  );
}

type List = ComparedLists['lists'][number];

function OneList({ list, other }: { list: List; other: List | undefined }) {
  const there = new Set(other?.items.map(({ item }) => item));
  const measures = Object.entries(list.metrics).filter(([name]) => /^(recall|ndcg)@/.test(name));
  return (
    <div>
      <h3 class="breakable">{list.name}</h3>
      <p class="small muted number compared-measures">
        {measures.map(([name, value]) => `${name} ${value.toFixed(3)}`).join(', ') || 'not judged'}
      </p>
      <ol class="compared">
        {list.items.map(({ item, title, liked }, i) => (
          <li key={item} class={liked ? 'liked' : undefined}>
            <span class="number muted">{i + 1}</span>
            <a class="plain breakable" href={href('items', { id: item })}>
              {title || item}
            </a>
            <span class="compared-marks">
              {!there.has(item) && <span class="small muted">only here</span>}
              {liked && (
                <span class="star">
                  <span aria-hidden="true">★</span>
                  <span class="hidden-text">liked</span>
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
