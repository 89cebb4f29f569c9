// Everything that is asked of a server goes through here. The types are those of the HTTP contract:
// contract.d.ts is made from server/openapi.json whenever the explorer is built, checked or tested.

import type { components } from './contract';

type Schemas = components['schemas'];

export type ByCriterion<T = number> = Record<string, T>;
export type Criterion = Schemas['Criterion'];
export type User = Schemas['User'];
export type Item = Schemas['Item'];
export type Attribute = Schemas['AttributeList']['attributes'][number];
export type Rating = Schemas['RatingList']['ratings'][number];
/** What a score means to a person; a server may not know. */
export interface Meaning {
  /** Better than so many percent of all items for this person. */
  match?: number | null;
  /** By criterion, on the scale of the ratings. */
  predicted?: ByCriterion<number | null> | null;
}
export type Recommendation = Schemas['Recommendation'] & Meaning;
export type RecommendationList = Omit<Schemas['RecommendationList'], 'items'> & {
  items: Recommendation[];
};
export type Explanation = Schemas['Explanation'] &
  Meaning & {
    /** Of criteria that the person weighs and that hardly count here, a sentence each. */
    notes?: readonly string[];
  };
export type SimilarList = Schemas['SimilarList'];
export type Basis = RecommendationList['basis'];
export type Weights = Schemas['Weights'];
/** How far predicted ratings are off on held-out ones, beside the simplest prediction. */
export type PredictionError = { mae: number; trivial_mae: number; ratings: number };
export type Model = Schemas['Model'] & { prediction?: ByCriterion<PredictionError> | null };
export type ModelFilter = Model['filters'][number];
export type Choice = Schemas['Choice'];
export type ChoiceStep = Schemas['ChoiceStep'];
export type GraphState = Model['state'];
export type Data = Schemas['Data'];
export type DataCriterion = Data['criteria'][number];
export type Service = Schemas['Service'];
export type ImportResult = Schemas['ImportResult'];
export type Method = Schemas['Method'];
export type MethodList = Schemas['MethodList'];
export type Job = Schemas['Job'];
export type JobWithResult = Schemas['JobWithResult'];
export type ComparisonIn = Schemas['ComparisonIn'];
export type ComparisonResult = Schemas['ComparisonResult'];
export type ComparedLists = Schemas['ComparedLists'];
export type DialsResult = Schemas['DialsResult'];
export type Key = Schemas['Key'];
export type Role = Key['role'];
export type Activity = Schemas['ActivityList']['events'][number];

/** How a file of ratings is to be read; what is not named is guessed. */
export interface Mapping {
  user?: string | undefined;
  item?: string | undefined;
  overall?: string | undefined;
  time?: string | undefined;
  title?: string | undefined;
  criteria?: readonly string[] | undefined;
  delimiter?: string | undefined;
  duplicates?: string | undefined;
  zeros?: string | undefined;
  /** A word that means "not rated". */
  missing?: string | undefined;
}

/** The explorer leaves out a criterion that was not rated; the contract would also take null. */
export type ProfileRating = Schemas['ProfileRating'] & { values: ByCriterion };
/** Whose list it is: someone in the data, or ratings given here and now. */
export type Filter = Schemas['Filter'];
export type Subject = { user: string } | { profile: ProfileRating[] };

/** A problem document, or what stands for one if no server answered. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly hint?: string,
    /** What in the request is wrong: 'user' if nobody has this id. */
    readonly field?: string,
    /** Ids of people that may have been meant. */
    readonly suggestions: readonly string[] = [],
  ) {
    super(detail || title);
  }
}

const unreachable = () =>
  new ApiError(
    0,
    'unreachable',
    'The server does not answer',
    'It was stopped, or the connection to it is broken.',
    'Start it with palate serve, then try again.',
  );

async function problemOf(response: Response): Promise<ApiError> {
  try {
    const problem = (await response.json()) as Partial<Schemas['Problem']>;
    return new ApiError(
      response.status,
      problem.code ?? 'unknown',
      problem.title ?? response.statusText,
      problem.detail ?? '',
      problem.hint,
      problem.field,
      problem.suggestions,
    );
  } catch {
    return new ApiError(
      response.status,
      'unknown',
      `Answer ${response.status}`,
      response.statusText,
    );
  }
}

/** Which items, and in which order. */
export interface ItemQuery {
  q?: string;
  limit: number;
  after?: string | undefined;
  /** 'title', '-raters', '-mean:taste'; by id if absent. */
  sort?: string | undefined;
  /** Attribute and the value that it has to have. */
  filter?: Record<string, string>;
}

export interface Keys {
  get(): string | null;
  /** Asks the person for another key; null if there will be none. */
  ask(refused: string | null): Promise<string | null>;
  /** From now on. */
  use(key: string): void;
}

type Query = Record<string, string | number | readonly string[] | undefined>;

/** What is several values is encoded already. */
function queryOf(query: Query): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') parts.push(...value.map((one) => `${name}=${one}`));
    else if (value !== undefined && value !== '')
      parts.push(`${name}=${encodeURIComponent(value)}`);
  }
  return parts.join('&');
}

export class Api {
  constructor(
    private readonly keys: Keys,
    private readonly base = '',
    private readonly send: typeof fetch = (...args) => fetch(...args),
  ) {}

  criteria = (signal?: AbortSignal) =>
    this.get<Schemas['Criteria']>('/v1/criteria', {}, signal).then((r) => r.criteria);

  users = (q: string, limit: number, after?: string, signal?: AbortSignal) =>
    this.get<Schemas['UserList']>('/v1/users', { q, limit, after }, signal);

