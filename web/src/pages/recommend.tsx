import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ApiError, Filter, RecommendationList, Subject, Weights } from '../api';
import { ItemFilters } from '../components/item_table';
import { Newcomer } from '../components/newcomer';
import { PageHead } from '../components/layout';
import { RatedBefore } from '../components/rated_before';
import { RecommendedList } from '../components/recommend_list';
import { PersonSearch } from '../components/search';
import { Empty, Failed, Loading, NoRatings } from '../components/states';
import { FailedFor } from '../components/unknown_person';
import { WeightSliders } from '../components/weights';
import { storageOf, useApp } from '../context';
import { asApiError, useAsked } from '../lib/asked';
import { download, listAsCsv } from '../lib/csv';
import { latest } from '../lib/latest';
import { load, profileOf, save, subjectOf, type Rated } from '../lib/profile';
import { filterOf, filterParams, href, replace, weightParams, weightsOf } from '../lib/router';

const pageLength = 10;

interface Question {
  subject: Subject;
  weights: Weights;
  filter: Filter;
  top: number;
}

/** The list for a question, following it as sliders move; and the list with equal weights. */
function useRecommendations(question: Question | undefined) {
  const { api } = useApp();
  const [list, setList] = useState<RecommendationList | undefined>();
  const [error, setError] = useState<ApiError | undefined>();
  const asker = useMemo(
    () =>
      latest(
        (q: Question, signal) => api.recommend(q, signal),
        (answer) => {
          setList(answer);
          setError(undefined);
        },
        (failure) => {
          setError(asApiError(failure));
          setList(undefined);
        },
      ),
    [api],
  );
  const subject = question ? JSON.stringify(question.subject) : '';
  const [round, setRound] = useState(0);

  // Answers for somebody else must not show; those for older weights may, on the way to the newest.
  const person = question && 'user' in question.subject ? question.subject.user : '';
  useEffect(() => {
    asker.forget();
    setList(undefined);
    setError(undefined);
    return () => asker.forget();
  }, [asker, person]);
  useEffect(() => {
    if (question) asker.ask(question);
    else setList(undefined);
  }, [
    asker,
    subject,
    JSON.stringify(question?.weights),
    JSON.stringify(question?.filter),
    question?.top,
    round,
  ]);

  const equal = useAsked(
    question && Object.keys(question.weights).length > 0
      ? (signal) => api.recommend({ ...question, weights: {} }, signal)
      : undefined,
    [
      subject,
      question?.top,
      JSON.stringify(question?.filter),
      question && Object.keys(question.weights).length > 0,
    ],
  );
  return {
    list,
    error,
    neutral: equal.answer?.items.map(({ item }) => item),
    again: () => setRound((r) => r + 1),
  };
}