  user = (id: string, signal?: AbortSignal) =>
    this.get<User>(`/v1/users/${encodeURIComponent(id)}`, {}, signal);

  ratings = (id: string, signal?: AbortSignal) =>
    this.get<Schemas['RatingList']>(`/v1/users/${encodeURIComponent(id)}/ratings`, {}, signal).then(
      (r) => r.ratings,
    );

  items = ({ filter = {}, ...query }: ItemQuery, signal?: AbortSignal) => {
    // The colon between attribute and value is the first that is not encoded.
    const wanted = Object.entries(filter).map((pair) => pair.map(encodeURIComponent).join(':'));
    return this.get<Schemas['ItemList']>('/v1/items', { ...query, filter: wanted }, signal);
  };

  attributes = (signal?: AbortSignal) =>
    this.get<Schemas['AttributeList']>('/v1/attributes', {}, signal).then((r) => r.attributes);

  item = (id: string, signal?: AbortSignal) =>
    this.get<Item>(`/v1/items/${encodeURIComponent(id)}`, {}, signal);

  similar = (id: string, top: number, signal?: AbortSignal) =>
    this.get<SimilarList>(`/v1/items/${encodeURIComponent(id)}/similar`, { top }, signal);

  recommend = (
    question: { subject: Subject; weights: Weights; top: number; filter?: Filter; cursor?: string },
    signal?: AbortSignal,
  ) => {
    const { subject, cursor, ...rest } = question;
    const body: Schemas['RecommendIn'] = {
      ...subject,
      ...rest,
      attributions: true,
      ...(cursor ? { cursor } : {}),
    };
    return this.post<RecommendationList>('/v1/recommendations', body, signal);
  };

  explain = (subject: Subject, item: string, weights: Weights, signal?: AbortSignal) => {
    const body: Schemas['ExplainIn'] = { ...subject, item, weights };
    return this.post<Explanation>('/v1/explanations', body, signal);
  };

  model = (signal?: AbortSignal) => this.get<Model>('/v1/model', {}, signal);
  data = (signal?: AbortSignal) => this.get<Data>('/v1/data', {}, signal);
  service = (signal?: AbortSignal) => this.get<Service>('/v1/service', {}, signal);

  methods = (signal?: AbortSignal) => this.get<MethodList>('/v1/methods', {}, signal);
  jobs = (signal?: AbortSignal) =>
    this.get<Schemas['JobList']>('/v1/jobs', {}, signal).then((r) => r.jobs);
  job = (id: number, signal?: AbortSignal) => this.get<JobWithResult>(`/v1/jobs/${id}`, {}, signal);
  cancel = (id: number) => this.request<Job>(`/v1/jobs/${id}`, { method: 'DELETE' });
  fit = (method: string) => this.post<Job>('/v1/fits', { method });
  compare = (order: ComparisonIn) => this.post<Job>('/v1/comparisons', order);
  dials = (method: string | null) => this.post<Job>('/v1/dials', { method });
  comparedLists = (job: number, user: string, signal?: AbortSignal) =>
    this.get<ComparedLists>(`/v1/jobs/${job}/lists/${encodeURIComponent(user)}`, {}, signal);

  importFile = (file: File, mapping: Mapping, preview: boolean, signal?: AbortSignal) => {
    const { criteria = [], ...single } = mapping;
    const query = queryOf({
      name: file.name,
      preview: preview ? 'true' : undefined,
      ...single,
      criteria: criteria.map(encodeURIComponent),
    });
    const headers = { 'Content-Type': 'application/octet-stream' };
    const init = { method: 'POST', headers, body: file };
    return this.request<ImportResult>(`/v1/imports?${query}`, init, signal);
  };

  keyList = (signal?: AbortSignal) =>
    this.get<Schemas['KeyList']>('/v1/keys', {}, signal).then((r) => r.keys);
  addKey = (name: string, role: Role) =>
    this.post<Schemas['NewKey']>('/v1/keys', { name, role }).then((key) => {
      // Where nobody needed a key, everybody does now.
      if (this.keys.get() === null) this.keys.use(key.secret);
      return key;
    });
  removeKey = (name: string) =>
    this.request<undefined>(`/v1/keys/${encodeURIComponent(name)}`, { method: 'DELETE' });
  /** Asks the person for a key that may do more. */
  anotherKey = () => this.keys.ask(this.keys.get());
  activity = (signal?: AbortSignal) =>
    this.get<Schemas['ActivityList']>('/v1/activity', {}, signal).then((r) => r.events);
  /** As it stands; it needs no key. */
  openapi = (signal?: AbortSignal) => this.get<unknown>('/v1/openapi.json', {}, signal);

  private get<T>(path: string, query: Query, signal?: AbortSignal): Promise<T> {
    const text = queryOf(query);
    return this.request<T>(text ? `${path}?${text}` : path, {}, signal);
  }

  private post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    return this.request<T>(path, init, signal);
  }

  private async request<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<T> {
    let key = this.keys.get();
    for (;;) {
      const headers = new Headers(init.headers);
      headers.set('Accept', 'application/json');
      if (key) headers.set('Authorization', `Bearer ${key}`);
      let response: Response;
      try {
        response = await this.send(this.base + path, {
          ...init,
          headers,
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        throw signal?.aborted ? error : unreachable();
      }
      if (response.status === 204) return undefined as T;
      if (response.ok) return (await response.json()) as T;
      const problem = await problemOf(response);
      if (response.status !== 401) throw problem;
      const next = await this.keys.ask(key);
      if (next === null) throw problem;
      key = next;
    }
  }
}