export function RecommendPage({ params }: { params: URLSearchParams }) {
  const { api, criteria } = useApp();
  const isNew = params.has('new');
  const user = isNew ? undefined : (params.get('user') ?? undefined);
  const weights = weightsOf(params);
  const filter = filterOf(params);
  const shared = { ...weightParams(weights), ...filterParams(filter) };
  const [top, setTop] = useState(pageLength);
  const [lit, setLit] = useState<number | undefined>();
  const [rated, setRated] = useState<Rated[]>(() => load(storageOf('localStorage')));
  const first = useAsked(
    isNew || user !== undefined ? undefined : (signal) => api.users('', 1, undefined, signal),
    [isNew, user],
  );

  // Someone who just arrives sees a list at once: that of the first person in the data.
  const firstUser = first.answer?.users[0]?.id;
  useEffect(() => {
    if (!isNew && user === undefined && firstUser !== undefined)
      replace('recommend', { user: firstUser, ...shared });
  }, [isNew, user, firstUser]);
  useEffect(() => setTop(pageLength), [user, isNew, JSON.stringify(filter)]);

  const profile = useMemo(() => profileOf(rated, criteria), [rated, criteria]);
  const subject = subjectOf(isNew, user, profile);
  const question = subject ? { subject, weights, filter, top } : undefined;
  const { list, error, neutral, again } = useRecommendations(question);

  const stranger = error?.field === 'user';
  const who: Record<string, string> = isNew ? { new: '1' } : user !== undefined ? { user } : {};
  const weigh = (next: Weights) =>
    replace('recommend', { ...who, ...filterParams(filter), ...weightParams(next) });
  const narrow = (name: string, value: string | undefined) =>
    replace('recommend', { ...who, ...shared, [`f.${name}`]: value });
  const rate = (next: Rated[]) => {
    setRated(next);
    save(storageOf('localStorage'), next);
  };
  const pickUser = (id: string) => replace('recommend', { user: id, ...shared });

  if (first.error) return <Failed error={first.error} again={first.again} />;
  if (criteria.length === 0 || first.answer?.users.length === 0) return <NoRatings />;
  return (
    <>
      <PageHead title={isNew ? 'For a newcomer' : user !== undefined ? `For ${user}` : 'Recommend'}>
        Move a slider to say what counts; the list follows. The bar under an item shows what each
        criterion adds to its score.
      </PageHead>
      <div class="split">
        <aside class="stack side">
          <Who isNew={isNew} user={user} shared={shared} pick={pickUser} />
          {isNew && <Newcomer rated={rated} changed={rate} />}
          {!stranger && (
            <WeightSliders criteria={criteria} weights={weights} changed={weigh} point={setLit} />
          )}
          {!stranger && <ItemFilters card filter={filter} changed={narrow} />}
          {user !== undefined && <RatedBefore user={user} key={user} />}
        </aside>
        <section class="stack" aria-label="Recommendations">
          {error && (
            <FailedFor
              error={error}
              again={again}
              user={user}
              page="recommend"
              params={weightParams(weights)}
            />
          )}
          {isNew && profile.length === 0 && (
            <Empty title="Rate an item or two">
              <p>
                Pick items that you know and grade them by criterion. The list appears with the
                first grade.
              </p>
            </Empty>
          )}
          {question && !list && !error && <Loading what="recommendations" />}
          {question && list && (
            <>
              {list.basis === 'popularity' && (
                <p class="notice">
                  No ratings to go by yet: these are the items that most people rated.
                </p>
              )}
              <div class="card list-card">
                <RecommendedList
                  criteria={criteria}
                  list={list}
                  neutral={Object.keys(weights).length > 0 ? neutral : undefined}
                  lit={lit}
                  point={setLit}
                  whyParams={{ ...who, ...weightParams(weights) }}
                />
                {list.items.length === 0 && (
                  <p class="muted">
                    {Object.keys(filter).length > 0
                      ? 'No item that is left is like this.'
                      : 'Nothing is left to recommend.'}
                  </p>
                )}
                <div class="row-end">
                  {list.items.length > 0 && (
                    <button
                      class="button"
                      type="button"
                      onClick={() =>
                        download(
                          `recommendations-${user ?? 'newcomer'}`,
                          listAsCsv(list, criteria, user),
                        )
                      }
                    >
                      Save as CSV
                    </button>
                  )}
                  {list.cursor !== null && top < 100 && (
                    <button class="button" type="button" onClick={() => setTop(top + pageLength)}>
                      Show more
                    </button>
                  )}
                </div>
              </div>
              <p class="hidden-text" role="status">
                {list.items.length} items, first {list.items[0]?.title ?? 'none'}
              </p>
            </>
          )}
        </section>
      </div>
    </>
  );
}

interface WhoProps {
  isNew: boolean;
  user: string | undefined;
  /** What stays when another person is chosen. */
  shared: Record<string, string>;
  pick(user: string): void;
}

function Who({ isNew, user, shared, pick }: WhoProps) {
  const last = useRef(user);
  if (user !== undefined) last.current = user;
  return (
    <section class="card" aria-label="For whom">
      <div class="switch">
        <a
          href={href('recommend', { user: last.current, ...shared })}
          aria-current={!isNew ? 'true' : undefined}
        >
          Known person
        </a>
        <a
          href={href('recommend', { new: '1', ...shared })}
          aria-current={isNew ? 'true' : undefined}
        >
          Newcomer
        </a>
      </div>
      {!isNew && <PersonSearch user={user} picked={pick} />}
    </section>
  );
}
